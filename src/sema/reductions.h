// SPDX-License-Identifier: Apache-2.0
// `sum[k](x)` and its like: what exists is folded along axes (R10, R11).
#pragma once

#include <string>
#include <vector>

#include "sema/context.h"

namespace tessera::sema {

bool is_reduction(const std::string& name);

Operand check_reduction(Context& context, const std::string& name, Span name_span,
                        const std::vector<ast::Name>& axes, const Operand& operand, ast::ExprId operand_expr,
                        Span span);

}  // namespace tessera::sema
