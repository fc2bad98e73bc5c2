// SPDX-License-Identifier: Apache-2.0
// What is known of an axis before a launch; see plan_extents.h.
#include "emit/plan_extents.h"

#include "sema/ir/extents.h"

namespace tessera::emit {

std::optional<int64_t> held_extent(const ir::Kernel& kernel, ir::SizeTable& sizes, ir::AxisId axis) {
  constexpr int64_t kMostElements = 16'384;  // 64 registers of 256 threads
  const auto extent = ir::greatest_extent(kernel, sizes, axis);
  return extent && *extent <= kMostElements ? extent : std::nullopt;
}

int64_t fixed_tile(const ir::Kernel& kernel, const PlanOverrides& overrides, ir::AxisId axis) {
  const ir::Axis& row = kernel.axes[axis];
  if (row.step == ir::StepKind::semantic) return row.step_size;
  const auto found = overrides.tiles.find(row.name);
  return found != overrides.tiles.end() ? found->second : row.step_size;
}

int64_t planned_tile(const ir::Kernel& kernel, const PhaseAnalysis& analysis, const PlanOverrides& overrides,
                     ir::AxisId axis) {
  const bool is_free = kernel.axes[axis].step == ir::StepKind::semantic && !analysis.crossed.contains(axis) &&
                       !analysis.loops.contains(axis);
  return is_free ? 0 : fixed_tile(kernel, overrides, axis);
}

}  // namespace tessera::emit
