// SPDX-License-Identifier: Apache-2.0
// Expressions that the compiler works out: `const`, bounds of `static for`, generic arguments, picks.
#pragma once

#include <optional>
#include <vector>

#include "sema/context.h"

namespace tessera::sema {

/// The number that an expression of literals, constants and `static for` variables stands for; absent when it
/// contains anything else, or a mistake. Reports nothing.
std::optional<Number> constant_value(Context& context, ast::ExprId id);

/// The same for a place that needs an integer; anything else is reported as `what`.
std::optional<std::int64_t> constant_integer(Context& context, ast::ExprId id, const std::string& what);

/// Declares a `const`: a number or a list of numbers.
void declare_constant(Context& context, const ast::ConstDecl& declaration);

}  // namespace tessera::sema
