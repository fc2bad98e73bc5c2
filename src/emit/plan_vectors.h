// SPDX-License-Identifier: Apache-2.0
// Which accesses move in vectors along the lanes that were chosen, and to which lines these keep.
#pragma once

#include "emit/plan.h"

namespace tessera::emit {

/// Fills in what a phase says of vectors, anchors, windows and strips. Lanes and units have been chosen.
void choose_vectors(const ir::Kernel& kernel, ir::SizeTable& sizes, const PlanOverrides& overrides,
                    PhasePlan& phase);

}  // namespace tessera::emit
