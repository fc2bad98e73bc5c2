// SPDX-License-Identifier: Apache-2.0
// Generic parameters and what an `instance` or a default binds them to (R22).
#pragma once

#include <vector>

#include "sema/context.h"

namespace tessera::sema {

/// Declares the generics of a kernel, each bound to its argument or else its default. `instance_name` is the
/// place to report a missing argument at.
void bind_generics(Context& context, const std::vector<ast::GenericParameter>& parameters,
                   const std::vector<ast::GenericArgument>& arguments, Span instance_name);

/// True if every parameter has a default.
bool has_all_defaults(const std::vector<ast::GenericParameter>& parameters);

}  // namespace tessera::sema
