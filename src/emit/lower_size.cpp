// SPDX-License-Identifier: Apache-2.0
// Sizes as expressions: polynomials become sums of products, floors and remainders calls.
#include "emit/lower.h"
#include "emit/naming.h"

namespace tessera::emit {

namespace {

lowered::Expr lower_atom(const ir::Kernel& kernel, const ir::SizeTable& sizes,
                         const ir::SizeTable::AtomNode& atom) {
  using Atom = ir::SizeTable::Atom;
  if (atom.kind == Atom::symbol)
    return lowered::name(safe_name(kernel.symbols[atom.symbol].name), DType::index);
  const char* callee = atom.kind == Atom::floor_divide ? "integer::divide"
                       : atom.kind == Atom::modulo     ? "integer::modulo"
                       : atom.kind == Atom::minimum    ? "minimum"
                                                       : "maximum";
  return lowered::call(callee, {lower_size(kernel, sizes, atom.left), lower_size(kernel, sizes, atom.right)},
                       DType::index);
}

}  // namespace

lowered::Expr lower_size(const ir::Kernel& kernel, const ir::SizeTable& sizes, ir::SizeId size) {
  lowered::Expr sum = lowered::integer(0);
  int64_t constant = 0;
  for (const ir::SizeTable::Term& term : sizes.polynomial(size)) {
    if (term.atoms.empty()) {
      constant = term.coefficient;
      continue;
    }
    lowered::Expr product = lowered::integer(term.coefficient);
    for (uint32_t atom : term.atoms)
      product = lowered::multiply(product, lower_atom(kernel, sizes, sizes.atom(atom)));
    sum = lowered::add(sum, product);
  }
  return lowered::add(sum, lowered::integer(constant));
}

}  // namespace tessera::emit
