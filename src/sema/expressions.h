// SPDX-License-Identifier: Apache-2.0
// Expressions: from syntax to values. Every mistake is reported once; its result is poison.
#pragma once

#include <optional>

#include "sema/context.h"

namespace tessera::sema {

/// The operand that an expression stands for.
Operand check_expression(Context& context, ast::ExprId id);

/// An operation on two operands, as `left op right` and as `target op= value`. The expressions behind the
/// operands are those of the source, or not valid: a product among them is contracted (R24).
Operand check_binary(Context& context, ast::BinaryOp op, const Operand& left, ast::ExprId left_expr,
                     const Operand& right, ast::ExprId right_expr, Span span, Span op_span);

/// A value of type bool for a condition; anything else is reported.
std::optional<ir::ValueId> check_condition(Context& context, const Operand& operand,
                                           const std::string& of_what);

/// "axes r, C", "axis r" or "no axes".
std::string describe_axes(const Context& context, const std::vector<ir::AxisId>& axes);

}  // namespace tessera::sema
