// SPDX-License-Identifier: Apache-2.0
// Tiles whose rows and columns have changed places, for factors that lie across what is summed over.
#pragma once

#include <string>
#include <vector>

#include "emit/tile_plan.h"

namespace tessera::emit {

/// Warpgroups multiply elements of 1 and 4 bytes along what is summed over alone; but rows may be turned on their way, through
/// registers. Plans for the launches in which a factor lies across: rows as they are; and for columns, tiles that change
/// their rows and columns. These are general plans, of which by_warpgroups makes others; none where something is asked for,
/// where several tensors would have to lie so, or where elements would be stored one by one: tensors are copied into lines
/// there. `groups`: the plan by warpgroups of those that lie along it.
std::vector<TilePlan> turned_plans(const ir::Kernel& kernel, const PlanOverrides& overrides,
                                   ir::SizeTable& sizes, const TilePlan& general, const TilePlan& groups);

/// What the function of a plan is called, behind the name of its kernel.
std::string suffix_of(const TilePlan& plan);

/// Registers of a thread for the rows of a tile that it has turned.
int64_t registers_of_turned_rows(const ir::Kernel& kernel, const TilePlan& plan, const TileShape& shape);

}  // namespace tessera::emit
