// SPDX-License-Identifier: Apache-2.0
// Tiles that pass through shared memory: filled along the dimension in which they lie in memory, read along the lane.
#include <fmt/format.h>

#include "emit/lower_function.h"

namespace tessera::emit {

using lowered::Expr;

Expr FunctionLowering::stage_rows() const {
  for (const UnitAxis& unit : units_)
    if (unit.axis == staging_->rows) return lowered::integer(unit.tile);
  unreachable("the rows of a staged tile are a unit axis");
}

void FunctionLowering::declare_stages() {
  if (!staging_) return;
  const std::string rows = std::to_string(*lowered::constant_of(stage_rows()));
  // One element more than the rows: lanes that read a column then meet in different banks.
  emit(lowered::Local{
      "constexpr int", "kPitch", {}, lowered::name(rows + " + 1", DType::index), false, false});
  for (ir::ValueId load : staging_->loads) {
    const ir::Tensor& tensor = kernel_.tensors[std::get<ir::Load>(kernel_.values[load].op).tensor];
    stages_[load] = named(tensor.name + "_tile");
    const Lane& lane = phase_.lanes[0];
    const std::string lanes = lane.tile > 0 ? std::to_string(lane.tile) : "kChunk";
    emit(lowered::Shared{type_name(tensor.dtype), stages_[load], lanes + " * kPitch", ""},
         kernel_.values[load].span);
  }
}

// The element of the tile at the current coordinates of lane and rows.
Expr FunctionLowering::stage_place(ir::ValueId id) {
  const ir::AxisId lane = staging_->lane, rows = staging_->rows;
  const DType type = kernel_.values[id].dtype;
  const auto offset = [&](ir::AxisId axis) {
    return lowered::binary("-", coordinate(axis), range_of(axis).first, DType::index);
  };
  const Expr place = lowered::binary(
      "+", lowered::binary("*", offset(lane), lowered::name("kPitch", DType::index), DType::index),
      offset(rows), DType::index);
  return lowered::element(lowered::name(stages_.at(id), type), place, type);
}

void FunctionLowering::staged_rows(const UnitAxis& unit, const Range& range,
                                   const std::function<void()>& body) {
  fill_stages();
  emit(lowered::Barrier{"the tile is complete"});
  const std::string name = names_.take(lowercase(kernel_.axes[unit.axis].name));
  Scope bindings;
  bindings.axes.insert(unit.axis);
  bindings.coordinates[unit.axis] = lowered::name(name, DType::index);
  const std::string row = names_.take("row");
  loop(fmt::format("int {0} = 0; {0} < {1}; {0} += kRows", row, unit.tile), true, Scope{}, [&] {
    const Expr offset =
        lowered::add(lowered::name(row, DType::index), lowered::call("team.number", {}, DType::index));
    emit(lowered::Local{"index", name, {}, lowered::add(range.first, offset), true, false});
    guard(lowered::binary("<", lowered::name(name, DType::index), range.end, DType::boolean),
          "guard: the tile crosses an edge", true, std::move(bindings), body);
  });
  names_.release(row);
  names_.release(name);
  emit(lowered::Barrier{"everyone has read the tile before the next one overwrites it"});
}

// All threads of the block, neighbours along the rows: the dimension in which the tensor is contiguous.
void FunctionLowering::fill_stages() {
  const ir::AxisId lane = staging_->lane, rows = staging_->rows;
  const std::string element = names_.take("element");
  const Range row_range = range_of(rows), lane_range = range_of(lane);
  const Expr extent = stage_rows();
  const Lane& plan = phase_.lanes[0];
  const Expr lanes = plan.tile > 0 ? lowered::integer(plan.tile) : lowered::name("kChunk", DType::index);
  const Expr count = lowered::multiply(lanes, extent);
  const std::string first = names_.take("first_element");
  const std::string total = plan.tile > 0 ? std::to_string(*lowered::constant_of(count))
                                          : fmt::format("kChunk * {}", *lowered::constant_of(extent));
  loop(fmt::format("int {0} = 0; {0} < {1}; {0} += kThreads * kRows", first, total), true, Scope{}, [&] {
    const Expr position = lowered::name(element, DType::index);
    emit(lowered::Local{
        "int",
        element,
        {},
        lowered::add(lowered::name(first, DType::index), lowered::call("thread_index", {}, DType::index)),
        true,
        false});
    const std::string row = named(lowercase(kernel_.axes[rows].name)),
                      column = named(lowercase(kernel_.axes[lane].name));
    emit(lowered::Local{"index",
                        row,
                        {},
                        lowered::add(row_range.first, lowered::binary("%", position, extent, DType::index)),
                        true,
                        false});
    emit(lowered::Local{"index",
                        column,
                        {},
                        lowered::add(lane_range.first, lowered::binary("/", position, extent, DType::index)),
                        true,
                        false});
    Scope bindings;
    bindings.axes = {lane, rows};
    bindings.coordinates[rows] = lowered::name(row, DType::index);
    bindings.coordinates[lane] = lowered::name(column, DType::index);
    // The last round may have fewer elements than the block has threads.
    const Expr within = lowered::binary("<", position, lowered::name(total, DType::index), DType::boolean);
    const Expr inside = lowered::conjunction(
        lowered::conjunction(within,
                             lowered::binary("<", bindings.coordinates[rows], row_range.end, DType::boolean)),
        lowered::binary("<", bindings.coordinates[lane], lane_range.end, DType::boolean));
    guard(inside, "guard: the tile crosses an edge", true, std::move(bindings), [&] {
      for (const auto& [load, name] : stages_) {
        const auto& op = std::get<ir::Load>(kernel_.values[load].op);
        Expr exists;
        const Expr at = lowered::list(indices(op.tensor, op.indices, op.in_bounds, exists));
        const Expr value = lowered::call(safe_name(kernel_.tensors[op.tensor].name) + ".load", {at},
                                         kernel_.values[load].dtype);
        emit(lowered::Assign{stage_place(load), "=", value, true}, kernel_.values[load].span);
      }
    });
  });
  names_.release(first);
  names_.release(element);
}

}  // namespace tessera::emit
