// SPDX-License-Identifier: Apache-2.0
// `where …`, `precision(…)`, `verify(…)` behind a kernel's parameters (R27, R28).
#pragma once

#include <vector>

#include "sema/context.h"

namespace tessera::sema {

/// The condition of an `@tile`: `when = M > 1024 && arch == sm_80`.
void check_when(Context& context, ast::ExprId condition, ir::Tiling& tiling);

void check_clauses(Context& context, const std::vector<ast::Clause>& clauses);

}  // namespace tessera::sema
