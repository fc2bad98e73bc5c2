// SPDX-License-Identifier: Apache-2.0
// Operations that work point by point: the result at a point comes from the operands at that point.
//
// Each function gives the elements over `frame`; operands have a subset of its axes and are repeated along
// the others. Presence is combined apart (presence.h), so elements that do not exist may be computed, never
// observed.
#pragma once

#include "interp/tile.h"
#include "sema/ir/ops.h"

namespace tessera::interp {

/// A constant in the representation of its type; declared narrow floats are rounded to their type.
Tile constant_tile(const Frame& frame, const ir::Literal& literal, DType dtype, Numbers numbers);

Tile unary(ir::UnaryOp op, DType dtype, const Tile& operand, const Frame& frame);
/// `dtype` is the type of the operands.
Tile binary(ir::BinaryOp op, DType dtype, const Tile& left, const Tile& right, const Frame& frame);
Tile fused(const ir::FusedMultiplyAdd& op, const Tile& a, const Tile& b, const Tile& c, const Frame& frame);
Tile math_function(ir::MathFunction function, const Tile& operand, const Frame& frame);
Tile power(const Tile& base, const Tile& exponent, const Frame& frame);
Tile cast(const Tile& operand, DType from, DType to, Numbers numbers, const Frame& frame);
/// Elements of `if_true` where the condition is not 0, else of `if_false`.
Tile select(const Tile& condition, const Tile& if_true, const Tile& if_false, const Frame& frame);
/// The operand itself over `frame`; shares its elements if it has all axes.
Tile repeated(const Tile& operand, const Frame& frame);
/// The operand's elements, and which of them exist, at one position along `axis`; `frame` has its other axes.
Tile slice(const Tile& operand, ir::AxisId axis, int64_t position, const Frame& frame);

}  // namespace tessera::interp
