// SPDX-License-Identifier: Apache-2.0
// Decides where each axis of a phase goes: which one the threads share, which are units, loops or written out.
#pragma once

#include "emit/plan.h"

namespace tessera::emit {

/// Fills roles, lanes, units and the vector accesses of `phase`, and says why in its reasons.
void choose_axes(const ir::Kernel& kernel, ir::SizeTable& sizes, const PlanOverrides& overrides,
                 PhasePlan& phase);

/// The extent that bounds an axis at every launch: a constant extent, or the greatest allowed value of its symbol.
std::optional<int64_t> greatest_extent(const ir::Kernel& kernel, ir::SizeTable& sizes, ir::AxisId axis);

/// What `@tile` or an override fixes for a plan step, or the semantic step; 0 when the planner is free.
int64_t fixed_tile(const ir::Kernel& kernel, const PlanOverrides& overrides, ir::AxisId axis);

}  // namespace tessera::emit
