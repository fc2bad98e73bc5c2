// SPDX-License-Identifier: Apache-2.0
// Teams: the warpgroups of a block that multiply take tiles in turn, so that the Tensor Cores have the products of one while
// what becomes of another is computed and stored. Else they share each tile, and all of them wait for that.
#pragma once

#include <map>

#include "emit/plan_requests.h"
#include "emit/tile_plan.h"

namespace tessera::emit {

/// Whether the instances of a phase by warpgroups may have a team each: where one loop brings all factors and does nothing
/// but sum products that stay under way, and nobody asks for other tiles. `uses` of each value, by values and statements.
bool may_have_teams(const ir::Kernel& kernel, const std::map<ir::ValueId, int>& uses, ir::SizeTable& sizes,
                    const PlanOverrides& overrides, const TilePlan& plan);

/// Registers of a thread for what it reads beside the tiles of an instance: nothing of columns, where that passes through
/// shared memory.
int64_t registers_beside_tiles(const ir::Kernel& kernel, ir::SizeTable& sizes, const TilePlan& plan,
                               const TileShape& shape);

/// Clocks from the last product of a tile until what becomes of its sums is stored, of a multiprocessor that does nothing
/// else, or of one team beside the products of another: a rough count of instructions.
int64_t clocks_behind_products(const ir::Kernel& kernel, const TilePlan& plan, const TileShape& shape);

/// Whether blocks had better share the terms of a tile that all their groups hold together than of one that a team holds: a
/// team would be done with a lone tile much later, or has no registers left beside its sums to add those of others.
bool shares_terms_together(const ir::Kernel& kernel, const TilePlan& plan, const TileShape& of_team,
                           const TileShape& of_all);

}  // namespace tessera::emit
