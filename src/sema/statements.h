// SPDX-License-Identifier: Apache-2.0
// Statements of a grid's body and of functions.
#pragma once

#include "sema/context.h"

namespace tessera::sema {

/// The statements of a block, in a scope of their own.
void check_block(Context& context, const ast::Block& block);

/// A statement of a function: only `let` and `const` have a meaning there. False if it has a mistake.
bool check_function_statement(Context& context, ast::StmtId id);

}  // namespace tessera::sema
