// SPDX-License-Identifier: Apache-2.0
// Boxes of stores, and their difference from the tensor's box.
#include "sema/prove/coverage.h"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>

#include "sema/ir/integer.h"

namespace tessera::sema {

namespace {

constexpr std::int64_t kResidueLimit = 64;       ///< product of strides that are told apart
constexpr std::int64_t kEnumerationLimit = 256;  ///< points of literal ranges that are tried one by one
constexpr std::size_t kBoxLimit = 256;           ///< parts of the tensor that are kept apart

constexpr std::size_t kPartsTold = 3;  ///< of what is left

/// base, base + stride, … `count` of them.
struct Progression {
  ir::SizeId base;
  std::int64_t stride = 1;
  ir::SizeId count;
};
using ProgressionBox = std::vector<Progression>;

/// Half open in each dimension.
struct Interval {
  ir::SizeId low, high;
};
using Box = std::vector<Interval>;

/// The elements that one store writes, as boxes.
class StoreBoxes {
 public:
  StoreBoxes(Prover& prover, const Store& store, std::vector<ProgressionBox>& boxes)
      : prover_(prover), sizes_(prover.kernel().sizes), store_(store), boxes_(boxes) {}

  /// False if what it writes has no description as boxes.
  bool collect() {
    for (const auto& index : store_.indices) {
      if (!index) return false;
    }
    Situation everywhere;
    if (try_whole(everywhere)) return true;
    absence_ = prover_.absence();
    const std::vector<ir::AxisId> literal = literal_axes();
    bool any = false;
    if (!literal.empty()) enumerate(literal, 0, everywhere, any);
    return described_;
  }

  const std::optional<Absence>& absence() const { return absence_; }

 private:
  /// One box for the whole store, where its value exists.
  bool try_whole(const Situation& situation) {
    const std::size_t mark = assume_coordinates(situation);
    std::map<ir::AxisId, Interval> bounds;
    bool found = prover_.exists(store_.write->value, situation);
    if (!found) found = trimmed(situation, bounds);
    prover_.facts().release(mark);
    return found && add_box(situation, bounds);
  }

  std::size_t assume_coordinates(const Situation& situation) {
    const std::size_t mark = prover_.facts().mark();
    for (const ir::AxisId axis : store_.axes) {
      if (situation.pins.contains(axis)) continue;
      const ir::SizeId extent = sizes_.subtract(prover_.upper(axis), prover_.lower(axis));
      prover_.facts().assume_nonnegative(sizes_.subtract(extent, sizes_.constant(1)));
    }
    return mark;
  }

  /// Where the value exists only for part of a range, as u[x - 1] does for x >= 1.
  bool trimmed(const Situation& situation, std::map<ir::AxisId, Interval>& bounds) {
    const std::optional<Absence> reason = prover_.absence();
    const auto conditions = prover_.conditions_of_existence(store_.write->value, situation);
    if (!conditions) return false;
    for (const ir::Affine& condition : *conditions) {
      if (condition.terms.size() != 1) return false;
      const auto& [axis, coefficient] = condition.terms[0];
      const auto sign = sizes_.as_constant(coefficient);
      if (sign != 1 && sign != -1) return false;
      Interval& interval =
          bounds.try_emplace(axis, Interval{prover_.lower(axis), prover_.upper(axis)}).first->second;
      if (sign == 1) {
        interval.low = sizes_.maximum(interval.low, sizes_.subtract(sizes_.constant(0), condition.offset));
      } else {
        interval.high = sizes_.minimum(interval.high, sizes_.add(condition.offset, sizes_.constant(1)));
      }
    }
    absence_ = reason;
    return true;
  }

  bool add_box(const Situation& situation, const std::map<ir::AxisId, Interval>& bounds) {
    ProgressionBox box;
    std::vector<ir::AxisId> used;
    for (const auto& plain : store_.indices) {
      const ir::Affine form = pinned(*plain, situation);
      for (const auto& [axis, coefficient] : form.terms) {
        const ir::AxisId base = prover_.base_axis(axis);
        if (std::find(used.begin(), used.end(), base) != used.end()) return not_described();  // a diagonal
        used.push_back(base);
      }
      const std::optional<Progression> progression = progression_of(form, bounds);
      if (!progression) return not_described();
      box.push_back(*progression);
    }
    boxes_.push_back(std::move(box));
    return true;
  }

  bool not_described() {
    described_ = false;
    return true;
  }

  ir::Affine pinned(const ir::Affine& form, const Situation& situation) {
    ir::Affine result{form.offset, {}};
    for (const auto& [axis, coefficient] : form.terms) {
      const auto pin = situation.pins.find(axis);
      if (pin == situation.pins.end()) {
        result.terms.emplace_back(axis, coefficient);
      } else {
        result.offset = sizes_.add(result.offset, sizes_.multiply(coefficient, pin->second));
      }
    }
    return result;
  }

  /// The values of an affine form: telescoping coefficients 1, E1, E1*E2, … times a constant stride.
  std::optional<Progression> progression_of(const ir::Affine& form,
                                            const std::map<ir::AxisId, Interval>& bounds) {
    if (form.terms.empty()) return Progression{form.offset, 1, sizes_.constant(1)};
    auto rest = form.terms;
    const auto smallest = std::find_if(rest.begin(), rest.end(), [&](const auto& term) {
      const auto stride = sizes_.as_constant(term.second);
      return stride && std::all_of(rest.begin(), rest.end(), [&](const auto& other) {
               const auto constant = sizes_.as_constant(other.second);
               return !constant || std::abs(*stride) <= std::abs(*constant);
             });
    });
    if (smallest == rest.end()) return std::nullopt;
    const std::int64_t stride = std::abs(*sizes_.as_constant(smallest->second));
    Progression result{form.offset, stride, sizes_.constant(1)};
    while (!rest.empty()) {
      const ir::SizeId wanted = sizes_.multiply(sizes_.constant(stride), result.count);
      const ir::SizeId negated = sizes_.subtract(sizes_.constant(0), wanted);
      const auto next = std::find_if(rest.begin(), rest.end(), [&](const auto& term) {
        return prover_.facts().equal(term.second, wanted) || prover_.facts().equal(term.second, negated);
      });
      if (next == rest.end()) return std::nullopt;
      const auto [axis, coefficient] = *next;
      const auto trimmed = bounds.find(axis);
      if (trimmed != bounds.end() && form.terms.size() > 1) return std::nullopt;
      const Interval interval =
          trimmed != bounds.end() ? trimmed->second : Interval{prover_.lower(axis), prover_.upper(axis)};
      const bool rising = prover_.facts().equal(coefficient, wanted);
      const ir::SizeId start = rising ? interval.low : sizes_.subtract(interval.high, sizes_.constant(1));
      result.base = sizes_.add(result.base, sizes_.multiply(coefficient, start));
      result.count = sizes_.multiply(result.count, sizes_.subtract(interval.high, interval.low));
      rest.erase(next);
    }
    result.base = prover_.facts().canonical(result.base);
    result.count = prover_.facts().canonical(result.count);
    return result;
  }

  /// Ranges with few literal coordinates, over which a condition may be decided point by point.
  std::vector<ir::AxisId> literal_axes() const {
    std::vector<ir::AxisId> axes;
    std::int64_t points = 1;
    for (const ir::AxisId id : store_.axes) {
      const ir::Axis& axis = prover_.kernel().axes[id];
      const auto low = sizes_.as_constant(axis.lower), high = sizes_.as_constant(axis.upper);
      if (!low || !high || *high <= *low || points * (*high - *low) > kEnumerationLimit) continue;
      points *= *high - *low;
      axes.push_back(id);
    }
    return axes;
  }

  void enumerate(const std::vector<ir::AxisId>& axes, std::size_t position, Situation& situation, bool& any) {
    if (position == axes.size()) {
      any = try_whole(situation) || any;
      return;
    }
    const ir::Axis& axis = prover_.kernel().axes[axes[position]];
    const std::int64_t low = *sizes_.as_constant(axis.lower), high = *sizes_.as_constant(axis.upper);
    for (std::int64_t i = low; i < high; ++i) {
      situation.pins[axes[position]] = sizes_.constant(i);
      enumerate(axes, position + 1, situation, any);
    }
    situation.pins.erase(axes[position]);
  }

  Prover& prover_;
  ir::SizeTable& sizes_;
  const Store& store_;
  std::vector<ProgressionBox>& boxes_;
  std::optional<Absence> absence_;
  bool described_ = true;
};

/// What boxes leave of a tensor, residue class by residue class.
class Remainder {
 public:
  Remainder(Prover& prover, const ir::Tensor& tensor, const std::vector<ProgressionBox>& boxes)
      : prover_(prover), sizes_(prover.kernel().sizes), tensor_(tensor), boxes_(boxes) {}

  /// What is left of one residue class, as text; of one that no store touches, if there is any.
  std::optional<std::string> find() {
    choose_moduli();
    std::vector<std::int64_t> residues(tensor_.dims.size(), 0);
    find_in_classes(residues, 0);
    return untouched_ ? untouched_ : touched_;
  }

 private:
  void choose_moduli() {
    std::int64_t product = 1;
    for (std::size_t d = 0; d < tensor_.dims.size(); ++d) {
      std::int64_t modulus = 1;
      for (const ProgressionBox& box : boxes_)
        modulus = std::lcm(modulus, std::min(box[d].stride, kResidueLimit + 1));
      if (product * modulus > kResidueLimit) modulus = 1;  // strided stores then count for nothing
      product *= modulus;
      moduli_.push_back(modulus);
    }
  }

  void find_in_classes(std::vector<std::int64_t>& residues, std::size_t d) {
    if (d == residues.size()) return find_in_class(residues);
    for (residues[d] = 0; residues[d] < moduli_[d] && !untouched_; ++residues[d])
      find_in_classes(residues, d + 1);
  }

  /// Number of coordinates below `bound` in a residue class: ceil((bound - r) / m).
  ir::SizeId below(ir::SizeId bound, std::int64_t modulus, std::int64_t residue) {
    if (modulus == 1) return bound;
    const ir::SizeId shifted = sizes_.add(bound, sizes_.constant(modulus - 1 - residue));
    return sizes_.floor_divide(shifted, sizes_.constant(modulus));
  }

  void find_in_class(const std::vector<std::int64_t>& residues) {
    Box whole;
    for (std::size_t d = 0; d < residues.size(); ++d) {
      const ir::SizeId extent = prover_.facts().canonical(tensor_.dims[d]);
      whole.push_back({sizes_.constant(0), below(extent, moduli_[d], residues[d])});
    }
    std::vector<Box> left{whole};
    bool touched = false;
    for (const ProgressionBox& progressions : boxes_) {
      const std::optional<Box> box = in_class(progressions, residues);
      if (!box) continue;
      touched = true;
      std::vector<Box> rest;
      for (const Box& part : left) subtract(part, *box, rest);
      if (rest.size() <= kBoxLimit) left = std::move(rest);
      if (left.empty()) return;
    }
    std::erase_if(left, [this](const Box& part) { return empty(part); });
    if (left.empty()) return;
    auto& target = touched ? touched_ : untouched_;
    if (!target) target = spell(left, whole, residues);
  }

  std::string spell(const std::vector<Box>& parts, const Box& whole,
                    const std::vector<std::int64_t>& residues) {
    std::string text;
    for (std::size_t i = 0; i < std::min(parts.size(), kPartsTold); ++i)
      text += (i == 0 ? "" : ", ") + spell(parts[i], whole, residues);
    return parts.size() > kPartsTold ? text + ", …" : text;
  }

  std::optional<Box> in_class(const ProgressionBox& progressions, const std::vector<std::int64_t>& residues) {
    Box box;
    for (std::size_t d = 0; d < residues.size(); ++d) {
      const Progression& p = progressions[d];
      const std::int64_t modulus = moduli_[d];
      if (modulus % p.stride != 0) return std::nullopt;
      if (p.stride > 1) {
        const auto first = sizes_.as_constant(sizes_.modulo(p.base, sizes_.constant(p.stride)));
        if (!first) return std::nullopt;
        if (*first != residues[d] % p.stride) return std::nullopt;
      }
      const ir::SizeId steps = sizes_.multiply(sizes_.constant(p.stride), p.count);
      // The end lies one stride behind the last element; anything in between bounds the class alike.
      const ir::SizeId end = sizes_.add(p.base, steps);
      box.push_back({below(p.base, modulus, residues[d]), below(end, modulus, residues[d])});
    }
    return box;
  }

  bool empty(const Box& box) {
    return std::any_of(box.begin(), box.end(), [&](const Interval& interval) {
      return prover_.facts().at_most(interval.high, interval.low);
    });
  }

  /// Appends what `box` leaves of `part`. Bounds that cannot be compared leave more than there is, never less.
  void subtract(const Box& part, const Box& box, std::vector<Box>& rest) {
    Box inner = part;
    for (std::size_t d = 0; d < part.size(); ++d) {
      if (!prover_.facts().at_most(box[d].low, part[d].low)) {
        Box before = inner;
        before[d] = {part[d].low, box[d].low};
        if (prover_.facts().at_most(part[d].high, box[d].low)) before[d] = part[d];
        if (!empty(before)) rest.push_back(before);
        inner[d].low = box[d].low;
      }
      if (!prover_.facts().at_most(part[d].high, box[d].high)) {
        Box after = inner;
        after[d] = {box[d].high, part[d].high};
        if (prover_.facts().at_most(box[d].high, part[d].low)) after[d] = part[d];
        if (!empty(after)) rest.push_back(after);
        inner[d].high = box[d].high;
      }
    }
  }

  std::string spell(const Box& part, const Box& whole, const std::vector<std::int64_t>& residues) {
    std::string text;
    for (std::size_t d = 0; d < part.size(); ++d) {
      text += (d == 0 ? "" : ", ") + spell(part[d], whole[d], moduli_[d], residues[d]);
    }
    return "[" + text + "]";
  }

  std::string spell(const Interval& interval, const Interval& whole, std::int64_t modulus,
                    std::int64_t residue) {
    const bool all = interval.low == whole.low && interval.high == whole.high;
    if (modulus > 1) {
      const std::string members = fmt::format("{}, {}, ..", residue, residue + modulus);
      return all ? members : "part of " + members;
    }
    if (all) return "..";
    const std::string low = spell(interval.low);
    const bool single = sizes_.subtract(interval.high, interval.low) == sizes_.constant(1);
    return single ? low : fmt::format("{} .. {}", low, spell(interval.high));
  }

  std::string spell(ir::SizeId size) {
    return sizes_.spell(size, [this](ir::SymbolId symbol) { return prover_.kernel().symbols[symbol].name; });
  }

  Prover& prover_;
  ir::SizeTable& sizes_;
  const ir::Tensor& tensor_;
  const std::vector<ProgressionBox>& boxes_;
  std::vector<std::int64_t> moduli_;
  std::optional<std::string> untouched_, touched_;  ///< what is left of the first class of either kind
};

}  // namespace

std::optional<Uncovered> find_uncovered(Prover& prover, ir::TensorId tensor,
                                        const std::vector<Store>& stores) {
  std::vector<ProgressionBox> boxes;
  Uncovered result;
  for (const Store& store : stores) {
    StoreBoxes collector(prover, store, boxes);
    if (!collector.collect() && result.not_a_box == nullptr) result.not_a_box = &store;
    if (collector.absence() && !result.absence) {
      result.absence = collector.absence();
      result.store = &store;
    }
  }
  const std::optional<std::string> left = Remainder(prover, prover.kernel().tensors[tensor], boxes).find();
  if (!left) return std::nullopt;
  result.elements = *left;
  return result;
}

}  // namespace tessera::sema
