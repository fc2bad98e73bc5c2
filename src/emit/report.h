// SPDX-License-Identifier: Apache-2.0
// The resource report: what a kernel moves, computes and occupies, found without nvcc and without a GPU.
#pragma once

#include <string>

#include "emit/lower.h"

namespace tessera::emit {

std::string report(const KernelPlan& plan, const LoweredPhase& lowered);

}  // namespace tessera::emit
