// SPDX-License-Identifier: Apache-2.0
// The normal form of sizes: construction, evaluation, substitution, bounds.
#include "sema/ir/size.h"

#include <algorithm>
#include <iterator>

#include "base/check.h"
#include "sema/ir/integer.h"
#include "sema/ir/size_order.h"

namespace tessera::ir {

namespace {

using Monomials = std::map<std::vector<uint32_t>, int64_t>;

SizeTable::Polynomial from_monomials(const Monomials& monomials) {
  SizeTable::Polynomial result;
  for (const auto& [atoms, coefficient] : monomials) {
    if (coefficient != 0) result.push_back({coefficient, atoms});
  }
  return result;
}

std::vector<uint32_t> merged(const std::vector<uint32_t>& a, const std::vector<uint32_t>& b) {
  std::vector<uint32_t> atoms;
  std::merge(a.begin(), a.end(), b.begin(), b.end(), std::back_inserter(atoms));
  return atoms;
}

int64_t apply(SizeTable::Atom kind, int64_t left, int64_t right) {
  switch (kind) {
    case SizeTable::Atom::floor_divide: return floor_divide(left, right);
    case SizeTable::Atom::modulo: return floor_modulo(left, right);
    case SizeTable::Atom::minimum: return std::min(left, right);
    case SizeTable::Atom::maximum: return std::max(left, right);
    case SizeTable::Atom::symbol: break;
  }
  unreachable("a symbol is not an operator");
}

}  // namespace

SizeId SizeTable::intern(Polynomial polynomial) {
  const auto [entry, inserted] =
      polynomial_ids_.try_emplace(polynomial, SizeId(static_cast<uint32_t>(polynomials_.size())));
  if (inserted) polynomials_.push_back(std::move(polynomial));
  return entry->second;
}

SizeId SizeTable::intern_atom(AtomNode node) {
  const auto [entry, inserted] = atom_ids_.try_emplace(node, static_cast<uint32_t>(atoms_.size()));
  if (inserted) atoms_.push_back(node);
  return intern({Term{1, {entry->second}}});
}

SizeId SizeTable::constant(int64_t value) {
  if (value == 0) return intern({});
  return intern({Term{value, {}}});
}

SizeId SizeTable::symbol(SymbolId id) {
  TESSERA_CHECK(id.valid(), "a size names a symbol");
  return intern_atom({Atom::symbol, id, {}, {}});
}

SizeId SizeTable::add(SizeId a, SizeId b) {
  Monomials sum;
  for (const SizeId side : {a, b}) {
    for (const Term& term : polynomial(side))
      sum[term.atoms] = wrapping_add(sum[term.atoms], term.coefficient);
  }
  return intern(from_monomials(sum));
}

SizeId SizeTable::subtract(SizeId a, SizeId b) { return add(a, multiply(constant(-1), b)); }

SizeId SizeTable::multiply(SizeId a, SizeId b) {
  Monomials product;
  for (const Term& left : polynomial(a)) {
    for (const Term& right : polynomial(b)) {
      int64_t& coefficient = product[merged(left.atoms, right.atoms)];
      coefficient = wrapping_add(coefficient, wrapping_multiply(left.coefficient, right.coefficient));
    }
  }
  return intern(from_monomials(product));
}

SizeId SizeTable::floor_divide(SizeId a, SizeId b) {
  const std::optional<int64_t> divisor = as_constant(b), dividend = as_constant(a);
  if (dividend && divisor) return constant(ir::floor_divide(*dividend, *divisor));
  if (divisor == 0 || dividend == 0) return constant(0);
  if (!divisor || *divisor < 0) return intern_atom({Atom::floor_divide, {}, a, b});
  // floor((d*q + r) / d) = q + floor(r / d), term by term; so (M - 1)/4 + 1 and (M + 3)/4 are one size.
  Monomials quotient, rest;
  for (const Term& term : polynomial(a)) {
    quotient[term.atoms] = ir::floor_divide(term.coefficient, *divisor);
    rest[term.atoms] = floor_modulo(term.coefficient, *divisor);
  }
  const SizeId whole = intern(from_monomials(quotient));
  const SizeId remainder = intern(from_monomials(rest));
  if (as_constant(remainder)) return whole;  // it is at least 0 and below the divisor
  return add(whole, intern_atom({Atom::floor_divide, {}, remainder, b}));
}

SizeId SizeTable::modulo(SizeId a, SizeId b) {
  const std::optional<int64_t> divisor = as_constant(b), dividend = as_constant(a);
  if (dividend && divisor) return constant(floor_modulo(*dividend, *divisor));
  if (divisor == 0 || dividend == 0 || a == b) return constant(0);
  if (!divisor || *divisor < 0) return intern_atom({Atom::modulo, {}, a, b});
  Monomials rest;
  for (const Term& term : polynomial(a)) rest[term.atoms] = floor_modulo(term.coefficient, *divisor);
  const SizeId remainder = intern(from_monomials(rest));
  if (as_constant(remainder)) return remainder;
  return intern_atom({Atom::modulo, {}, remainder, b});
}

SizeId SizeTable::minimum(SizeId a, SizeId b) {
  const auto at_least_zero = [](SymbolId) { return int64_t{0}; };
  if (lower_bound(subtract(b, a), at_least_zero).value_or(-1) >= 0) return a;
  if (lower_bound(subtract(a, b), at_least_zero).value_or(-1) >= 0) return b;
  if (compare(*this, a, b) > 0) std::swap(a, b);
  return intern_atom({Atom::minimum, {}, a, b});
}

SizeId SizeTable::maximum(SizeId a, SizeId b) {
  const auto at_least_zero = [](SymbolId) { return int64_t{0}; };
  if (lower_bound(subtract(a, b), at_least_zero).value_or(-1) >= 0) return a;
  if (lower_bound(subtract(b, a), at_least_zero).value_or(-1) >= 0) return b;
  if (compare(*this, a, b) > 0) std::swap(a, b);
  return intern_atom({Atom::maximum, {}, a, b});
}

std::optional<int64_t> SizeTable::as_constant(SizeId id) const {
  const Polynomial& terms = polynomial(id);
  if (terms.empty()) return 0;
  if (terms.size() == 1 && terms[0].atoms.empty()) return terms[0].coefficient;
  return std::nullopt;
}

std::optional<SymbolId> SizeTable::as_symbol(SizeId id) const {
  const Polynomial& terms = polynomial(id);
  if (terms.size() != 1 || terms[0].coefficient != 1 || terms[0].atoms.size() != 1) return std::nullopt;
  const AtomNode& node = atom(terms[0].atoms[0]);
  if (node.kind != Atom::symbol) return std::nullopt;
  return node.symbol;
}

std::vector<SymbolId> SizeTable::symbols_of(SizeId id) const {
  std::vector<SymbolId> symbols;
  for (const Term& term : polynomial(id)) {
    for (const uint32_t index : term.atoms) {
      const AtomNode& node = atom(index);
      if (node.kind == Atom::symbol) {
        symbols.push_back(node.symbol);
        continue;
      }
      for (const SizeId side : {node.left, node.right}) {
        const std::vector<SymbolId> inner = symbols_of(side);
        symbols.insert(symbols.end(), inner.begin(), inner.end());
      }
    }
  }
  std::sort(symbols.begin(), symbols.end());
  symbols.erase(std::unique(symbols.begin(), symbols.end()), symbols.end());
  return symbols;
}

int64_t SizeTable::evaluate(SizeId id, const SymbolValues& values) const {
  int64_t sum = 0;
  for (const Term& term : polynomial(id)) {
    int64_t product = term.coefficient;
    for (const uint32_t index : term.atoms) {
      const AtomNode& node = atom(index);
      const int64_t factor = node.kind == Atom::symbol ? values(node.symbol)
                                                       : apply(node.kind, evaluate(node.left, values),
                                                               evaluate(node.right, values));
      product = wrapping_multiply(product, factor);
    }
    sum = wrapping_add(sum, product);
  }
  return sum;
}

SizeId SizeTable::substitute(SizeId id, const std::function<SizeId(SymbolId)>& replace) {
  const Polynomial terms = polynomial(id);  // a copy: interning may move the original
  SizeId sum = constant(0);
  for (const Term& term : terms) {
    SizeId product = constant(term.coefficient);
    for (const uint32_t index : term.atoms) {
      const AtomNode node = atom(index);
      SizeId factor;
      if (node.kind == Atom::symbol) {
        factor = replace(node.symbol);
      } else {
        const SizeId left = substitute(node.left, replace), right = substitute(node.right, replace);
        switch (node.kind) {
          case Atom::floor_divide: factor = floor_divide(left, right); break;
          case Atom::modulo: factor = modulo(left, right); break;
          case Atom::minimum: factor = minimum(left, right); break;
          default: factor = maximum(left, right); break;
        }
      }
      product = multiply(product, factor);
    }
    sum = add(sum, product);
  }
  return sum;
}

}  // namespace tessera::ir
