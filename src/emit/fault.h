// SPDX-License-Identifier: Apache-2.0
// Planted faults: what tests leave out of lowered programs to see that the host twin notices.
#pragma once

#include "emit/emit.h"
#include "emit/lower.h"

namespace tessera::emit {

/// Leaves out the construct that `fault` names, in every function that has it. True when there was one.
bool plant_fault(const Fault& fault, LoweredPhase& phase);

}  // namespace tessera::emit
