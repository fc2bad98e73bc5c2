// SPDX-License-Identifier: Apache-2.0
// Tiles whose rows and columns have changed places, for factors that lie across what is summed over.
#pragma once

#include <optional>

#include "emit/tile_plan.h"

namespace tessera::emit {

/// Warpgroups multiply elements of 1 and 4 bytes along what is summed over alone; only rows may be turned on their way, through
/// registers. So where the lines of a phase's columns lie across it, its tiles change their rows and columns. The general
/// plan with them changed, which by_warpgroups makes a plan of; nothing where tensors are copied into lines instead: if
/// something is asked for, several factors are columns, or elements are read or stored one by one. `groups`: the plan by
/// warpgroups as it is.
std::optional<TilePlan> turn_tiles(const ir::Kernel& kernel, const PlanOverrides& overrides,
                                   ir::SizeTable& sizes, const TilePlan& general, const TilePlan& groups);

/// Registers of a thread for the rows of a tile that it has turned.
int64_t registers_of_turned_rows(const ir::Kernel& kernel, const TilePlan& plan, const TileShape& shape);

}  // namespace tessera::emit
