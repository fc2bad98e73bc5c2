// SPDX-License-Identifier: Apache-2.0
// Which tiles live in registers at the same time.
#pragma once

#include <map>
#include <optional>
#include <set>
#include <variant>
#include <vector>

#include "emit/tile_plan.h"

namespace tessera::emit {

/// A tile in registers: a variable, or a value that is held because it is a product or used by several.
using LiveTile = std::variant<ir::VariableId, ir::ValueId>;

/// The values of tiles that more than one statement, product, fold or other such value takes, so that threads hold them: what
/// only one of those takes is computed element by element where that is.
std::set<ir::ValueId> shared_tiles(const ir::Kernel& kernel, const TilePlan& plan);

/// Whether an operation with a result of a type is `x - y` or `x * z - y` of floats, whose products can be subtracted where
/// they are computed.
bool subtracts(const ir::Op& op, DType type);

/// The product that an assignment adds to what its variable becomes, so that it needs no place of its own: `v = x + dot(…)`,
/// `v = x - dot(…)` of floats, `v = x * y + dot(…)`, `v = x * y - dot(…)`, the last two also in `(…) ?? v`, which an
/// assignment of what may not exist means. `uses` of each value, by values and statements.
std::optional<ir::ValueId> product_summand(const ir::Kernel& kernel, const std::map<ir::ValueId, int>& uses,
                                           const ir::Assign& assign);

/// The tiles that live behind each statement of the grid, in the order of the program. What is computed element by
/// element from a tile takes that tile's place where it is used for the last time.
std::vector<std::vector<LiveTile>> live_tiles(const ir::Kernel& kernel, const TilePlan& plan);

/// Registers of a thread for the tiles of a shape that live at the same time, the most anywhere in the grid.
int64_t tile_registers(const ir::Kernel& kernel, const TilePlan& plan,
                       const std::vector<std::vector<LiveTile>>& live, const TileShape& shape);

/// Registers of a thread for what it reads of factors for one step of the product that reads most. Lanes share out what
/// instructions take of a warp's rows and columns; to multiply by fma four lanes read the same rows, and eight the same
/// columns.
int64_t step_registers(const ir::Kernel& kernel, const TilePlan& plan, const TileShape& shape);

}  // namespace tessera::emit
