// SPDX-License-Identifier: Apache-2.0
// Requests of the user to the planner: honoured, or refused with the reason.
#pragma once

#include "emit/plan.h"

namespace tessera::emit {

/// Reports every request of the kernel (and of the command line) that cannot be honoured on the target; true when all can.
bool check_requests(const ir::Kernel& kernel, const Target& target, const PlanOverrides& overrides,
                    DiagnosticSink& sink);

/// The requests before the kernel, then those of its grids.
std::vector<const ir::Request*> all_requests(const ir::Kernel& kernel);

/// Warps of a block that `@warps` or the overrides ask for; nothing when the planner is free.
std::optional<int> requested_warps(const ir::Kernel& kernel, const PlanOverrides& overrides);
/// The same for the stages of rings: `@stages` or `@pipeline`.
std::optional<int> requested_stages(const ir::Kernel& kernel, const PlanOverrides& overrides);
/// The same for the blocks of a cluster: `@cluster`.
std::optional<int> requested_cluster(const ir::Kernel& kernel, const PlanOverrides& overrides);
/// The same for the blocks that share the terms of a tile: `@split`.
std::optional<int> requested_split(const ir::Kernel& kernel, const PlanOverrides& overrides);

/// The same for the rows of tiles that blocks walk over together: `@raster`.
std::optional<int> requested_raster(const ir::Kernel& kernel, const PlanOverrides& overrides);
/// The same for the warpgroups that multiply what another warp copies: `@warpgroups`.
std::optional<int> requested_warpgroups(const ir::Kernel& kernel, const PlanOverrides& overrides);

}  // namespace tessera::emit
