// SPDX-License-Identifier: Apache-2.0
// Exact simplification of an operation before it becomes a value: sizes, constants, and identities that hold for
// every operand including NaN, infinities and absent elements (R24, R25).
//   index 2 * Extent(Q) + 1  ->  Extent(2*Q + 1)        x + 0 (integers)  ->  x
//   where(true, a, b)        ->  a, if no axis is lost   pick[c = 3](c)    ->  3
//   clamp(x, -128, 127) as i8 ->  x as i8, which saturates
#pragma once

#include <optional>

#include "sema/ir/module.h"

namespace tessera::sema {

class Builder;

/// The value that stands for `op`, or nothing when it has to be computed. May add simpler values to `builder`.
std::optional<ir::ValueId> fold(Builder& builder, const ir::Op& op, DType dtype, Span span);

}  // namespace tessera::sema
