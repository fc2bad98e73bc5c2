// SPDX-License-Identifier: Apache-2.0
// Loops whose number of rounds is not the same for all instances.
#pragma once

#include "emit/tile_plan.h"

namespace tessera::emit {

/// Whether the rounds of a loop among statements, or inside of one, depend on more than extents.
bool has_uneven_loops(const ir::Kernel& kernel, ir::SizeTable& sizes, const ir::Block& statements);

/// How the number of rounds changes along an axis of the grid: of `t <= s` it rises along s.
enum class Rounds { same, rise, fall, differ };
Rounds rounds_along(const ir::Kernel& kernel, ir::SizeTable& sizes, const ir::Grid& grid, ir::AxisId axis);

/// Whether blocks walk over groups of instances along the last axis of the grid but one, so that those with as many rounds
/// follow one another; those of a group read the same tensors, which the second-level cache holds.
bool groups_uneven_units(const ir::Kernel& kernel, ir::SizeTable& sizes, const TilePlan& plan);

}  // namespace tessera::emit
