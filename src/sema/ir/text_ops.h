// SPDX-License-Identifier: Apache-2.0
// Operations in the text form of the IR: `load x[%0, %2] in_bounds(0, 1)`.
#pragma once

#include <vector>

#include "sema/ir/ops.h"
#include "sema/ir/text_lexer.h"
#include "sema/ir/text_scope.h"

namespace tessera::ir {

/// One operation whose result has type `dtype`, which says how a constant is spelled.
Op read_op(Lexer& lexer, TextScope& scope, DType dtype);
Literal read_literal(Lexer& lexer, DType dtype);
/// `[%0, %2]`
std::vector<ValueId> read_indices(Lexer& lexer, TextScope& scope);
/// `in_bounds(0, 2)` as bits, or 0.
uint32_t read_in_bounds(Lexer& lexer);

}  // namespace tessera::ir
