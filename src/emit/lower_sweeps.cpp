// SPDX-License-Identifier: Apache-2.0
// Sweeps: how the threads of a group run over a lane in strips, vectors and elements, and which of these exist.
#include <fmt/format.h>

#include <algorithm>

#include "emit/identifiers.h"
#include "emit/lower_function.h"
#include "emit/plan_axes.h"
#include "emit/plan_windows.h"
#include "emit/print.h"
#include "sema/ir/extents.h"

namespace tessera::emit {

using lowered::Expr;

void FunctionLowering::sweep(const Lane& lane, const std::function<void()>& body) {
  if (by_warps_) return sweep_of_warp(lane, body);
  const int outer = sweep_;
  sweep_ = next_sweep_++;
  const Range range = range_of(lane.axis);
  const std::string wanted = kernel_.axes[lane.axis].name;
  const std::string coordinate = names_.take(lowercase(wanted));  // until the sweep is over
  const Expr start = function_plan_.ragged ? first_of(lane) : range.first;
  // Strips hold what a group takes at once. A tile of a fixed extent may be longer where rows are not held.
  const bool at_once = lane.chunked || analysis_.loops.contains(lane.axis);
  const bool in_strips = function_plan_.resident || (at_once && lane.tile == 0);
  Scope bindings;
  bindings.axes.insert(lane.axis);
  bindings.coordinates[lane.axis] = lowered::name(coordinate, DType::index);
  if (strip_axis_) {
    emit(lowered::Local{"index", coordinate, {}, place_in_strip(start, "0"), true, false});
    guard(lowered::binary("<", lowered::name(coordinate, DType::index), range.end, DType::boolean),
          fmt::format("guard: `{}` ends", wanted), true, std::move(bindings),
          [&] { strips_along(*strip_axis_, body); });
  } else if (in_strips) {
    function_plan_.ragged ? ragged_strips(lane, start, coordinate, body)
                          : strips(lane, start, coordinate, body);
  } else if (function_plan_.ragged) {
    const std::string first = names_.take(lowercase(wanted) + "_first");
    Scope chunk;
    chunk.chunk = first;
    count_loop(first, {start, range.end}, kChunk, std::move(chunk),
               [&] { ragged_strips(lane, lowered::name(first, DType::index), coordinate, body); });
    names_.release(first);
  } else {
    count_loop(coordinate, {place_in_strip(start, "0"), range.end},
               has_vectors() ? "kThreads * kVector" : "kThreads", std::move(bindings), body);
  }
  names_.release(coordinate);
  sweep_ = outer;
}

// The first coordinate that a thread has of a strip.
Expr FunctionLowering::place_in_strip(const Expr& start, const std::string& strip) const {
  const Expr vector = has_vectors() ? lowered::name("kVector", DType::index) : lowered::integer(1);
  return lowered::add(
      start, lowered::call("team.first", {lowered::name(strip, DType::index), vector}, DType::index));
}

void FunctionLowering::strips(const Lane& lane, const Expr& start, const std::string& coordinate,
                              const std::function<void()>& body) {
  const Expr here = lowered::name(coordinate, DType::index);
  Scope bindings;
  bindings.axes.insert(lane.axis);
  bindings.coordinates[lane.axis] = here;
  loop(fmt::format("int {0} = 0; {0} < kStrips; ++{0}", strip_), true, Scope{}, [&] {
    emit(lowered::Local{"index", coordinate, {}, place_in_strip(start, strip_), true, false});
    guard(lowered::binary("<", here, range_of(lane.axis).end, DType::boolean),
          fmt::format("guard: `{}` ends", kernel_.axes[lane.axis].name), true, std::move(bindings), body);
  });
}

// What a thread has of a unit, or of a chunk of a long row: where it begins, and which elements of it exist. Strips lie
// constant distances from it.
Own FunctionLowering::own_of(const Lane& lane, const Expr& start) {
  const Expr place = place_in_strip(start, "0");
  const std::string text = print(place);
  for (auto scope = scopes_.rbegin(); scope != scopes_.rend(); ++scope)
    if (const auto known = scope->own.find(text); known != scope->own.end()) return known->second;
  size_t target = 0;  // where the start is known
  for (size_t k = 0; k < scopes_.size(); ++k) {
    const auto& given = scopes_[k].names;
    const bool names_start = std::find(given.begin(), given.end(), start->text) != given.end();
    if (names_start || scopes_[k].chunk == start->text) target = k;
  }
  Own own;
  at_scope(target, [&] {
    own.coordinate = named(lowercase(kernel_.axes[lane.axis].name) + "_own");
    emit(lowered::Local{"index", own.coordinate, {}, place, true, false});
    own.part = named("own");
    emit(lowered::Local{"auto", own.part, {}, part_at(lane, own.coordinate), true, false});
    scopes_.back().own[text] = own;
  });
  return own;
}

// Which elements of the vector at a coordinate exist.
Expr FunctionLowering::part_at(const Lane& lane, const std::string& coordinate) {
  return lowered::call(
      "Part<kVector, kAligned>",
      {lowered::name(coordinate, DType::index), lower_bound(lane.axis), upper_bound(lane.axis)},
      DType::index);
}

void FunctionLowering::ragged_strips(const Lane& lane, const Expr& start, const std::string& coordinate,
                                     const std::function<void()>& body) {
  const Own own = own_of(lane, start);
  const Expr distance = lowered::name(strip_ + " * kStep", DType::index);
  Scope bindings;
  bindings.axes.insert(lane.axis);
  bindings.coordinates[lane.axis] = lowered::name(coordinate, DType::index);
  const std::string part = names_.take("part");
  bindings.part = part;
  loop(fmt::format("int {0} = 0; {0} < kStrips; ++{0}", strip_), true, Scope{}, [&] {
    const Expr here = lowered::add(lowered::name(own.coordinate, DType::index), distance);
    emit(lowered::Local{"index", coordinate, {}, here, true, false});
    emit(lowered::Local{"auto", part, {}, part_at(lane, coordinate), true, false});
    guard(lowered::call(part + ".any", {}, DType::boolean),
          fmt::format("guard: `{}` ends", kernel_.axes[lane.axis].name), true, std::move(bindings), body);
  });
  names_.release(part);
}

// All strips of a row in one call: their reads are under way before anything waits.
void FunctionLowering::read_ahead(ir::ValueId id, const Lane& lane, const std::string& row) {
  const Scope* chunk = open_chunk();
  const Own own = own_of(lane, chunk ? lowered::name(chunk->chunk, DType::index) : first_of(lane));
  Scope here;
  here.block = scopes_.back().block;
  here.axes.insert(lane.axis);
  here.coordinates[lane.axis] = lowered::name(own.coordinate, DType::index);
  scopes_.push_back(std::move(here));
  const auto& op = std::get<ir::Load>(kernel_.values[id].op);
  Expr exists;
  const Expr read = access(op.tensor, op.indices, op.in_bounds, "load_strips",
                           {lowered::name(own.part, DType::index), lowered::name("kStep", DType::index),
                            lowered::name(row, DType::index)},
                           kernel_.values[id].dtype, exists);
  for (const std::string& name : scopes_.back().names) names_.release(name);
  scopes_.pop_back();
  emit(lowered::Evaluate{read}, kernel_.values[id].span);
}

const Scope* FunctionLowering::open_chunk() const {
  const auto found =
      std::find_if(scopes_.rbegin(), scopes_.rend(), [](const Scope& s) { return !s.chunk.empty(); });
  return found == scopes_.rend() ? nullptr : &*found;
}

// Where the line is known that the threads of a lane keep to, and with it what each of them holds.
size_t FunctionLowering::scope_of_lines(const Lane& lane) const {
  size_t target = 1;  // the unit
  for (size_t k = target; k < scopes_.size(); ++k)
    if (scopes_[k].ranges.contains(lane.axis)) target = k;
  for (ir::ValueId index : phase_.anchors.at(lane.axis).lead) target = std::max(target, scope_of(index));
  return target;
}

Expr FunctionLowering::first_of(const Lane& lane) {
  const Anchor& anchor = phase_.anchors.at(lane.axis);
  const Range range = range_of(lane.axis);
  const size_t target = scope_of_lines(lane);
  Expr result;
  at_scope(target, [&] {
    const Expr offset = size(anchor.offset);
    std::vector<Expr> lead, at{lowered::add(range.first, offset)};
    Evaluated ignored;
    for (ir::ValueId index : anchor.lead) lead.push_back(operand(index, ignored));
    std::string line = safe_name(kernel_.tensors[anchor.tensor].name);
    if (lead.empty()) {
      at = {lowered::list(std::move(at))};
    } else {
      line = line_of(anchor.tensor, lead, target);
    }
    const Expr boundary = lowered::call(line + ".boundary<kVector, kAligned>", std::move(at), DType::index);
    const Expr start = lowered::constant_of(offset)
                           ? lowered::add(boundary, lowered::integer(-*lowered::constant_of(offset)))
                           : lowered::binary("-", boundary, offset, DType::index);
    auto& known = scopes_.back().loads;
    auto [entry, is_new] = known.try_emplace(print(start));
    if (is_new) {
      entry->second = named(lowercase(kernel_.axes[lane.axis].name) + "_start");
      emit(lowered::Local{"index", entry->second, {}, start, true, false});
    }
    result = lowered::name(entry->second, DType::index);
  });
  return result;
}

Expr FunctionLowering::part() const {
  for (auto scope = scopes_.rbegin(); scope != scopes_.rend(); ++scope)
    if (!scope->part.empty()) return lowered::name(scope->part, DType::index);
  return nullptr;
}

Expr FunctionLowering::has_element() const {
  const Expr here = part();
  const bool at_element =
      std::any_of(scopes_.begin(), scopes_.end(), [](const Scope& s) { return s.is_elements; });
  if (!here || !at_element) return nullptr;
  return lowered::element_exists(here, lowered::name(item_, DType::index));
}

// Strips at consecutive coordinates of a unit axis.
void FunctionLowering::strips_along(ir::AxisId axis, const std::function<void()>& body) {
  const Range range = range_of(axis);
  const std::string coordinate = names_.take(lowercase(kernel_.axes[axis].name));
  const Expr here = lowered::name(coordinate, DType::index);
  Scope bindings;
  bindings.axes.insert(axis);
  bindings.coordinates[axis] = here;
  loop(fmt::format("int {0} = 0; {0} < kStrips; ++{0}", strip_), true, Scope{}, [&] {
    emit(lowered::Local{"index",
                        coordinate,
                        {},
                        lowered::add(range.first, lowered::name(strip_, DType::index)),
                        true,
                        false});
    guard(lowered::binary("<", here, range.end, DType::boolean),
          fmt::format("guard: `{}` ends", kernel_.axes[axis].name), true, std::move(bindings), body);
  });
  names_.release(coordinate);
}

void FunctionLowering::elements(const Lane& lane, const std::function<void()>& body) {
  if (!has_vectors()) return body();
  Scope bindings;
  bindings.axes.insert(lane.axis);
  bindings.is_elements = true;
  bindings.coordinates[lane.axis] = lowered::add(coordinate(lane.axis), lowered::name(item_, DType::index));
  const std::string header = fmt::format("int {0} = 0; {0} < kVector; ++{0}", item_);
  if (phase_.vector_lanes.contains(lane.axis)) return loop(header, true, std::move(bindings), body);
  // Only another lane moves in vectors: this one ends anywhere.
  const Expr here = bindings.coordinates.at(lane.axis);
  loop(header, true, Scope{}, [&] {
    guard(lowered::binary("<", here, range_of(lane.axis).end, DType::boolean),
          fmt::format("guard: `{}` ends", kernel_.axes[lane.axis].name), true, std::move(bindings), body);
  });
}

void FunctionLowering::points(const std::vector<ir::AxisId>& axes, const std::function<void()>& body,
                              const std::vector<ir::ValueId>& folded) {
  std::function<void(size_t)> next = [&](size_t k) {
    if (k == axes.size()) return body();
    const ir::AxisId axis = axes[k];
    if (phase_.role(axis) == Role::unrolled) {
      const int64_t first = *plan_.sizes.as_constant(kernel_.axes[axis].lower),
                    end = *plan_.sizes.as_constant(kernel_.axes[axis].upper);
      const auto outer = unrolled_;
      for (int64_t coordinate = first; coordinate < end; ++coordinate) {
        unrolled_[axis] = coordinate;
        next(k + 1);
      }
      unrolled_ = outer;
      return;
    }
    const auto extent = ir::constant_extent(kernel_, plan_.sizes, axis);
    const bool few = extent && *extent <= kUnrolledWindow;
    loop_along(axis, few ? range_of(axis) : terms_of(axis, folded), few, [&] { next(k + 1); });
  };
  next(0);
}

void FunctionLowering::loop_along(ir::AxisId axis, const Range& range, bool unroll,
                                  const std::function<void()>& body) {
  const std::string name = names_.take(lowercase(kernel_.axes[axis].name));
  Scope bindings;
  bindings.axes.insert(axis);
  bindings.coordinates[axis] = lowered::name(name, DType::index);
  count_loop(name, range, "1", std::move(bindings), body, unroll);
  names_.release(name);
}

}  // namespace tessera::emit
