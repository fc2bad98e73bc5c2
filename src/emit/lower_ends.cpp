// SPDX-License-Identifier: Apache-2.0
// Where loops begin and end because of conditions: a round in which `t <= s` holds for no s at hand computes nothing, so
// t ends at the last s. A condition is affine, so the least and greatest coordinates around decide.
#include <algorithm>

#include "emit/lower_function.h"
#include "emit/print.h"
#include "sema/ir/without_points.h"

namespace tessera::emit {

using lowered::Expr;

namespace {

Expr less_one(const Expr& value) { return lowered::add(value, lowered::integer(-1)); }

/// The larger of two coordinates, or the smaller one; one of them itself where both are numbers.
Expr extremum(bool largest, const Expr& a, const Expr& b) {
  const auto left = lowered::constant_of(a), right = lowered::constant_of(b);
  if (left && right) return (*left >= *right) == largest ? a : b;
  return lowered::call(largest ? "maximum" : "minimum", {a, b}, DType::index);
}

}  // namespace

// The least and the greatest coordinate of an axis at this place in the program.
std::pair<Expr, Expr> FunctionLowering::reach_of(ir::AxisId axis) {
  const Lane* lane = phase_.lane_of(axis);
  if (is_bound(axis)) {
    const Expr here = coordinate(axis);
    const bool at_element =
        std::any_of(scopes_.begin(), scopes_.end(), [](const Scope& s) { return s.is_elements; });
    if (!lane || !has_vectors() || at_element) return {here, here};
    return {here, less_one(lowered::add(here, lowered::name("kVector", DType::index)))};
  }
  const Expr lower = lower_bound(axis), upper = upper_bound(axis);
  const Range range = range_of(axis);
  if (print(range.first) == print(lower) && print(range.end) == print(upper)) return {lower, less_one(upper)};
  // Vectors may begin before the tile.
  const bool ragged = lane && function_plan_.ragged;
  const Expr least =
      ragged ? lowered::binary("-", range.first, lowered::name(kOverhang, DType::index), DType::index)
             : range.first;
  if (print(range.end) != print(upper)) return {least, less_one(range.end)};
  const auto unit =
      std::find_if(units_.begin(), units_.end(), [&](const UnitAxis& u) { return u.axis == axis; });
  const Expr tile = unit != units_.end() ? tile_of(*unit) : lowered::name(kChunk, DType::index);
  return {least, less_one(lowered::add(range.first, tile))};
}

// sign · (form without `axis`) where the form times `direction` is greatest; null where a coefficient has no known sign.
Expr FunctionLowering::rest_of(const ir::Affine& form, ir::AxisId axis, int64_t direction, int64_t sign) {
  Expr sum = size(plan_.sizes.multiply(form.offset, plan_.sizes.constant(sign)));
  for (const auto& [other, coefficient] : form.terms) {
    if (other == axis) continue;
    const auto factor = plan_.sizes.as_constant(coefficient);
    if (!factor) return nullptr;
    const auto [least, greatest] = reach_of(other);
    const Expr at = *factor * direction > 0 ? greatest : least;
    sum = lowered::add(lowered::multiply(lowered::integer(*factor * sign), at), sum);
  }
  return sum;
}

// direction · form >= 0 for some of the other coordinates at hand bounds `axis` from one side.
void FunctionLowering::bound_by(const ir::Affine& form, ir::AxisId axis, int64_t direction, Range& range) {
  const auto coefficient = plan_.sizes.as_constant(*form.coefficient(axis));
  if (!coefficient) return;
  const int64_t factor = *coefficient * direction, width = std::abs(factor);
  const bool ends = factor < 0;  // width · axis <= rest; otherwise width · axis >= -rest
  const Expr rest = rest_of(form, axis, direction, ends ? direction : -direction);
  if (!rest) return;
  const Expr rounded = ends ? rest : lowered::add(rest, lowered::integer(width - 1));
  const Expr bound = width == 1
                         ? rounded
                         : lowered::call("integer::divide", {rounded, lowered::integer(width)}, DType::index);
  if (ends) {
    range.end = extremum(false, range.end, lowered::add(bound, lowered::integer(1)));
  } else {
    range.first = extremum(true, range.first, bound);
  }
}

Range FunctionLowering::ends_by(const std::vector<ir::Conjunct>& conjuncts, ir::AxisId axis, Range range) {
  for (const ir::Conjunct& conjunct : conjuncts) {
    bound_by(conjunct.form, axis, 1, range);
    if (conjunct.sign == ir::Sign::zero) bound_by(conjunct.form, axis, -1, range);
  }
  return range;
}

// Rounds of a loop that may have an effect; whole tiles, so that these lie where they would.
Range FunctionLowering::rounds_of(const ir::Loop& statement, const std::string& step) {
  const ir::AxisId axis = statement.axis;
  const Range all{lower_bound(axis), upper_bound(axis)};
  Range range = ends_by(ir::ends_of_loop(kernel_, plan_.sizes, statement), axis, all);
  if (range.first != all.first) {
    Expr first = range.first;
    if (step != "1") {
      const Expr width = lowered::name(step, DType::index);
      const Expr distance =
          lowered::constant_of(all.first) == 0 ? first : lowered::binary("-", first, all.first, DType::index);
      const Expr tiles = lowered::binary("/", distance, width, DType::index);
      first = lowered::add(all.first, lowered::binary("*", tiles, width, DType::index));
    }
    range.first = named_end(axis, "_begin", first);
  }
  if (range.end != all.end) range.end = named_end(axis, "_stop", range.end);
  return range;
}

Expr FunctionLowering::named_end(ir::AxisId axis, const char* suffix, const Expr& value) {
  const std::string name = named(lowercase(kernel_.axes[axis].name) + suffix);
  emit(lowered::Local{"index", name, {}, value, true, false});
  return lowered::name(name, DType::index);
}

// Coordinates of a loop inside a thread at which one of the folded values may exist.
Range FunctionLowering::terms_of(ir::AxisId axis, const std::vector<ir::ValueId>& folded) {
  Range all = range_of(axis);
  std::optional<std::vector<ir::Conjunct>> common;
  for (ir::ValueId value : folded) {
    const auto [entry, is_new] = ends_.try_emplace({value, axis});
    std::vector<ir::Conjunct>& ends = entry->second;
    if (is_new) ends = ir::ends_of_value(kernel_, plan_.sizes, value, axis);
    if (!common) common = ends;
    std::erase_if(*common, [&](const ir::Conjunct& conjunct) {
      return std::find(ends.begin(), ends.end(), conjunct) == ends.end();
    });
  }
  if (!common) return all;
  Range range = ends_by(*common, axis, all);
  if (range.first != all.first) range.first = named_end(axis, "_begin", range.first);
  if (range.end != all.end) range.end = named_end(axis, "_stop", range.end);
  return range;
}

}  // namespace tessera::emit
