// SPDX-License-Identifier: Apache-2.0
// Functions of the user: pure, inlined at every call, and lifted to tiles when their parameters are scalars (R21).
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "sema/context.h"

namespace tessera::sema {

/// The result of a call of a `fn` with these arguments.
Operand call_function(Context& context, const FunctionEntity& function, const std::string& name,
                      const std::vector<Operand>& arguments, Span span);

/// The arguments that a call has to give: the others have initial values.
std::size_t required_arguments(const ast::FnDecl& function);

/// Declares a `fn` in the innermost frame.
void declare_function(Context& context, ast::DeclId declaration);

}  // namespace tessera::sema
