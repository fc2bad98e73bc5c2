// SPDX-License-Identifier: Apache-2.0
// What a shape of tiles takes of a multiprocessor's shared memory.
#pragma once

#include <cstdint>
#include <set>
#include <utility>
#include <vector>

#include "emit/target.h"
#include "emit/tile_plan.h"

namespace tessera::emit {

/// Bytes that the system takes for each block.
inline constexpr int kSystemBytes = 1024;

/// What brings tiles that follow one another: the axis of a loop, and the product that walks over it by itself.
using RingKey = std::pair<ir::AxisId, ir::ValueId>;
RingKey ring_of(const ir::Kernel& kernel, const TileProduct& product, const TileFactor& factor);
std::set<RingKey> rings_of(const ir::Kernel& kernel, const TilePlan& plan);

/// The tiles of each place in shared memory: one, but by warpgroups those of loops that follow one another take turns.
std::vector<std::vector<const TileFactor*>> tiles_by_place(const ir::Kernel& kernel, const TilePlan& plan);

/// Elements that a tile of a factor has room for along its width: of columns that boxes may bring lines along, whole panels.
int64_t room_along_width(const ir::Kernel& kernel, const TilePlan& plan, const TileFactor& factor,
                         const TileShape& shape);
/// Whether lines along the columns of the sums fill their panels.
bool has_whole_panels(const ir::Kernel& kernel, const TilePlan& plan, const TileShape& shape);
/// Of one tile of a factor.
int64_t tile_bytes(const ir::Kernel& kernel, const TilePlan& plan, const TileFactor& factor,
                   const TileShape& shape);

/// Of the factors' tiles, which a launch asks for.
int64_t tile_bytes(const ir::Kernel& kernel, const TilePlan& plan, const TileShape& shape);

/// What a launch asks for besides where lines are shifted into place: a chunk for each line of elements of 1 and 2 bytes;
/// longer ones are copied singly.
int64_t end_bytes(const ir::Kernel& kernel, const TilePlan& plan, const TileShape& shape);

/// What warps leave for each other of rows and columns that they reduce together.
int64_t exchanged_bytes(const ir::Kernel& kernel, const TilePlan& plan, const TileShape& shape);

/// At most: of arrays that the function declares, for what warps exchange of rows and columns, and for shared vectors.
int64_t static_bytes(const ir::Kernel& kernel, const TilePlan& plan, const TileShape& shape);

/// The same with what lies between them and the tiles, which begin at a multiple of their alignment.
int64_t bytes_before_tiles(const ir::Kernel& kernel, const TilePlan& plan, const TileShape& shape);

/// Blocks of so many bytes in all for which a multiprocessor has shared memory.
int blocks_in_memory(int64_t bytes, const Target& target);

}  // namespace tessera::emit
