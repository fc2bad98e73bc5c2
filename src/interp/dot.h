// SPDX-License-Identifier: Apache-2.0
// Products that are summed as they are made, in ascending order of coordinates: `dot` (R9).
#pragma once

#include "interp/tile.h"
#include "sema/ir/ops.h"

namespace tessera::interp {

/// Σ left · right over the axes of `op`, for each point of `frame`; `sum` is the type of the result. Both operands have
/// one representation. A term exists where both factors do; without terms the sum is 0.
Tile dot(const ir::Dot& op, const Tile& left, const Tile& right, DType sum, const Frame& frame);

}  // namespace tessera::interp
