// SPDX-License-Identifier: Apache-2.0
// What a shape of tiles costs, in closed form, and what it takes of a multiprocessor.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "emit/target.h"
#include "emit/tile_plan.h"

namespace tessera::emit {

/// How many blocks of a shape a multiprocessor holds, and what bounds them.
struct Occupancy {
  int blocks = 1;
  int by_shared_memory = 1, by_registers = 1, by_threads = 1;
  int by_shifted_memory = 1;  // where lines are shifted into place, for which tiles have ends
};
Occupancy occupancy(const ir::Kernel& kernel, const TilePlan& plan, const TileShape& shape,
                    const Target& target);

/// Clocks of a multiprocessor for a million multiply-adds of a large problem.
double price(const ir::Kernel& kernel, const TilePlan& plan, const TileShape& shape, const Target& target);

/// Whether copies to all stages but one arrive while what arrived before is multiplied, with as long to spare.
bool hides_copies(const ir::Kernel& kernel, const TilePlan& plan, const TileShape& shape, int blocks);

/// Clocks of a multiprocessor for 64 terms of each product in a unit: what sizes of tiles are compared by. With an axis, of
/// launches whose boxes are copied slowly, by clusters of blocks with neighbouring tiles along it.
int64_t round_clocks(const ir::Kernel& kernel, const TilePlan& plan, const TileShape& shape,
                     const std::optional<ir::AxisId>& slow_along = std::nullopt);

/// The same as a launcher has it: with an axis it knows whether boxes are copied slowly.
std::string clocks_in_launches(const ir::Kernel& kernel, const TilePlan& plan, const TileShape& shape,
                               const std::optional<ir::AxisId>& cluster_axis);

/// Whether the last two axes of the grid are tiles: only over these there is an order to choose.
bool has_raster(const ir::Kernel& kernel, const TilePlan& plan);

/// Rows of tiles that blocks walk over together, so that the blocks of one wave read the fewest rows and columns.
int best_raster(const ir::Kernel& kernel, const TilePlan& plan, const TileShape& shape, const Target& target);

/// Why a shape is as it is: a line each for tile, warps, stages, blocks and the order of blocks.
std::vector<std::string> reasons_of(const ir::Kernel& kernel, const TilePlan& plan, const TileShape& shape,
                                    const Target& target);

}  // namespace tessera::emit
