// SPDX-License-Identifier: Apache-2.0
// Which elements of tiles exist: those before the ends of axes, where filters hold, and of folds those that had elements.
#include <fmt/format.h>

#include <algorithm>

#include "emit/naming.h"
#include "emit/tile_lowering.h"
#include "sema/ir/conjunct.h"
#include "sema/ir/operands.h"

namespace tessera::emit {

using lowered::Expr;

// A value exists where all of these do or hold: conditions of filters, folds, and whatever else decides by itself.
std::set<ir::ValueId> TileLowering::sources_of(ir::ValueId id) const {
  std::set<ir::ValueId> sources;
  ir::for_each_below(kernel_, {id}, [&](ir::ValueId below) {
    const ir::Value& value = kernel_.values[below];
    if (value.total) return false;
    const auto* filter = std::get_if<ir::Filter>(&value.op);
    if (filter) sources.insert(filter->condition);
    const bool is_strict = filter || std::holds_alternative<ir::Unary>(value.op) ||
                           std::holds_alternative<ir::Binary>(value.op) ||
                           std::holds_alternative<ir::FusedMultiplyAdd>(value.op) ||
                           std::holds_alternative<ir::Math>(value.op) ||
                           std::holds_alternative<ir::Cast>(value.op);
    if (!is_strict) sources.insert(below);
    return is_strict;
  });
  return sources;
}

bool TileLowering::is_condition(ir::ValueId source) const {
  return is_bool(kernel_.values[source].dtype) && kernel_.values[source].total;
}

// In whole tiles a fold has elements if all conditions on them hold.
bool TileLowering::is_known(ir::ValueId source) const {
  if (holding_.contains(source)) return true;
  const auto* reduce = std::get_if<ir::Reduce>(&kernel_.values[source].op);
  if (!reduce || !std::ranges::all_of(reduce->axes, [&](ir::AxisId axis) { return whole_.contains(axis); }))
    return false;
  return std::ranges::all_of(sources_of(reduce->operand), [&](ir::ValueId below) { return is_known(below); });
}

Expr TileLowering::exists_of(ir::ValueId id) {
  Expr result;
  for (ir::ValueId source : sources_of(id)) {
    if (is_known(source)) continue;
    const auto held = held_.find(source);
    if (held != held_.end()) {
      HeldTile flags = held->second;
      flags.name = flags.exists;
      flags.type = DType::boolean;
      if (!flags.name.empty()) result = lowered::conjunction(result, element_of(flags));
    } else {
      const Evaluated evaluated = eval(source);
      result = lowered::conjunction(result, is_condition(source) ? evaluated.value : evaluated.exists);
    }
  }
  return result;
}

// A condition is affine, so the least of its forms in the tiles at hand decides; null if it does not say so.
Expr TileLowering::holds_everywhere(ir::ValueId condition) {
  std::vector<ir::Conjunct> conjuncts;
  if (!ir::append_conjuncts(kernel_, plan_.sizes, condition, conjuncts)) return nullptr;
  Expr result;
  for (const ir::Conjunct& conjunct : conjuncts) {
    if (conjunct.sign != ir::Sign::at_least_zero || conjunct.modulus != 0) return nullptr;
    Expr most_negative = lowered::integer(0), least_positive = size(conjunct.form.offset);
    for (const auto& [axis, coefficient] : conjunct.form.terms) {
      const auto factor = plan_.sizes.as_constant(coefficient);
      if (!factor) return nullptr;
      const auto [low, high] = reach_of(axis);
      const Expr term = lowered::multiply(lowered::integer(std::abs(*factor)), *factor > 0 ? low : high);
      Expr& side = *factor > 0 ? least_positive : most_negative;
      side = lowered::add(term, side);
    }
    for (const auto& [scalar, coefficient] : conjunct.scalars) {
      const ir::Scalar& entry = kernel_.scalars[scalar];
      const Expr at = lowered::name(safe_name(entry.name), entry.dtype);
      least_positive = lowered::add(lowered::multiply(size(coefficient), at), least_positive);
    }
    result =
        lowered::conjunction(result, lowered::binary("<=", most_negative, least_positive, DType::boolean));
  }
  return result;
}

void TileLowering::for_whole_and_cut(const std::vector<ir::AxisId>& axes, ir::ValueId value,
                                     const std::function<void()>& body) {
  Expr is_whole;
  std::set<ir::ValueId> conditions;
  for (ir::AxisId axis : axes) {
    const auto count = counts_.find(axis);
    if (count == counts_.end() || whole_.contains(axis)) continue;
    const std::string text = fmt::format("{} == {}", count->second, extents_.at(axis));
    is_whole = lowered::conjunction(is_whole, lowered::name(text, DType::boolean));
  }
  for (ir::ValueId source : sources_of(value)) {
    if (!is_condition(source) || is_known(source)) continue;
    const Expr holds = holds_everywhere(source);
    if (!holds) continue;  // it is asked of each element
    conditions.insert(source);
    is_whole = lowered::conjunction(is_whole, holds);
  }
  const AxisSet outer = whole_;
  whole_.insert(axes.begin(), axes.end());
  if (!is_whole) {
    body();
    whole_ = outer;
    return;
  }
  holding_.insert(conditions.begin(), conditions.end());
  lowered::Block whole = apart(body);
  for (ir::ValueId condition : conditions) holding_.erase(condition);
  whole_ = outer;
  lowered::Block cut = apart(body);
  emit(lowered::If{is_whole, std::move(whole), "", false, std::move(cut)});
}

// Statements in a scope of their own, handed over instead of written here.
lowered::Block TileLowering::apart(const std::function<void()>& body) {
  lowered::Block block;
  scope(
      Scope{},
      [&](lowered::Block inner) -> Node {
        block = std::move(inner);
        return lowered::Comment{};
      },
      body);
  scopes_.back().block->pop_back();
  return block;
}

// The least and the greatest coordinate of an axis in the tiles at hand; the greatest may lie behind the end.
std::pair<Expr, Expr> TileLowering::reach_of(ir::AxisId axis) {
  if (is_bound(axis) && !extents_.contains(axis)) return {coordinate(axis), coordinate(axis)};
  const Range range = range_of(axis);
  if (!extents_.contains(axis)) return {range.first, lowered::add(range.end, lowered::integer(-1))};
  return {range.first, lowered::add(lowered::add(range.first, extent(axis)), lowered::integer(-1))};
}

}  // namespace tessera::emit
