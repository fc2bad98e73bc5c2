// SPDX-License-Identifier: Apache-2.0
// Whether a phase in tiles can run with roles: a warp that asks for boxes, warpgroups that multiply. And in which tiles.
#pragma once

#include <optional>
#include <string>

#include "emit/target.h"
#include "emit/tile_plan.h"

namespace tessera::emit {

/// The shape of a phase by warpgroups, or why there is none.
struct GroupShape {
  std::optional<TileShape> shape;
  std::string reason = {};
  bool is_of_phase = false;  // the reason: in no tiles can the phase run so
};

/// The shape in which `groups` warpgroups run the phase of a plan: all of its factors are boxes of tensors that one loop
/// brings, and nothing else passes between warps.
GroupShape choose_group_shape(const ir::Kernel& kernel, ir::SizeTable& sizes, const Target& target,
                              const PlanOverrides& overrides, const TilePlan& plan, int groups);

/// The plan by warpgroups that has no shape yet.
TilePlan by_warpgroups(TilePlan plan);

}  // namespace tessera::emit
