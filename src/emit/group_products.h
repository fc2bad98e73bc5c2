// SPDX-License-Identifier: Apache-2.0
// What products by warpgroups are like: whose instructions they have, and what threads have to do beside them.
#pragma once

#include <map>
#include <string>

#include "emit/tile_plan.h"

namespace tessera::emit {

/// Whether factors of a type may lie in memory either way; else their lines run along what is summed over.
bool has_either_order(DType factor);

/// Whether the warps of a group multiply by themselves what copies bring, as doubles, of which warpgroups have no
/// instructions.
bool is_by_warps(const ir::Kernel& kernel, const TileProduct& product);

/// Whether a plan has such products.
bool has_products_by_warps(const ir::Kernel& kernel, const TilePlan& plan);

/// Whether the sums of a product keep few bits, so that threads add up what becomes of each tile.
bool is_promoted(const ir::Kernel& kernel, const TileProduct& product);

/// Whether threads go on behind a product when it is done, and with it what they do to its sums.
bool is_done_at_once(const ir::Kernel& kernel, const TileProduct& product);

/// Whether threads both compute factors of products and take what becomes of these, round by round: neither is done beside
/// products then, and warps that multiply by themselves are quicker.
bool takes_turns_with_products(const ir::Kernel& kernel, const std::map<ir::ValueId, int>& uses,
                               const TilePlan& plan);

/// The header of the runtime with the instructions of a product by warpgroups.
std::string header_of_instructions(const ir::Kernel& kernel, const TileProduct& product);

}  // namespace tessera::emit
