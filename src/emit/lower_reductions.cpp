// SPDX-License-Identifier: Apache-2.0
// Reductions: across the threads of a group, in one sweep for all that can share it, or inside a thread.
#include <fmt/format.h>

#include <algorithm>

#include "emit/lower_function.h"
#include "emit/reductions.h"
#include "sema/ir/extents.h"

namespace tessera::emit {

using lowered::Expr;

namespace {

bool is_selection(ir::ReduceOp op) {
  return is_argument(op) || op == ir::ReduceOp::max || op == ir::ReduceOp::min;
}

Expr functor_of(ir::ReduceOp op) { return lowered::name(functor(op), DType::index); }

Expr unit_of(ir::ReduceOp op, DType type) {
  const bool greatest = op == ir::ReduceOp::min || op == ir::ReduceOp::argmin;
  if (is_selection(op))
    return lowered::name(fmt::format("{}<{}>()", greatest ? "highest" : "lowest", type_name(type)), type);
  const bool one = op == ir::ReduceOp::prod || op == ir::ReduceOp::all;
  return lowered::literal({.real = one ? 1.0 : 0.0, .integer = one ? 1 : 0}, type);
}

Expr indexed(Expr value, Expr position) {
  std::string type = fmt::format("Indexed<{}>", type_name(value->type));
  return lowered::braces(std::move(type), {std::move(value), std::move(position)});
}

}  // namespace

// The number of elements that provably exist is the extent of what is crossed.
bool FunctionLowering::is_known_count(const ir::Reduce& op) const {
  return op.op == ir::ReduceOp::count && crosses_everything(op);
}

// Whether an element exists at each coordinate of what is crossed.
bool FunctionLowering::crosses_everything(const ir::Reduce& op) const {
  return kernel_.values[op.operand].total &&
         std::all_of(op.axes.begin(), op.axes.end(),
                     [&](ir::AxisId axis) { return kernel_.axes[axis].kind == ir::AxisKind::let; });
}

// Whether what is crossed has any coordinate.
Expr FunctionLowering::crosses_something(const ir::Reduce& op) {
  Expr result;
  for (ir::AxisId axis : op.axes)
    result = lowered::conjunction(result,
                                  lowered::binary("<", lower_bound(axis), upper_bound(axis), DType::boolean));
  return result;
}

const Lane* FunctionLowering::crossed_lane(const ir::Reduce& op) const {
  if (is_known_count(op)) return nullptr;
  for (ir::AxisId axis : op.axes)
    if (const Lane* lane = phase_.lane_of(axis)) return lane;
  return nullptr;
}

// How many reductions across the group lie below a value: those of one level can share a sweep.
int FunctionLowering::level_of(ir::ValueId id) const {
  if (const auto found = levels_.find(id); found != levels_.end()) return found->second;
  int level = 0;
  for (ir::ValueId operand : ir::operands_of(kernel_.values[id].op))
    level = std::max(level, level_of(operand));
  if (const auto* reduce = std::get_if<ir::Reduce>(&kernel_.values[id].op); reduce && crossed_lane(*reduce))
    ++level;
  return levels_[id] = level;
}

std::vector<ir::ValueId> FunctionLowering::fused_with(ir::ValueId id, size_t target) {
  const Lane* lane = crossed_lane(std::get<ir::Reduce>(kernel_.values[id].op));
  std::vector<ir::ValueId> result;
  for (const auto& [other, dependence] : analysis_.dependence) {
    const auto* reduce = std::get_if<ir::Reduce>(&kernel_.values[other].op);
    if (!reduce || crossed_lane(*reduce) != lane || level_of(other) != level_of(id)) continue;
    const bool has_copies = std::any_of(dependence.axes.begin(), dependence.axes.end(),
                                        [&](ir::AxisId axis) { return phase_.role(axis) == Role::unrolled; });
    // What varies along a loop that is not open belongs to that loop, though no scope here says so.
    const bool stands_here = std::all_of(dependence.axes.begin(), dependence.axes.end(),
                                         [&](ir::AxisId axis) { return is_bound(axis); });
    const bool same_place = !has_copies && stands_here && defined_.contains(other) &&
                            scope_of(other) == target && !(by_warps_ && reads_lane_state(other)) &&
                            !(is_holding_ && waits_for_held(other));
    if (other == id || (same_place && !scopes_[target].memo.contains(instance(other))))
      result.push_back(other);
  }
  return result;
}

FunctionLowering::Accumulator FunctionLowering::open_accumulator(ir::ValueId id, const char* array_extent) {
  const ir::Value& value = kernel_.values[id];
  const auto& op = std::get<ir::Reduce>(value.op);
  Accumulator result{id, &op, nullptr, nullptr};
  DType type = value.dtype;
  if (is_selection(op.op)) type = kernel_.values[op.operand].dtype;
  if (is_narrow_float(type)) type = DType::f32;
  const std::string name = named(name_for(id));
  std::vector<std::string> extents;
  if (array_extent) extents.push_back(array_extent);
  if (is_argument(op.op)) {
    const Expr start = lowered::list({unit_of(op.op, type), lowered::name("kNoPosition", DType::index)});
    emit(lowered::Local{fmt::format("Indexed<{}>", type_name(type)), name, extents,
                        array_extent ? nullptr : start, false, true},
         value.span);
  } else {
    emit(lowered::Local{type_name(type), name, extents, array_extent ? nullptr : unit_of(op.op, type), false,
                        true},
         value.span);
  }
  result.total = lowered::name(name, type);
  if (!value.total && is_selection(op.op) && crosses_everything(op)) {
    result.exists = crosses_something(op);
    result.exists_is_known = true;
  } else if (!value.total && is_selection(op.op)) {
    const std::string flag = named(name + "_exists");
    emit(lowered::Local{"bool", flag, extents, array_extent ? nullptr : lowered::boolean(false), false, true},
         value.span);
    result.exists = lowered::name(flag, DType::boolean);
  }
  if (array_extent) {
    const Expr item = lowered::name(item_, DType::index);
    const Expr start = is_argument(op.op)
                           ? indexed(unit_of(op.op, type), lowered::name("kNoPosition", DType::index))
                           : unit_of(op.op, type);
    loop(fmt::format("int {0} = 0; {0} < kVector; ++{0}", item_), true, Scope{}, [&] {
      emit(lowered::Assign{lowered::element(result.total, item, type), "=", start});
      if (result.exists && !result.exists_is_known)
        emit(lowered::Assign{lowered::element(result.exists, item, DType::boolean), "=",
                             lowered::boolean(false)});
    });
    result.total = lowered::element(result.total, item, type);
    if (result.exists && !result.exists_is_known)
      result.exists = lowered::element(result.exists, item, DType::boolean);
  }
  return result;
}

// Folds the operand at the current point into the running result, if it exists.
void FunctionLowering::accumulate(const Accumulator& accumulator) {
  const ir::Reduce& op = *accumulator.reduce;
  const Span span = kernel_.values[accumulator.value].span;
  Evaluated operand = eval(op.operand);
  if (operand.exists && lowered::constant_of(operand.exists) == 0) return;
  const DType type = accumulator.total->type;
  Expr value = op.op == ir::ReduceOp::count ? lowered::integer(1) : as_stored(as_float(operand), type);
  Expr exists = operand.exists;
  // Across the lane, elements beyond its ends count as the unit of the reduction.
  if (const Expr has = crossed_lane(op) ? has_element() : nullptr) {
    if (exists || is_argument(op.op)) {
      exists = lowered::conjunction(has, exists);
    } else {
      value = lowered::with_vector_form(lowered::ternary(has, value, unit_of(op.op, type)));
    }
  }
  guard(exists, "", [&] {
    if (is_argument(op.op)) {
      const Expr candidate = indexed(value, coordinate(op.axes[0]));
      emit(lowered::Assign{accumulator.total, "=",
                           lowered::call(functor(op.op), {accumulator.total, candidate}, type)},
           span);
    } else if (op.op == ir::ReduceOp::max || op.op == ir::ReduceOp::min) {
      emit(lowered::Assign{accumulator.total, "=",
                           lowered::call(op.op == ir::ReduceOp::max ? "maximum" : "minimum",
                                         {accumulator.total, value}, type)},
           span);
    } else if (op.op == ir::ReduceOp::any || op.op == ir::ReduceOp::all) {
      emit(lowered::Assign{accumulator.total, "=",
                           lowered::binary(op.op == ir::ReduceOp::any ? "||" : "&&", accumulator.total, value,
                                           type)},
           span);
    } else if (is_float(type) || type == DType::index) {
      emit(lowered::Assign{accumulator.total, op.op == ir::ReduceOp::prod ? "*=" : "+=", value}, span);
    } else {
      emit(lowered::Assign{accumulator.total, "=",
                           lowered::call(op.op == ir::ReduceOp::prod ? "integer::multiply" : "integer::add",
                                         {accumulator.total, value}, type)},
           span);
    }
    if (accumulator.exists && !accumulator.exists_is_known)
      emit(lowered::Assign{accumulator.exists, "=", lowered::boolean(true)}, span);
  });
}

void FunctionLowering::combine(const Accumulator& accumulator) {
  const Span span = kernel_.values[accumulator.value].span;
  const char* reduce = by_warps_ ? "team.reduce_in_warp" : "team.reduce";
  emit(lowered::Assign{accumulator.total, "=",
                       lowered::call(reduce, {functor_of(accumulator.reduce->op), accumulator.total},
                                     accumulator.total->type)},
       span);
  if (accumulator.exists && !accumulator.exists_is_known)
    emit(lowered::Assign{accumulator.exists, "=",
                         lowered::call(reduce, {lowered::name("Any{}", DType::index), accumulator.exists},
                                       DType::boolean)},
         span);
}

Evaluated FunctionLowering::read(const Accumulator& accumulator) const {
  if (!is_argument(accumulator.reduce->op)) return {accumulator.total, accumulator.exists};
  return {lowered::member(accumulator.total, "position", DType::index), accumulator.exists};
}

// Computes the reductions across the group that a value needs, so that the sweeps for them stand before what uses them.
void FunctionLowering::prepare(ir::ValueId id) {
  std::set<Instance> visited;
  prepare(id, visited);
}

void FunctionLowering::prepare(ir::ValueId id, std::set<Instance>& visited) {
  if (!visited.insert(instance(id)).second || held_place(id)) return;
  const ir::Op& op = kernel_.values[id].op;
  if (const auto* reduce = std::get_if<ir::Reduce>(&op); reduce && crossed_lane(*reduce)) {
    std::vector<ir::AxisId> open;
    std::ranges::copy_if(analysis_.dependence.at(id).axes, std::back_inserter(open),
                         [&](ir::AxisId axis) { return !is_bound(axis); });
    const auto is_copied = [&](ir::AxisId axis) { return phase_.role(axis) == Role::unrolled; };
    if (std::ranges::all_of(open, is_copied)) return points(open, [&] { eval(id); });
  }
  if (level_of(id) == 0) return;
  if (const auto* pick = std::get_if<ir::Pick>(&op))
    picked(*pick, [&] { return prepare(pick->operand, visited), true; });
  else
    for (ir::ValueId operand : ir::operands_of(op)) prepare(operand, visited);
  prepare_held(id);
}

// One sweep over the lane for every reduction of this level that belongs to the current scope.
void FunctionLowering::group_reductions(ir::ValueId id) {
  const size_t target = scopes_.size() - 1;
  const Lane* lane = crossed_lane(std::get<ir::Reduce>(kernel_.values[id].op));
  std::vector<Accumulator> accumulators;
  const std::vector<ir::ValueId> fused = fused_with(id, target);
  for (ir::ValueId other : fused) prepare(std::get<ir::Reduce>(kernel_.values[other].op).operand);
  for (ir::ValueId other : fused) accumulators.push_back(open_accumulator(other, nullptr));
  // Loops inside the thread stay outside of the elements, so that loads remain vectors.
  const auto crossed = [&](const Accumulator& accumulator, Role role) {
    std::vector<ir::AxisId> axes;
    for (ir::AxisId axis : accumulator.reduce->axes)
      if (axis != lane->axis && phase_.role(axis) == role) axes.push_back(axis);
    return axes;
  };
  sweep(*lane, [&] {
    const bool any_plain = std::any_of(accumulators.begin(), accumulators.end(), [&](const Accumulator& a) {
      return crossed(a, Role::serial).empty();
    });
    if (any_plain) {
      elements(*lane, [&] {
        for (const Accumulator& accumulator : accumulators)
          if (crossed(accumulator, Role::serial).empty())
            points(crossed(accumulator, Role::unrolled), [&] { accumulate(accumulator); });
      });
    }
    for (const Accumulator& accumulator : accumulators) {
      const auto loops = crossed(accumulator, Role::serial);
      if (loops.empty()) continue;
      points(loops,
             [&] {
               elements(*lane, [&] {
                 points(crossed(accumulator, Role::unrolled), [&] { accumulate(accumulator); });
               });
             },
             {accumulator.reduce->operand});
    }
  });
  for (const Accumulator& accumulator : accumulators) {
    combine(accumulator);
    scopes_.back().memo[instance(accumulator.value)] = read(accumulator);
  }
}

// Everything that is crossed is looped over inside the thread.
Evaluated FunctionLowering::serial_reduction(ir::ValueId id, const ir::Reduce& op) {
  const Accumulator accumulator = open_accumulator(id, nullptr);
  points(op.axes, [&] { accumulate(accumulator); }, {op.operand});
  return read(accumulator);
}

// A loop inside a strip: the elements of the vector stay innermost, so that loads remain vectors.
Evaluated FunctionLowering::lane_reduction(ir::ValueId id, const ir::Reduce& op) {
  const Lane* lane = lane_among(analysis_.dependence.at(id).axes);
  const size_t target = scope_of(id, true);
  const Instance key = instance(id);
  if (const auto known = scopes_[target].folded.find(key); known != scopes_[target].folded.end())
    return known->second;
  at_scope(target, [&] {
    note_again(id, op);
    const size_t outer = looping_.size();
    std::vector<Accumulator> accumulators;
    for (ir::ValueId other : looped_with(id, op, target)) {
      accumulators.push_back(open_accumulator(other, "kVector"));
      looping_.push_back(other);
    }
    std::vector<ir::ValueId> folded;
    for (const Accumulator& accumulator : accumulators) folded.push_back(accumulator.reduce->operand);
    points(
        op.axes,
        [&] {
          elements(*lane, [&] {
            for (const Accumulator& accumulator : accumulators) accumulate(accumulator);
          });
        },
        folded);
    for (const Accumulator& accumulator : accumulators)
      scopes_.back().folded[instance(accumulator.value)] = read(accumulator);
    looping_.resize(outer);
  });
  return scopes_[target].folded.at(key);
}

// Reductions over the same axes at the same place, none of which needs another, nor one whose loop is still open: one
// loop does for all.
std::vector<ir::ValueId> FunctionLowering::looped_with(ir::ValueId id, const ir::Reduce& op, size_t target) {
  std::vector<ir::ValueId> result;
  for (const auto& [other, dependence] : analysis_.dependence) {
    const auto* reduce = std::get_if<ir::Reduce>(&kernel_.values[other].op);
    if (other != id &&
        (!reduce || reduce->axes != op.axes || is_known_count(*reduce) || !defined_.contains(other) ||
         dependence.axes != analysis_.dependence.at(id).axes || scope_of(other, true) != target ||
         scopes_[target].folded.contains(instance(other)) || level_of(other) != level_of(id)))
      continue;
    const auto is_needed = [&, value = other](ir::ValueId earlier) {
      std::set<ir::ValueId> visited;
      return needs_reduction(value, earlier, visited);
    };
    const bool independent = std::none_of(result.begin(), result.end(), is_needed) &&
                             std::none_of(looping_.begin(), looping_.end(), is_needed);
    std::set<ir::ValueId> visited;
    if (other == id || (independent && !needs_reduction(id, other, visited))) result.push_back(other);
  }
  // Ids ascend from operands to results: what came before `id` is not needed by it, but may be by what comes after.
  std::erase_if(result, [&](ir::ValueId other) {
    std::set<ir::ValueId> visited;
    return other != id && needs_reduction(other, id, visited);
  });
  return result;
}

bool FunctionLowering::needs_reduction(ir::ValueId id, ir::ValueId reduction,
                                       std::set<ir::ValueId>& visited) const {
  if (id == reduction) return true;
  if (!visited.insert(id).second) return false;
  const auto operands = ir::operands_of(kernel_.values[id].op);
  return std::any_of(operands.begin(), operands.end(),
                     [&](ir::ValueId operand) { return needs_reduction(operand, reduction, visited); });
}

// A fold of more than a few elements that stands in a loop without being of its axis.
void FunctionLowering::note_again(ir::ValueId id, const ir::Reduce& op) {
  constexpr int64_t kFewElements = 32;
  int64_t elements = 1;
  for (ir::AxisId axis : op.axes)
    elements *= std::min(ir::constant_extent(kernel_, plan_.sizes, axis).value_or(kFewElements + 1),
                         kFewElements + 1);
  if (elements <= kFewElements) return;
  for (const Scope& scope : scopes_)
    for (const auto& [axis, coordinate] : scope.coordinates)
      if (kernel_.axes[axis].is_tile() && phase_.role(axis) != Role::unit && !analysis_.depends(id, axis))
        again_.emplace(id, axis);
}

Evaluated FunctionLowering::compute(ir::ValueId id, const ir::Reduce& op) {
  if (is_known_count(op)) {
    ir::SizeId product = plan_.sizes.constant(1);
    for (ir::AxisId axis : op.axes)
      product = plan_.sizes.multiply(product, ir::extent_of(kernel_, plan_.sizes, axis));
    return {size(product), nullptr};
  }
  if (crossed_lane(op)) {
    note_again(id, op);
    group_reductions(id);
    return scopes_.back().memo.at(instance(id));
  }
  const bool loops = std::any_of(op.axes.begin(), op.axes.end(),
                                 [&](ir::AxisId axis) { return phase_.role(axis) == Role::serial; });
  const bool in_vector = scopes_.back().is_elements && has_vectors();
  if (loops && in_vector) return lane_reduction(id, op);
  note_again(id, op);
  return serial_reduction(id, op);
}

}  // namespace tessera::emit
