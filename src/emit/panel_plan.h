// SPDX-License-Identifier: Apache-2.0
// What passes through shared memory on its way to a store, in phases by warpgroups, and the registers that all else takes.
#pragma once

#include <optional>
#include <set>
#include <vector>

#include "emit/tile_plan.h"

namespace tessera::emit {

/// Registers of a thread for values of a row or a column: more of them are read where they are needed.
inline constexpr int64_t kMostOfVector = 32;

/// Bytes of the place in shared memory that a panel of the runtime's StorePanel goes through, and columns of a panel of such
/// elements.
inline constexpr int64_t kPlaceBytes = 2048;
int64_t columns_of_panel(DType stored);

/// The values of rows or of columns that elements of tiles take, and that are worth to be computed once for many of them.
/// Of a condition that is computed these are what it compares; one that is read is itself.
std::set<ir::ValueId> vectors_for_tiles(const ir::Kernel& kernel, const TilePlan& plan);

/// Whether panels have elements of a type; panels whose lines are columns.
bool fits_panel(DType type);
bool fits_panel_of_columns(DType type);

/// Whether neighbours in a row of a tile are neighbours in memory, too, all of them inside: the last index runs along the
/// column by ones, and no other along it. Bit d of `in_bounds` says so of index d.
bool is_in_pairs(const ir::Kernel& kernel, ir::SizeTable& sizes, const std::vector<ir::ValueId>& indices,
                 uint32_t in_bounds, ir::AxisId column);

/// The axes of what a write stores, and of where.
std::vector<ir::AxisId> axes_of(const ir::Kernel& kernel, const ir::Write& write);

/// How lines of an output lie in the tile of it that is stored: they run along the one axis of the tile, and follow each other
/// along the other.
struct StoredLines {
  ir::AxisId along, across;
  bool are_rows;  // else they are columns
};

/// The lines of an output whose tiles warpgroups store in panels; nothing where they do not.
std::optional<StoredLines> lines_of_panels(const ir::Kernel& kernel, ir::SizeTable& sizes,
                                           const TilePlan& plan, const ir::Write& write);

/// Those of some axes that tiles lie along.
std::vector<ir::AxisId> axes_of_tiles(std::vector<ir::AxisId> axes, const TilePlan& plan);

/// Whether something with these axes has a value for each element of a tile.
bool is_tile(const std::vector<ir::AxisId>& axes, const TilePlan& plan);

/// Whether something with these axes has a value for each column of a tile, and for nothing else.
bool is_of_columns(const std::vector<ir::AxisId>& axes, const TilePlan& plan);

/// Registers of a thread for a value of each row or column; 0 for anything else.
int64_t registers_along(const std::vector<ir::AxisId>& axes, const TilePlan& plan, const TileShape& shape);

/// Registers of a thread for values of rows and columns: of what stands behind the last loop, and of all else.
struct VectorRegisters {
  int64_t others = 0, behind_loops = 0;
  int64_t all() const { return others + behind_loops; }
};

/// Those for what is read of rows and columns: nothing where only stores in panels take it and it is too much for threads to
/// hold.
VectorRegisters registers_of_vectors(const ir::Kernel& kernel, ir::SizeTable& sizes, const TilePlan& plan,
                                     const TileShape& shape);

/// Registers of a thread for the largest tile that a loop of the grid declares in each turn, and that has ended where the grid
/// stores: 0 if loops store, too.
int64_t registers_of_ended_tiles(const ir::Kernel& kernel, const TilePlan& plan, const TileShape& shape);

/// Registers of a thread for variables of rows and columns.
int64_t registers_of_variables(const ir::Kernel& kernel, const TilePlan& plan, const TileShape& shape);

/// Values that the lanes of a warp compute for its columns, of all stores.
int64_t columns_of_panels(const ir::Kernel& kernel, ir::SizeTable& sizes, const TilePlan& plan);

/// Registers of a thread for tensors that are read as panels are stored, and for what is taken from columns beside them.
int64_t registers_of_panels(const ir::Kernel& kernel, ir::SizeTable& sizes, const TilePlan& plan);

}  // namespace tessera::emit
