// SPDX-License-Identifier: Apache-2.0
// The axes that brackets name behind a reduction or a product: `sum[k, c](…)`.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "sema/context.h"

namespace tessera::sema {

/// What is folded, and how it is called.
struct FoldedOperand {
  const std::string& callee;
  Span callee_span;
  ir::ValueId operand;
  Span operand_span;
  ast::ExprId written;  ///< the operand in the source, if it is one expression
};

/// The named axes, ascending; all are axes of the operand and may be folded (R11). Anything else is reported.
std::optional<std::vector<ir::AxisId>> folded_axes(Context& context, const FoldedOperand& folded,
                                                   const std::vector<ast::Name>& names);

/// A variable has all its declared axes, even where its value lacks some by being the same along them; other
/// values stay what they are.
ir::ValueId with_declared_axes(Context& context, ir::ValueId value, ast::ExprId written, Span span);

}  // namespace tessera::sema
