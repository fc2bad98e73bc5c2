// SPDX-License-Identifier: Apache-2.0
// `dot(a, b)`: products summed along the axes that both factors have (R9).
#pragma once

#include <string>
#include <vector>

#include "sema/context.h"

namespace tessera::sema {

/// A call of `dot` with its factors checked already.
Operand check_dot(Context& context, const ast::Call& node, const std::vector<Operand>& factors, Span span,
                  Span name_span);

}  // namespace tessera::sema
