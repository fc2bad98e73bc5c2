// SPDX-License-Identifier: Apache-2.0
// Chooses the instantiations of the lowered functions that the launcher picks from.
#pragma once

#include "emit/lower.h"

namespace tessera::emit {

/// Fills `plan.phase.variants`: group sizes, vector widths and strips, in the order in which the launcher tries them;
/// the last one takes everything that is left. At most six.
void choose_variants(KernelPlan& plan, const LoweredPhase& lowered, const PlanOverrides& overrides);

}  // namespace tessera::emit
