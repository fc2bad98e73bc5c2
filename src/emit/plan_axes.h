// SPDX-License-Identifier: Apache-2.0
// Decides where each axis of a phase goes: which one the threads share, which are units, loops or written out.
#pragma once

#include "emit/plan.h"

namespace tessera::emit {

/// Fills roles, lanes, units and the vector accesses of `phase`, and says why in its reasons.
void choose_axes(const ir::Kernel& kernel, ir::SizeTable& sizes, const PlanOverrides& overrides,
                 PhasePlan& phase);

}  // namespace tessera::emit
