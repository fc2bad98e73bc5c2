// SPDX-License-Identifier: Apache-2.0
// Operands become values of a type: literals take the type of their neighbour, narrow floats compute in f32, and
// nothing is narrowed without `as` (R24).
#pragma once

#include <optional>
#include <vector>

#include "sema/context.h"

namespace tessera::sema {

enum class Meeting {
  arithmetic,  ///< narrow floats become f32
  storage,     ///< max, min, picks, where, `??`: two operands of one type keep it
};

/// The type in which the operands meet; a mismatch is reported at `span`. All of them may be literals.
std::optional<DType> meeting_type(Context& context, const std::vector<Operand>& operands, Meeting meeting,
                                  Span span);

/// Of two types that do not meet: whether converting the left one loses less.
bool widens_left(DType left, DType right);

/// The operand as a value of a type that it meets in. A literal that the type cannot hold is reported.
std::optional<ir::ValueId> materialize(Context& context, const Operand& operand, DType dtype);

/// The operand as a value of its own type; a literal becomes i32, f32 (f64 in an f64 kernel) or bool.
std::optional<ir::ValueId> materialize(Context& context, const Operand& operand);

/// Reports a number that is outside of a type.
void report_does_not_fit(Context& context, const Number& number, Span span, DType dtype);

/// Reports a number that is not even inside `i64` or `f64`, the widest types.
void report_too_large(Context& context, const std::string& number, Span span, DType widest);

/// The type that `materialize` without a type would give; absent for poison.
std::optional<DType> own_type(const Context& context, const Operand& operand);

/// The operand where a type is declared (store, `var`, parameter): converted if that loses nothing, else reported
/// with `as` as the suggestion. `target` names the place: "`y`"; `written` is the expression, if there is one.
std::optional<ir::ValueId> convert_for(Context& context, const Operand& operand, DType dtype,
                                       const std::string& target, Span target_span, ast::ExprId written = {});

/// `e as T`.
Operand cast_operand(Context& context, const Operand& operand, DType dtype, Span span);

}  // namespace tessera::sema
