// SPDX-License-Identifier: Apache-2.0
// Whether a phase in tiles can run with roles: a warp that asks for boxes, warpgroups that multiply. And in which tiles.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "emit/target.h"
#include "emit/tile_plan.h"

namespace tessera::emit {

/// The shapes of a phase by warpgroups, the largest first, or why there is none.
struct GroupShapes {
  std::vector<TileShape> shapes = {};
  std::string reason = {};
  bool is_of_phase = false;  // the reason: in no tiles can the phase run so
};

/// A general plan of a phase, and the warpgroups that are asked for, if so many are.
struct GroupQuestion {
  const ir::Kernel& kernel;
  ir::SizeTable& sizes;
  const Target& target;
  const PlanOverrides& overrides;
  const TilePlan& plan;
  std::optional<int> groups;
};

/// The shapes in which so many warpgroups, or as many as suit it, run the phase of a plan: its factors are boxes of tensors
/// that one loop brings, or several that follow one another, or what threads compute from such, and nothing else passes
/// between warps. Where the user leaves tiles to the planner there are smaller ones too, which keep a device busy with less,
/// and some have a team each if they may, see team_plan.h.
GroupShapes choose_group_shapes(const GroupQuestion& question, bool may_have_teams = false);

/// What keeps a phase from it in all tiles; "" if nothing does. `plan`: that by warpgroups.
std::string obstacle_to_groups(const GroupQuestion& question, const TilePlan& plan);

/// The axis of the grid along which tiles of neighbouring blocks share factors: the only one of rows; none where there are
/// several, or where the rounds of a loop depend on the tile.
std::optional<ir::AxisId> cluster_axis(const ir::Kernel& kernel, ir::SizeTable& sizes, const TilePlan& plan);

/// Whether blocks with neighbouring tiles along an axis read the same tiles of a factor, one after another.
bool is_shared_along(const ir::Kernel& kernel, const TileFactor& factor, ir::AxisId axis);

/// Of a plan with a cluster axis, the axis of the grid across the first such tile: other blocks have other columns of it. None
/// where all blocks have the same.
std::optional<ir::AxisId> shared_columns(const ir::Kernel& kernel, const TilePlan& plan);

/// Whether an index runs along a whole dimension of its tensor with the coordinates of an axis: the copy engine sees the end
/// of both.
bool is_whole_dimension(const ir::Kernel& kernel, ir::SizeTable& sizes, ir::ValueId index, ir::AxisId axis,
                        ir::SizeId dimension);

/// The plan by warpgroups of a general one; it has no shape yet. Factors of fp8 are multiplied as they are, those that may
/// be split in parts.
TilePlan by_warpgroups(const ir::Kernel& kernel, TilePlan plan);

/// The axis that lines of a tile run along which threads compute a factor from, or that they compute: the last dimension, as
/// it is declared, of the tensor, or of the first of those that it is computed from. Of 8 bits computed lines run along what
/// is summed over.
ir::AxisId axis_of_lines(const ir::Kernel& kernel, const TileFactor& tile);

/// Loads that may lie in memory either way, of which there is a function for each order; of more there is one for all.
inline constexpr size_t kMostOrders = 2;

/// Whether factors have few enough orders in memory for a function of each: then those of the shapes that `is_of_orders`
/// have one.
bool may_have_orders(const ir::Kernel& kernel, const TilePlan& plan, const std::vector<TileShape>& shapes);

/// Whether tiles of a shape are done so soon that asking in each round which way lines run would take long beside it. The
/// smallest are for few rows, of which each round waits for memory anyway. And whether warps read what they multiply by
/// themselves: for each order another text.
bool is_of_orders(const ir::Kernel& kernel, const TilePlan& plan, const TileShape& shape);

}  // namespace tessera::emit
