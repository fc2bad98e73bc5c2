// SPDX-License-Identifier: Apache-2.0
// Decoding: from an element's indices back to the coordinates of the grid.
#include "sema/prove/injectivity.h"

#include <map>
#include <numeric>
#include <set>

namespace tessera::sema {

namespace {

using AxisSet = std::set<ir::AxisId>;

class Decoder {
 public:
  explicit Decoder(Prover& prover) : prover_(prover), sizes_(prover.kernel().sizes) {}

  /// The axes that the given dimensions determine. An axis is determined when all others of its index that are not
  /// determined yet move the index by less than one of its own steps.
  AxisSet determined(const std::vector<const ir::Affine*>& forms) {
    AxisSet known;
    for (bool progress = true; progress;) {
      progress = false;
      for (const ir::Affine* form : forms) {
        for (const auto& [axis, coefficient] : form->terms) {
          if (!known.contains(axis) && outweighs(*form, axis, coefficient, known)) {
            known.insert(axis);
            progress = true;
          }
        }
      }
    }
    return known;
  }

  bool trivial(ir::AxisId axis) {
    const ir::SizeId extent = sizes_.subtract(prover_.upper(axis), prover_.lower(axis));
    return prover_.facts().at_most(extent, sizes_.constant(1));
  }

 private:
  /// |coefficient| > Σ |c| (extent - 1) over the other unknown axes of the form.
  bool outweighs(const ir::Affine& form, ir::AxisId axis, ir::SizeId coefficient, const AxisSet& known) {
    const std::optional<ir::SizeId> weight = magnitude(coefficient);
    if (!weight) return false;
    ir::SizeId room = sizes_.subtract(*weight, sizes_.constant(1));
    std::vector<ir::AxisId> involved{axis};
    for (const auto& [other, other_coefficient] : form.terms) {
      if (other == axis || known.contains(other)) continue;
      const std::optional<ir::SizeId> other_weight = magnitude(other_coefficient);
      if (!other_weight) return false;
      const ir::SizeId extent = sizes_.subtract(prover_.upper(other), prover_.lower(other));
      const ir::SizeId span = sizes_.multiply(*other_weight, sizes_.subtract(extent, sizes_.constant(1)));
      room = sizes_.subtract(room, span);
      involved.push_back(other);
    }
    // Both points exist, so the ranges are not empty.
    const std::size_t mark = prover_.facts().mark();
    for (const ir::AxisId id : involved) {
      const ir::SizeId extent = sizes_.subtract(prover_.upper(id), prover_.lower(id));
      prover_.facts().assume_nonnegative(sizes_.subtract(extent, sizes_.constant(1)));
    }
    const bool result = prover_.facts().nonnegative(room);
    prover_.facts().release(mark);
    return result;
  }

  std::optional<ir::SizeId> magnitude(ir::SizeId coefficient) {
    if (prover_.facts().nonnegative(coefficient)) return coefficient;
    const ir::SizeId negated = sizes_.subtract(sizes_.constant(0), coefficient);
    if (prover_.facts().nonnegative(negated)) return negated;
    return std::nullopt;
  }

  Prover& prover_;
  ir::SizeTable& sizes_;
};

/// One of the ranges that is not determined, if there is one. The number of a tile determines the tile.
std::optional<ir::AxisId> missing_axis(Prover& prover, const std::vector<ir::AxisId>& axes,
                                       const std::vector<const ir::Affine*>& forms) {
  Decoder decoder(prover);
  const AxisSet known = decoder.determined(forms);
  for (const ir::AxisId axis : axes) {
    if (!known.contains(axis) && !known.contains(prover.tile_axis(axis)) && !decoder.trivial(axis))
      return axis;
  }
  return std::nullopt;
}

/// 2*i and 2*j + 1: the constant coefficients' common divisor separates them.
bool residues_differ(Prover& prover, const ir::Affine& a, const ir::Affine& b) {
  ir::SizeTable& sizes = prover.kernel().sizes;
  std::int64_t divisor = 0;
  for (const ir::Affine* form : {&a, &b}) {
    for (const auto& [axis, coefficient] : form->terms) {
      const auto constant = sizes.as_constant(coefficient);
      if (!constant) return false;
      divisor = std::gcd(divisor, *constant);
    }
  }
  if (divisor <= 1) return false;
  const auto distance = sizes.as_constant(prover.facts().canonical(sizes.subtract(a.offset, b.offset)));
  return distance && *distance % divisor != 0;
}

/// True if the residues or the intervals of two indices cannot meet.
bool disjoint(Prover& prover, const ir::Affine& a, const ir::Affine& b) {
  ir::SizeTable& sizes = prover.kernel().sizes;
  const auto extreme = [&](const ir::Affine& form, bool greatest) -> std::optional<ir::SizeId> {
    ir::SizeId result = form.offset;
    for (const auto& [axis, coefficient] : form.terms) {
      const bool rising = prover.facts().nonnegative(coefficient);
      if (!rising && !prover.facts().nonnegative(sizes.subtract(sizes.constant(0), coefficient)))
        return std::nullopt;
      const ir::SizeId last = sizes.subtract(prover.upper(axis), sizes.constant(1));
      result = sizes.add(result, sizes.multiply(coefficient, rising == greatest ? last : prover.lower(axis)));
    }
    return result;
  };
  const auto before = [&](const ir::Affine& low, const ir::Affine& high) {
    const auto last = extreme(low, true), first = extreme(high, false);
    return last && first && prover.facts().at_most(sizes.add(*last, sizes.constant(1)), *first);
  };
  return residues_differ(prover, a, b) || before(a, b) || before(b, a);
}

/// Equal as functions of the grid's coordinates; other ranges may differ, as each store has its own.
bool alike(Prover& prover, const ir::Affine& a, const ir::Affine& b) {
  if (!prover.facts().equal(a.offset, b.offset) || a.terms.size() != b.terms.size()) return false;
  for (std::size_t i = 0; i < a.terms.size(); ++i) {
    if (a.terms[i].first != b.terms[i].first) return false;
    if (!prover.facts().equal(a.terms[i].second, b.terms[i].second)) return false;
  }
  return true;
}

/// Whether an index of both is a number, and not the same. Looked at first: what is unrolled has thousands of pairs of
/// stores, which mostly differ so.
bool numbers_differ(Prover& prover, const Store& a, const Store& b) {
  const ir::SizeTable& sizes = prover.kernel().sizes;
  for (std::size_t i = 0; i < a.indices.size(); ++i) {
    const auto& left = a.indices[i];
    const auto& right = b.indices[i];
    if (!left || !right || !left->terms.empty() || !right->terms.empty()) continue;
    const auto number = sizes.as_constant(left->offset), other = sizes.as_constant(right->offset);
    if (number && other && *number != *other) return true;
  }
  return false;
}

}  // namespace

std::optional<ir::AxisId> undetermined_axis(Prover& prover, const std::vector<ir::AxisId>& axes,
                                            const Store& store) {
  std::vector<const ir::Affine*> forms;
  for (const auto& form : store.indices) {
    if (form) forms.push_back(&*form);
  }
  return missing_axis(prover, axes, forms);
}

std::vector<const Store*> stores_to_pair(const std::vector<Store>& stores) {
  std::map<std::vector<std::optional<ir::Affine>>, int> count;
  std::vector<const Store*> result;
  for (const Store& store : stores)
    if (++count[store.indices] <= 2) result.push_back(&store);
  return result;
}

bool stores_are_disjoint(Prover& prover, const Store& a, const Store& b) {
  if (numbers_differ(prover, a, b)) return true;
  for (std::size_t i = 0; i < a.indices.size(); ++i) {
    if (a.indices[i] && b.indices[i] && disjoint(prover, *a.indices[i], *b.indices[i])) return true;
  }
  return false;
}

bool stores_are_compatible(Prover& prover, const ir::Grid& grid, const Store& a, const Store& b) {
  if (numbers_differ(prover, a, b)) return true;
  std::vector<const ir::Affine*> common;
  for (std::size_t i = 0; i < a.indices.size(); ++i) {
    if (!a.indices[i] || !b.indices[i]) continue;
    if (disjoint(prover, *a.indices[i], *b.indices[i])) return true;
    if (alike(prover, *a.indices[i], *b.indices[i])) common.push_back(&*a.indices[i]);
  }
  return !missing_axis(prover, grid.axes, common);
}

}  // namespace tessera::sema
