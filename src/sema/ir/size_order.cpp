// SPDX-License-Identifier: Apache-2.0
// The structural order of sizes: symbols by declaration, operators by kind and then by their operands.
#include "sema/ir/size_order.h"

#include <algorithm>

namespace tessera::ir {

namespace {

std::strong_ordering compare_atoms(const SizeTable& table, uint32_t a, uint32_t b) {
  if (a == b) return std::strong_ordering::equal;
  const SizeTable::AtomNode& left = table.atom(a);
  const SizeTable::AtomNode& right = table.atom(b);
  if (const auto order = left.kind <=> right.kind; order != 0) return order;
  if (left.kind == SizeTable::Atom::symbol) return left.symbol <=> right.symbol;
  if (const auto order = compare(table, left.left, right.left); order != 0) return order;
  return compare(table, left.right, right.right);
}

std::strong_ordering compare_terms(const SizeTable& table, const SizeTable::Term& a,
                                   const SizeTable::Term& b) {
  const std::vector<uint32_t> left = structural_order(table, a.atoms),
                              right = structural_order(table, b.atoms);
  for (size_t i = 0; i < left.size() && i < right.size(); ++i) {
    if (const auto order = compare_atoms(table, left[i], right[i]); order != 0) return order;
  }
  if (left.size() != right.size()) return right.size() <=> left.size();  // the longer product first
  return a.coefficient <=> b.coefficient;
}

}  // namespace

std::vector<uint32_t> structural_order(const SizeTable& table, std::vector<uint32_t> atoms) {
  std::sort(atoms.begin(), atoms.end(),
            [&](uint32_t a, uint32_t b) { return compare_atoms(table, a, b) < 0; });
  return atoms;
}

SizeTable::Polynomial ordered_terms(const SizeTable& table, SizeId id) {
  SizeTable::Polynomial terms = table.polynomial(id);
  std::sort(terms.begin(), terms.end(), [&](const SizeTable::Term& a, const SizeTable::Term& b) {
    return compare_terms(table, a, b) < 0;
  });
  return terms;
}

std::strong_ordering compare(const SizeTable& table, SizeId a, SizeId b) {
  if (a == b) return std::strong_ordering::equal;
  const SizeTable::Polynomial left = ordered_terms(table, a), right = ordered_terms(table, b);
  for (size_t i = 0; i < left.size() && i < right.size(); ++i) {
    if (const auto order = compare_terms(table, left[i], right[i]); order != 0) return order;
  }
  return left.size() <=> right.size();
}

}  // namespace tessera::ir
