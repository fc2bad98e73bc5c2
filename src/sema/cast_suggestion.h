// SPDX-License-Identifier: Apache-2.0
// Where an `as` belongs so that a value fits its place and the result is the one that was meant.
#pragma once

#include "sema/context.h"

namespace tessera::sema {

/// Adds to a report about an expression of type `own` that `dtype` is needed the place where `as` is to stand: in
/// the `as` that is written already, within a sum of narrow integers (which would wrap before an outer conversion),
/// else behind the expression. `written` is not valid where no single expression stands for the value.
void suggest_cast(const Context& context, DiagnosticBuilder& report, ast::ExprId written, Span span, DType own,
                  DType dtype);

}  // namespace tessera::sema
