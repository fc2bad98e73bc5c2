// SPDX-License-Identifier: Apache-2.0
// Proofs of `size >= 0`: bounds of polynomials, floors eliminated by their defining inequality, cases for min and
// max, enumeration of listed values, and subtraction of assumptions.
#include "sema/prove/size_facts.h"

#include <algorithm>

#include "sema/prove/equalities.h"

namespace tessera::sema {

namespace {

constexpr int kDepth = 4;
constexpr std::int64_t kLargestMinimum = std::int64_t{1} << 40;

using Atom = ir::SizeTable::Atom;

}  // namespace

SizeFacts::SizeFacts(ir::Kernel& kernel)
    : kernel_(kernel), sizes_(kernel.sizes), equalities_(find_equalities(kernel)) {
  const ir::SizeId one = sizes_.constant(1);
  const std::vector<ir::Constraint> constraints = kernel.constraints;
  for (const ir::Constraint& constraint : constraints) {
    if (constraint.relation == ir::Relation::member || constraint.relation == ir::Relation::not_equal)
      continue;
    const ir::SizeId rise = sizes_.subtract(constraint.right, constraint.left);
    const ir::SizeId fall = sizes_.subtract(constraint.left, constraint.right);
    switch (constraint.relation) {
      case ir::Relation::less_equal: assume_nonnegative(rise); break;
      case ir::Relation::less: assume_nonnegative(sizes_.subtract(rise, one)); break;
      case ir::Relation::greater_equal: assume_nonnegative(fall); break;
      case ir::Relation::greater: assume_nonnegative(sizes_.subtract(fall, one)); break;
      default: break;
    }
  }
  // A dimension that is given by others is an extent all the same: not negative.
  for (const auto& [symbol, size] : std::map(equalities_)) assume_nonnegative(size);
}

ir::SizeId SizeFacts::canonical(ir::SizeId size) {
  if (equalities_.empty()) return size;
  const auto known = canonical_.find(size);
  if (known != canonical_.end()) return known->second;
  const ir::SizeId result = sizes_.substitute(size, [this](ir::SymbolId symbol) {
    const auto entry = equalities_.find(symbol);
    return entry != equalities_.end() ? entry->second : sizes_.symbol(symbol);
  });
  canonical_.emplace(size, result);
  return result;
}

void SizeFacts::assume_nonnegative(ir::SizeId size) {
  assumed_.push_back(canonical(size));
  proved_.clear();
}

void SizeFacts::release(std::size_t mark) {
  assumed_.resize(mark);
  proved_.clear();
}

/// What a fact `c * symbol - k >= 0`, or the same with a quotient of the symbol, says about the symbol.
std::optional<std::int64_t> SizeFacts::minimum_by(ir::SizeId fact, ir::SymbolId symbol) const {
  const ir::SizeTable::Polynomial& terms = sizes_.polynomial(fact);
  if (terms.empty() || terms.size() > 2) return std::nullopt;
  std::int64_t constant = 0, coefficient = 0, divisor = 1;
  for (const ir::SizeTable::Term& term : terms) {
    if (term.atoms.empty()) {
      constant = term.coefficient;
      continue;
    }
    const ir::SizeTable::AtomNode& node = sizes_.atom(term.atoms[0]);
    if (term.atoms.size() != 1 || coefficient != 0) return std::nullopt;
    const bool is_quotient = node.kind == Atom::floor_divide && sizes_.as_symbol(node.left) == symbol;
    if (is_quotient) divisor = sizes_.as_constant(node.right).value_or(0);
    if (!is_quotient && (node.kind != Atom::symbol || node.symbol != symbol)) return std::nullopt;
    coefficient = term.coefficient;
  }
  if (coefficient <= 0 || constant >= 0 || divisor < 1) return std::nullopt;
  const std::int64_t below = -(constant + 1) / coefficient;  // one less than it: nothing overflows
  return below < kLargestMinimum / divisor ? std::optional((below + 1) * divisor) : std::nullopt;
}

std::int64_t SizeFacts::minimum(ir::SymbolId symbol) const {
  std::int64_t result = std::max<std::int64_t>(kernel_.symbols[symbol].minimum, 0);
  for (const ir::SizeId fact : assumed_) result = std::max(result, minimum_by(fact, symbol).value_or(0));
  // Of `where C % 4 == 0, C >= 1` the next multiple: 4*(C/4) stands for C.
  const auto multiple = equalities_.find(symbol);
  if (multiple == equalities_.end() || result > kLargestMinimum) return result;
  const ir::SizeTable::Polynomial& terms = sizes_.polynomial(multiple->second);
  if (terms.size() != 1 || terms[0].atoms.size() != 1 || terms[0].coefficient < 1) return result;
  const ir::SizeTable::AtomNode& node = sizes_.atom(terms[0].atoms[0]);
  if (node.kind != Atom::floor_divide || sizes_.as_symbol(node.left) != symbol) return result;
  const std::int64_t divisor = terms[0].coefficient;
  return result == 0 ? 0 : ((result - 1) / divisor + 1) * divisor;
}

bool SizeFacts::bounded_below(ir::SizeId size) const {
  return sizes_.lower_bound(size, [this](ir::SymbolId symbol) { return minimum(symbol); }).value_or(-1) >= 0;
}

bool SizeFacts::nonnegative(ir::SizeId size) {
  size = canonical(size);
  if (const auto constant = sizes_.as_constant(size)) return *constant >= 0;
  const auto known = proved_.find(size);
  if (known != proved_.end()) return known->second;
  const bool result = prove(size, kDepth);
  proved_.insert_or_assign(size, result);
  return result;
}

bool SizeFacts::prove(ir::SizeId size, int depth) {
  if (std::find(assumed_.begin(), assumed_.end(), size) != assumed_.end() || bounded_below(size)) return true;
  if (depth == 0) return false;
  bool applies = false;
  const bool for_all_values = by_enumeration(size, applies);
  if (applies) return for_all_values;
  const bool in_all_cases = by_cases(size, depth, applies);
  if (applies) return in_all_cases;
  if (const std::optional<ir::SizeId> weaker = without_floor(size); weaker && prove(*weaker, depth - 1))
    return true;
  for (std::size_t i = 0; i < assumed_.size(); ++i) {
    const ir::SizeId rest = sizes_.subtract(size, assumed_[i]);
    if (bounded_below(rest)) return true;
    for (std::size_t j = i; j < assumed_.size(); ++j) {
      if (bounded_below(sizes_.subtract(rest, assumed_[j]))) return true;
    }
    if (const std::optional<ir::SizeId> weaker = without_floor(rest); weaker && bounded_below(*weaker))
      return true;
  }
  return false;
}

/// Whether a constraint says that a quotient has no remainder: then its floor is a size like a symbol.
bool SizeFacts::is_exact(const ir::SizeTable::AtomNode& quotient) {
  const ir::SizeId floor = sizes_.floor_divide(quotient.left, quotient.right);
  return canonical(sizes_.multiply(quotient.right, floor)) == canonical(quotient.left);
}

/// A size that is not larger, times a positive factor, without one of the floors:
/// b * floor(a / b) lies between a - (b - 1) and a.
std::optional<ir::SizeId> SizeFacts::without_floor(ir::SizeId size) {
  const ir::SizeTable::Polynomial terms = sizes_.polynomial(size);
  for (const ir::SizeTable::Term& term : terms) {
    for (std::size_t i = 0; i < term.atoms.size(); ++i) {
      const ir::SizeTable::AtomNode node = sizes_.atom(term.atoms[i]);
      if (node.kind != Atom::floor_divide) continue;
      const std::optional<std::int64_t> divisor = sizes_.as_constant(node.right);
      if (!divisor || *divisor < 1 || is_exact(node)) continue;
      // The other factors of the term, as a size of their own.
      ir::SizeId factor = sizes_.constant(term.coefficient);
      ir::SizeId others = sizes_.constant(1);
      bool usable = true;
      for (std::size_t j = 0; j < term.atoms.size(); ++j) {
        if (j == i) continue;
        const ir::SizeTable::AtomNode other = sizes_.atom(term.atoms[j]);
        usable = usable && other.kind == Atom::symbol;
        if (usable) others = sizes_.multiply(others, sizes_.symbol(other.symbol));
      }
      if (!usable) continue;
      factor = sizes_.multiply(factor, others);
      const ir::SizeId floor = sizes_.floor_divide(node.left, node.right);
      const ir::SizeId rest = sizes_.subtract(size, sizes_.multiply(factor, floor));
      const ir::SizeId bound =
          term.coefficient > 0 ? sizes_.subtract(node.left, sizes_.constant(*divisor - 1)) : node.left;
      return sizes_.add(sizes_.multiply(sizes_.constant(*divisor), rest), sizes_.multiply(factor, bound));
    }
  }
  return std::nullopt;
}

/// min(a, b) is a or b: both cases, each with what it assumes.
bool SizeFacts::by_cases(ir::SizeId size, int depth, bool& applies) {
  const ir::SizeTable::Polynomial terms = sizes_.polynomial(size);
  for (const ir::SizeTable::Term& term : terms) {
    if (term.atoms.size() != 1) continue;
    const ir::SizeTable::AtomNode node = sizes_.atom(term.atoms[0]);
    if (node.kind != Atom::minimum && node.kind != Atom::maximum) continue;
    applies = true;
    const ir::SizeId atom = node.kind == Atom::minimum ? sizes_.minimum(node.left, node.right)
                                                       : sizes_.maximum(node.left, node.right);
    const ir::SizeId factor = sizes_.constant(term.coefficient);
    const ir::SizeId rest = sizes_.subtract(size, sizes_.multiply(factor, atom));
    const ir::SizeId rise = sizes_.subtract(node.right, node.left),
                     fall = sizes_.subtract(node.left, node.right);
    const bool is_min = node.kind == Atom::minimum;
    const std::size_t before = mark();
    assume_nonnegative(is_min ? rise : fall);
    const bool left = prove(sizes_.add(rest, sizes_.multiply(factor, node.left)), depth - 1);
    release(before);
    assume_nonnegative(is_min ? fall : rise);
    const bool right = left && prove(sizes_.add(rest, sizes_.multiply(factor, node.right)), depth - 1);
    release(before);
    return left && right;
  }
  return false;
}

/// A size over one symbol with listed values.
bool SizeFacts::by_enumeration(ir::SizeId size, bool& applies) const {
  const std::vector<ir::SymbolId> symbols = sizes_.symbols_of(size);
  if (symbols.size() != 1 || kernel_.symbols[symbols[0]].allowed.empty()) return false;
  applies = true;
  const std::vector<std::int64_t>& allowed = kernel_.symbols[symbols[0]].allowed;
  return std::all_of(allowed.begin(), allowed.end(), [&](std::int64_t value) {
    return sizes_.evaluate(size, [value](ir::SymbolId) { return value; }) >= 0;
  });
}

}  // namespace tessera::sema
