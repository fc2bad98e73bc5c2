// SPDX-License-Identifier: Apache-2.0
// Reductions: what exists of a tile, folded along axes in ascending order of coordinates.
#pragma once

#include "interp/tile.h"
#include "sema/ir/ops.h"

namespace tessera::interp {

/// Folds `operand`, of element type `element`, to the axes of `frame`. `first_coordinate` is where the folded
/// axis begins, for argmax and argmin. Sums of nothing are the unit; extremes of nothing do not exist (R10).
Tile reduce(ir::ReduceOp op, const Tile& operand, DType element, int64_t first_coordinate,
            const Frame& frame);

}  // namespace tessera::interp
