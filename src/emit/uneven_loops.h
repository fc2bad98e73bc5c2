// SPDX-License-Identifier: Apache-2.0
// Loops whose number of rounds is not the same for all instances.
#pragma once

#include "sema/ir/module.h"

namespace tessera::emit {

/// Whether the rounds of a loop among statements, or inside of one, depend on more than extents.
bool has_uneven_loops(const ir::Kernel& kernel, ir::SizeTable& sizes, const ir::Block& statements);

/// Whether there are more of them the further along the grid an instance is: `t <= s` for rows s of the grid.
bool has_growing_loops(const ir::Kernel& kernel, ir::SizeTable& sizes, const ir::Grid& grid);

}  // namespace tessera::emit
