// SPDX-License-Identifier: Apache-2.0
// Parameters of a kernel: tensors, scalars, and the dimension symbols in their types (R13, R28).
#pragma once

#include <vector>

#include "sema/context.h"

namespace tessera::sema {

/// `body` tells what a parameter without a direction is used for.
void check_parameters(Context& context, const std::vector<ast::Parameter>& parameters, Span body);

/// Reports symbols that stand bare in no parameter: the launcher could not find their values.
void check_symbols_bare(Context& context);

}  // namespace tessera::sema
