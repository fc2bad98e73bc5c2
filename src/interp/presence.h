// SPDX-License-Identifier: Apache-2.0
// Which elements exist: masks combined as R10 says. A null mask means that all do.
#pragma once

#include <initializer_list>
#include <memory>

#include "interp/tile.h"

namespace tessera::interp {

using Mask = std::shared_ptr<uint8_t[]>;

/// Where all operands exist.
Mask all_present(const Frame& frame, std::initializer_list<const Tile*> operands);
/// where(c, a): where `a` and `condition` exist and the condition is true.
Mask filter_present(const Frame& frame, const Tile& condition, const Tile& operand);
/// where(c, a, b): where the condition and the chosen side exist.
Mask select_present(const Frame& frame, const Tile& condition, const Tile& if_true, const Tile& if_false);
/// a ?? b: where either exists.
Mask coalesce_present(const Frame& frame, const Tile& operand, const Tile& fallback);
/// The mask of a tile as a tile of bools over the tile's own frame (all true without one).
Tile mask_tile(const Tile& tile);
/// The position of the first element that does not exist, or -1.
int64_t first_absent(const Tile& tile);

}  // namespace tessera::interp
