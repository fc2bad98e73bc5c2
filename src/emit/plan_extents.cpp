// SPDX-License-Identifier: Apache-2.0
// What is known of an axis before a launch; see plan_extents.h.
#include "emit/plan_extents.h"

#include <algorithm>

#include "emit/analysis.h"

namespace tessera::emit {

std::optional<int64_t> greatest_extent(const ir::Kernel& kernel, ir::SizeTable& sizes, ir::AxisId axis) {
  if (const auto extent = constant_extent(kernel, sizes, axis)) return extent;
  const ir::Axis& row = kernel.axes[axis];
  const auto symbol = sizes.as_symbol(sizes.subtract(row.upper, row.lower));
  if (!symbol) return std::nullopt;
  const ir::Symbol& entry = kernel.symbols[*symbol];
  if (!entry.allowed.empty()) return *std::max_element(entry.allowed.begin(), entry.allowed.end());
  return entry.maximum;
}

std::optional<int64_t> held_extent(const ir::Kernel& kernel, ir::SizeTable& sizes, ir::AxisId axis) {
  constexpr int64_t kMostElements = 16'384;  // 64 registers of 256 threads
  const auto extent = greatest_extent(kernel, sizes, axis);
  return extent && *extent <= kMostElements ? extent : std::nullopt;
}

int64_t fixed_tile(const ir::Kernel& kernel, const PlanOverrides& overrides, ir::AxisId axis) {
  const ir::Axis& row = kernel.axes[axis];
  if (row.step == ir::StepKind::semantic) return row.step_size;
  const auto found = overrides.tiles.find(row.name);
  return found != overrides.tiles.end() ? found->second : row.step_size;
}

}  // namespace tessera::emit
