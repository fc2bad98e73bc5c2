// SPDX-License-Identifier: Apache-2.0
// Lower bounds of sizes: interval arithmetic on the polynomial in `symbol - lower(symbol)`, whose variables
// are not negative, and the same for quotients. Shifting first makes bounds such as M*N - M >= 0 for N >= 1 exact.
#include <algorithm>

#include "sema/ir/integer.h"
#include "sema/ir/size.h"

namespace tessera::ir {

namespace {

using Bound = std::optional<int64_t>;  // nothing: unbounded, or too large to tell

/// Coefficients that grow by products of shifts stay within 64 bits.
constexpr int64_t kLargestShift = 1 << 16;

struct Interval {
  Bound low, high;
};

Bound sum(Bound a, Bound b) {
  int64_t result = 0;
  if (!a || !b || __builtin_add_overflow(*a, *b, &result)) return std::nullopt;
  return result;
}

Bound product(Bound a, Bound b) {
  int64_t result = 0;
  if (!a || !b || __builtin_mul_overflow(*a, *b, &result)) return std::nullopt;
  return result;
}

Interval scaled(int64_t factor, const Interval& a) {
  if (factor == 0) return {0, 0};
  const Bound low = product(factor, a.low), high = product(factor, a.high);
  return factor > 0 ? Interval{low, high} : Interval{high, low};
}

Interval multiplied(const Interval& a, const Interval& b) {
  if (a.low >= Bound(0) && b.low >= Bound(0)) return {product(a.low, b.low), product(a.high, b.high)};
  if (a.low && a.low == a.high) return scaled(*a.low, b);
  if (b.low && b.low == b.high) return scaled(*b.low, a);
  const Bound corners[] = {product(a.low, b.low), product(a.low, b.high), product(a.high, b.low),
                           product(a.high, b.high)};
  if (std::any_of(std::begin(corners), std::end(corners), [](Bound corner) { return !corner; })) return {};
  return {*std::min_element(std::begin(corners), std::end(corners)),
          *std::max_element(std::begin(corners), std::end(corners))};
}

/// a / b for b >= 1.
Interval divided(const Interval& a, const Interval& b) {
  Interval result;
  if (a.low && *a.low >= 0) result.low = b.high ? floor_divide(*a.low, *b.high) : 0;
  if (a.low && *a.low < 0) result.low = floor_divide(*a.low, *b.low);
  if (a.high && *a.high >= 0) result.high = floor_divide(*a.high, *b.low);
  if (a.high && *a.high < 0) result.high = b.high ? floor_divide(*a.high, *b.high) : -1;
  return result;
}

class Bounds {
 public:
  Bounds(const SizeTable& table, const std::function<int64_t(SymbolId)>& lower)
      : table_(table), lower_(lower) {}

  Interval of(SizeId id) const {
    Interval total{0, 0};
    for (const auto& [atoms, coefficient] : shifted(id)) {
      Interval term{1, 1};
      for (const uint32_t atom : atoms) term = multiplied(term, of_atom(atom));
      term = scaled(coefficient, term);
      total = {sum(total.low, term.low), sum(total.high, term.high)};
    }
    return total;
  }

 private:
  using Monomials = std::map<std::vector<uint32_t>, int64_t>;

  /// The polynomial in which each atom a is replaced by shift(a) + a.
  Monomials shifted(SizeId id) const {
    Monomials result;
    for (const SizeTable::Term& term : table_.polynomial(id)) {
      Monomials expanded{{{}, term.coefficient}};
      for (const uint32_t atom : term.atoms) expanded = times(expanded, atom);
      for (const auto& [atoms, coefficient] : expanded) {
        int64_t& entry = result[atoms];
        entry = wrapping_add(entry, coefficient);
      }
    }
    return result;
  }

  Monomials times(const Monomials& monomials, uint32_t atom) const {
    const int64_t shift = shift_of(atom);
    Monomials result;
    for (const auto& [atoms, coefficient] : monomials) {
      std::vector<uint32_t> longer = atoms;
      longer.insert(std::upper_bound(longer.begin(), longer.end(), atom), atom);
      result[longer] = wrapping_add(result[longer], coefficient);
      if (shift != 0) result[atoms] = wrapping_add(result[atoms], wrapping_multiply(coefficient, shift));
    }
    return result;
  }

  int64_t shift_of(uint32_t atom) const {
    if (table_.atom(atom).kind == SizeTable::Atom::symbol) return lower_(table_.atom(atom).symbol);
    const Bound low = unshifted(atom).low;
    return low && *low > 0 && *low <= kLargestShift ? *low : 0;
  }

  /// Of an atom of the shifted polynomial.
  Interval of_atom(uint32_t atom) const {
    if (table_.atom(atom).kind == SizeTable::Atom::symbol) return {0, std::nullopt};
    const Interval whole = unshifted(atom);
    const int64_t shift = shift_of(atom);
    return {sum(whole.low, -shift), sum(whole.high, -shift)};
  }

  Interval unshifted(uint32_t atom) const {
    const auto known = known_.find(atom);
    if (known != known_.end()) return known->second;
    const Interval result = compute(atom);
    known_.emplace(atom, result);
    return result;
  }

  Interval compute(uint32_t index) const {
    const SizeTable::AtomNode& node = table_.atom(index);
    const Interval left = of(node.left), right = of(node.right);
    switch (node.kind) {
      case SizeTable::Atom::floor_divide: return of_quotient(left, right);
      case SizeTable::Atom::modulo: return of_remainder(left, right);
      case SizeTable::Atom::minimum: {
        Bound high = left.high ? left.high : right.high;
        if (left.high && right.high) high = std::min(*left.high, *right.high);
        return {left.low && right.low ? Bound(std::min(*left.low, *right.low)) : std::nullopt, high};
      }
      default: {
        Bound low = left.low ? left.low : right.low;
        if (left.low && right.low) low = std::max(*left.low, *right.low);
        return {low, left.high && right.high ? Bound(std::max(*left.high, *right.high)) : std::nullopt};
      }
    }
  }

  static Interval of_quotient(const Interval& left, const Interval& right) {
    if (!right.low || *right.low < 0) return {};
    if (*right.low >= 1) return divided(left, right);
    Interval result =
        divided(left, {1, right.high ? Bound(std::max<int64_t>(*right.high, 1)) : std::nullopt});
    if (result.low) result.low = std::min<int64_t>(*result.low, 0);  // a divisor of 0 gives 0
    if (result.high) result.high = std::max<int64_t>(*result.high, 0);
    return result;
  }

  static Interval of_remainder(const Interval& left, const Interval& right) {
    if (!right.low || *right.low < 0) return {};
    Bound high = right.high ? Bound(std::max<int64_t>(*right.high - 1, 0)) : std::nullopt;
    if (left.low >= Bound(0) && left.high) high = high ? std::min(*high, *left.high) : *left.high;
    return {0, high};
  }

  const SizeTable& table_;
  const std::function<int64_t(SymbolId)>& lower_;
  mutable std::map<uint32_t, Interval> known_;
};

}  // namespace

std::optional<int64_t> SizeTable::lower_bound(SizeId id,
                                              const std::function<int64_t(SymbolId)>& lower) const {
  return Bounds(*this, lower).of(id).low;
}

}  // namespace tessera::ir
