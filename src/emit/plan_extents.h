// SPDX-License-Identifier: Apache-2.0
// What is known of an axis before a launch.
#pragma once

#include <cstdint>
#include <optional>

#include "emit/analysis.h"
#include "emit/emit.h"
#include "sema/ir/module.h"

namespace tessera::emit {

/// The extent that bounds an axis at every launch, if a block's registers have room for as many elements beside other
/// values; longer axes are looped over.
std::optional<int64_t> held_extent(const ir::Kernel& kernel, ir::SizeTable& sizes, ir::AxisId axis);

/// What `@tile` or an override fixes for a plan step, or the semantic step; 0 when the planner is free.
int64_t fixed_tile(const ir::Kernel& kernel, const PlanOverrides& overrides, ir::AxisId axis);

/// The same of an axis of a phase. A semantic step that nothing crosses means nothing to a plan: every partition gives the
/// same result.
int64_t planned_tile(const ir::Kernel& kernel, const PhaseAnalysis& analysis, const PlanOverrides& overrides,
                     ir::AxisId axis);

}  // namespace tessera::emit
