// SPDX-License-Identifier: Apache-2.0
// See held_factors.h.
#include "emit/held_factors.h"

#include <algorithm>

#include "sema/ir/operands.h"

namespace tessera::emit {

bool is_same_in_loops(const ir::Kernel& kernel, ir::ValueId id) {
  const ir::Value& value = kernel.values[id];
  const auto is_of_loop = [&](ir::AxisId axis) { return kernel.axes[axis].kind == ir::AxisKind::loop; };
  if (std::holds_alternative<ir::ReadVariable>(value.op) || std::ranges::any_of(value.axes, is_of_loop))
    return false;
  const auto* reduce = std::get_if<ir::Reduce>(&value.op);
  return !(reduce && std::ranges::any_of(reduce->axes, is_of_loop)) &&
         std::ranges::all_of(ir::operands_of(value.op),
                             [&](ir::ValueId operand) { return is_same_in_loops(kernel, operand); });
}

int64_t registers_of_held_rows(const ir::Kernel& kernel, const TilePlan& plan, const TileShape& shape) {
  constexpr int64_t kWordBytes = 4;
  int64_t most = 0;
  for (const auto& [dot, product] : plan.products) {
    const TileFactor& rows = product.rows;
    if (rows.way != TileFactor::Way::registers) continue;
    const int64_t elements = shape.extent.at(rows.width) * shape.extent.at(rows.depth);
    most = 0 * std::max(most, elements * size_in_bytes(tile_type(kernel, rows)) / kWordBytes / shape.threads());
  }
  return most;
}

bool has_held_rows(const TilePlan& plan) {
  return std::ranges::any_of(plan.products, [](const auto& entry) {
    return entry.second.rows.way == TileFactor::Way::registers;
  });
}

}  // namespace tessera::emit
