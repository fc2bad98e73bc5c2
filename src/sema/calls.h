// SPDX-License-Identifier: Apache-2.0
// Calls: the library, reductions, functions of the user.
#pragma once

#include "sema/context.h"

namespace tessera::sema {

/// Any call.
Operand check_call(Context& context, const ast::Call& node, Span span);

/// Whether the library has a function of that name, implemented or not.
bool is_library_function(const std::string& name);

/// A scalar function of the library applied to operands: `exp`, `clamp`, … but no reduction and no `where`.
Operand call_library(Context& context, const std::string& name, const std::vector<Operand>& arguments,
                     Span span, Span name_span);

}  // namespace tessera::sema
