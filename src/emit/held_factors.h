// SPDX-License-Identifier: Apache-2.0
// Factors of warpgroups that pass no ring: tiles that are brought once for an instance, and rows that lie in registers.
#pragma once

#include "emit/tile_plan.h"

namespace tessera::emit {

/// Whether a part of a tensor is the same in all rounds of all loops of an instance.
bool is_same_in_loops(const ir::Kernel& kernel, ir::ValueId load);

/// Registers of a thread, beside sums, where warpgroups take rows of products from registers.
int64_t registers_beside_held_rows(const ir::Kernel& kernel, const TilePlan& plan, const TileShape& shape);

/// Whether warpgroups take the rows of a product from registers.
bool has_held_rows(const TilePlan& plan);

}  // namespace tessera::emit
