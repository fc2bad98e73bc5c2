// SPDX-License-Identifier: Apache-2.0
// Element types: names, and which type two operands meet in (R24).
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "sema/context.h"

namespace tessera::sema {

/// The element type of that name, a `<type>` generic included; an unknown one is reported, with what else may stand
/// there.
std::optional<DType> resolve_type(Context& context, const ast::Name& name,
                                  const std::vector<std::string>& others = {});

/// The floating type of a literal that meets no other operand: f32, and f64 in an f64 kernel.
inline DType lone_float(const Context& context) { return context.is_f64 ? DType::f64 : DType::f32; }

/// The type in which two values meet: their own if they agree; f32 for two narrow floats or one with f32; index
/// for i32 with index. Absent when one of them has to be converted by the user (R24).
std::optional<DType> common_type(DType left, DType right);

/// True when every value of `from` is one of `to` and both are floats, or i32 meets index: such a conversion
/// needs no `as`.
bool widens(DType from, DType to);

}  // namespace tessera::sema
