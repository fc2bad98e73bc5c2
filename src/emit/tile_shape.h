// SPDX-License-Identifier: Apache-2.0
// Extents of tiles, warps and stages from what is asked for, what instructions take and what the chip has.
#pragma once

#include <optional>
#include <string>

#include "emit/tile_plan.h"

namespace tessera::emit {

/// Elements of a tile along an axis, at most: beyond no chip has room for one.
inline constexpr int64_t kLongestTile = 1024;

/// Fills the shapes of a plan. Returns why there is none, or "".
std::string choose_shapes(const ir::Kernel& kernel, ir::SizeTable& sizes, const Target& target,
                          const PlanOverrides& overrides, TilePlan& plan);

/// A shape of the plan with half as much of each axis of the grid that nothing fixes; none where that cannot be.
std::optional<TileShape> half_of(const ir::Kernel& kernel, ir::SizeTable& sizes, const Target& target,
                                 const PlanOverrides& overrides, TilePlan& plan, const TileShape& shape);

/// How much of the depth one instruction takes of factors of a type.
int64_t instruction_depth(DType factor, bool is_tf32);

/// What the depth of a tile is a multiple of for that: products of f64 take the depth in another order, within sixteens.
int64_t depth_of_tiles(DType factor, bool is_tf32);

}  // namespace tessera::emit
