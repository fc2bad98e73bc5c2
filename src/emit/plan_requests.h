// SPDX-License-Identifier: Apache-2.0
// Requests of the user to the planner: honoured, or refused with the reason.
#pragma once

#include "emit/plan.h"

namespace tessera::emit {

/// Reports every request of the kernel (and of the command line) that cannot be honoured on the target; true when all can.
bool check_requests(const ir::Kernel& kernel, const Target& target, const PlanOverrides& overrides,
                    DiagnosticSink& sink);

/// Warps of a block that `@warps` or the overrides ask for; nothing when the planner is free.
std::optional<int> requested_warps(const ir::Kernel& kernel, const PlanOverrides& overrides);

}  // namespace tessera::emit
