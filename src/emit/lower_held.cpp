// SPDX-License-Identifier: Apache-2.0
// Values that a group makes for all coordinates of a loop before its threads part: arrays in shared memory, of which each
// group of a block has its own.
#include <fmt/format.h>

#include <algorithm>

#include "emit/identifiers.h"
#include "emit/lower_function.h"

namespace tessera::emit {

using lowered::Expr;

const HeldPlace* FunctionLowering::held_place(ir::ValueId id) const {
  if (!phase_.held.contains(id)) return nullptr;
  const Instance key = instance(id);
  for (auto scope = scopes_.rbegin(); scope != scopes_.rend(); ++scope)
    if (const auto found = scope->held.find(key); found != scope->held.end()) return &found->second;
  return nullptr;
}

// The element of an array for the group at hand and the coordinates at hand.
Expr FunctionLowering::element_of(const HeldPlace& place, const std::string& array, DType type) {
  Expr index = lowered::integer(0);
  for (const auto& [axis, extent] : place.axes) {
    const Expr first = range_of(axis).first;
    const Expr offset = lowered::constant_of(first) == 0
                            ? coordinate(axis)
                            : lowered::binary("-", coordinate(axis), first, DType::index);
    index = lowered::add(lowered::multiply(index, lowered::integer(extent)), offset);
  }
  const Expr group =
      lowered::multiply(lowered::call("team.number", {}, DType::index), lowered::integer(place.count));
  return lowered::element(lowered::name(array, type), lowered::add(group, index), type);
}

Evaluated FunctionLowering::read(const HeldPlace& place) {
  Evaluated result{element_of(place, place.values, place.type), nullptr};
  if (!place.flags.empty()) result.exists = element_of(place, place.flags, DType::boolean);
  return result;
}

// Arrays of the block: declared before its groups take units.
HeldPlace FunctionLowering::open_held(ir::ValueId id, const Evaluated& value) {
  HeldPlace place{.values = {}, .flags = {}, .type = value.value->type, .axes = phase_.held.at(id)};
  for (const auto& [axis, extent] : place.axes) place.count *= extent;
  const std::string count = fmt::format("kRows * {}", place.count);
  at_scope(0, [&] {
    place.values = named("held_" + name_for(id));
    emit(lowered::Shared{type_name(place.type), place.values, count, ""}, kernel_.values[id].span);
    if (!value.exists) return;
    place.flags = named(place.values + "_exists");
    emit(lowered::Shared{"bool", place.flags, count, ""}, kernel_.values[id].span);
  });
  return place;
}

// What the group has at the coordinates at hand; one of its threads writes it down.
void FunctionLowering::put_held(ir::ValueId id, std::map<Instance, HeldPlace>& places) {
  const Evaluated value = eval(id);
  const HeldPlace place = open_held(id, value);
  guard(lowered::call(by_warps_ ? "team.leads_warp" : "team.leader", {}, DType::boolean), "", [&] {
    emit(lowered::Assign{element_of(place, place.values, place.type), "=", value.value},
         kernel_.values[id].span);
    if (value.exists)
      emit(lowered::Assign{element_of(place, place.flags, DType::boolean), "=", value.exists});
  });
  places.emplace(instance(id), place);
}

// Whether a value needs what threads hold of variables along lanes: only all of them together have it.
bool FunctionLowering::reads_lane_state(ir::ValueId id) const {
  return std::ranges::any_of(declared_below(id), [&](const Declared& below) {
    const auto* variable = std::get_if<ir::VariableId>(&below);
    if (!variable) return false;
    const auto& axes = kernel_.variables[*variable].axes;
    return lane_among({axes.begin(), axes.end()}) != nullptr;
  });
}

// Whether a value needs something that is still to be held.
bool FunctionLowering::waits_for_held(ir::ValueId id) const {
  std::set<ir::ValueId> visited;
  return waits_for_held(id, visited);
}

bool FunctionLowering::waits_for_held(ir::ValueId id, std::set<ir::ValueId>& visited) const {
  if (!visited.insert(id).second) return false;
  const AxisSet& axes = analysis_.dependence.at(id).axes;
  const bool is_looped = std::ranges::any_of(axes, [&](ir::AxisId axis) { return !is_bound(axis); });
  if (phase_.held.contains(id) && is_looped && !held_place(id)) return true;
  if (level_of(id) == 0) return false;
  return std::ranges::any_of(ir::operands_of(kernel_.values[id].op),
                             [&](ir::ValueId operand) { return waits_for_held(operand, visited); });
}

// Warps take turns at the coordinates, since they need no barrier to fold, unless rows belong to all threads of the group.
void FunctionLowering::hold(ir::ValueId id) {
  TESSERA_CHECK(!is_holding_, "what is held needs nothing that is not held before it");
  is_holding_ = true;
  std::vector<ir::AxisId> axes;
  for (const auto& [axis, extent] : phase_.held.at(id))
    if (!is_bound(axis)) axes.push_back(axis);
  std::map<Instance, HeldPlace> places;
  const auto make = [&] {
    put_held(id, places);
    // Those of the same axes whose folds stand in this loop anyway.
    for (const auto& [other, held_axes] : phase_.held) {
      const bool is_here = scopes_.back().memo.contains(instance(other)) && !held_place(other);
      if (other != id && held_axes == phase_.held.at(id) && is_here) put_held(other, places);
    }
  };
  // One barrier is enough for all that is held in a round of a loop: what was read in the round before lies behind it.
  if (scopes_.back().held.empty())
    emit(lowered::Barrier{"everyone has read what was held before", lowered::Barrier::Of::group});
  by_warps_ = !staging_ && !strip_axis_ && phase_.windows.empty() && !reads_lane_state(id);
  if (by_warps_) {
    const ir::AxisId shared = axes.back();
    axes.pop_back();
    points(axes, [&] { turns_of_warps(shared, make); });
  } else {
    points(axes, make);
  }
  by_warps_ = is_holding_ = false;
  emit(lowered::Barrier{"all of them are there", lowered::Barrier::Of::group});
  scopes_.back().held.merge(places);
}

// The coordinates of an axis, which the warps of a group take in turn.
void FunctionLowering::turns_of_warps(ir::AxisId axis, const std::function<void()>& body) {
  const Range range = range_of(axis);
  const std::string name = names_.take(lowercase(kernel_.axes[axis].name));
  Scope bindings;
  bindings.axes.insert(axis);
  bindings.coordinates[axis] = lowered::name(name, DType::index);
  const Expr first = lowered::add(range.first, lowered::call("team.warp", {}, DType::index));
  count_loop(name, {first, range.end}, "team.kWarps", std::move(bindings), body);
  names_.release(name);
}

// How the threads of a warp run over a lane that it takes alone.
void FunctionLowering::sweep_of_warp(const Lane& lane, const std::function<void()>& body) {
  const std::string coordinate = names_.take(lowercase(kernel_.axes[lane.axis].name));
  const Expr start = function_plan_.ragged ? first_of(lane) : range_of(lane.axis).first;
  const Expr vector = has_vectors() ? lowered::name("kVector", DType::index) : lowered::integer(1);
  const Expr first = lowered::add(start, lowered::call("team.first_in_warp", {vector}, DType::index));
  Scope bindings;
  bindings.axes.insert(lane.axis);
  bindings.coordinates[lane.axis] = lowered::name(coordinate, DType::index);
  const std::string part = function_plan_.ragged ? names_.take("part") : "";
  bindings.part = part;
  count_loop(coordinate, {first, range_of(lane.axis).end},
             has_vectors() ? "team.kLanes * kVector" : "team.kLanes", std::move(bindings), [&] {
               if (!part.empty())
                 emit(lowered::Local{"auto", part, {}, part_at(lane, coordinate), true, false});
               body();
             });
  if (!part.empty()) names_.release(part);
  names_.release(coordinate);
}

// Before the threads part: what is held, for each copy of the axes that are written out.
void FunctionLowering::prepare_held(ir::ValueId id) {
  if (!phase_.held.contains(id)) return;
  std::vector<ir::AxisId> copies;
  bool is_looped = false;
  for (ir::AxisId axis : analysis_.dependence.at(id).axes) {
    if (is_bound(axis)) continue;
    if (phase_.role(axis) == Role::unrolled)
      copies.push_back(axis);
    else
      is_looped = true;
  }
  if (!is_looped) return;
  points(copies, [&] {
    if (!held_place(id)) hold(id);
  });
}

}  // namespace tessera::emit
