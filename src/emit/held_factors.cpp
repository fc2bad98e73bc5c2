// SPDX-License-Identifier: Apache-2.0
// See held_factors.h.
#include "emit/held_factors.h"

#include <algorithm>

#include "sema/ir/operands.h"

namespace tessera::emit {

bool is_same_in_loops(const ir::Kernel& kernel, ir::ValueId id) {
  const ir::Value& value = kernel.values[id];
  const auto is_of_loop = [&](ir::AxisId axis) { return kernel.axes[axis].kind == ir::AxisKind::loop; };
  // Of a loop over single coordinates a coordinate has no axis.
  const auto* coordinate = std::get_if<ir::Coordinate>(&value.op);
  if (std::holds_alternative<ir::ReadVariable>(value.op) || std::ranges::any_of(value.axes, is_of_loop) ||
      (coordinate && is_of_loop(coordinate->axis)))
    return false;
  const auto* reduce = std::get_if<ir::Reduce>(&value.op);
  return !(reduce && std::ranges::any_of(reduce->axes, is_of_loop)) &&
         std::ranges::all_of(ir::operands_of(value.op),
                             [&](ir::ValueId operand) { return is_same_in_loops(kernel, operand); });
}

namespace {

bool takes_registers(const TileProduct& product) { return product.rows.way == TileFactor::Way::registers; }

/// Registers of a thread for rows that products take from registers, beside the sums that they are made of: these are needed
/// again where another product takes some. Elsewhere rows take the place of sums.
int64_t registers_of_rows(const ir::Kernel& kernel, const TilePlan& plan, const TileShape& shape) {
  constexpr int64_t kWordBytes = 4;
  int64_t most = 0, count = 0;
  for (const auto& [dot, product] : plan.products) {
    const TileFactor& rows = product.rows;
    if (!takes_registers(product)) continue;
    const int64_t elements = shape.extent.at(rows.width) * shape.extent.at(rows.depth);
    most = std::max(most, elements * size_in_bytes(tile_type(kernel, rows)) / kWordBytes / shape.threads());
    ++count;
  }
  return count > 1 ? most : 0;
}

/// The same for what threads read of tensors along the columns of a loop, while sums of its round lie in registers.
int64_t registers_of_reads(const ir::Kernel& kernel, const TilePlan& plan) {
  constexpr int64_t kOfRead = 32;
  const auto loops_along = [&](ir::AxisId axis) {
    return kernel.axes[axis].kind == ir::AxisKind::loop && plan.role(axis) == TileRole::column;
  };
  int64_t sum = 0;
  for (size_t k = 0; k < kernel.values.size(); ++k) {
    const ir::ValueId id = kernel.values.id_at(k);
    const ir::Value& value = kernel.values[id];
    const auto is_it = [&](const TileFactor* factor) { return factor->load.valid() && factor->load == id; };
    if (std::holds_alternative<ir::Load>(value.op) && std::ranges::any_of(value.axes, loops_along) &&
        std::ranges::none_of(plan.factors(), is_it))
      sum += kOfRead;
  }
  return sum;
}

}  // namespace

int64_t registers_beside_held_rows(const ir::Kernel& kernel, const TilePlan& plan, const TileShape& shape) {
  return has_held_rows(plan) ? registers_of_rows(kernel, plan, shape) + registers_of_reads(kernel, plan) : 0;
}

bool has_held_rows(const TilePlan& plan) {
  return std::ranges::any_of(plan.products, [](const auto& entry) { return takes_registers(entry.second); });
}

}  // namespace tessera::emit
