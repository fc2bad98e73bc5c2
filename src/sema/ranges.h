// SPDX-License-Identifier: Apache-2.0
// `name in domain by step` of `grid`, `for` and `let` (R5, R6).
#pragma once

#include <optional>

#include "sema/context.h"

namespace tessera::sema {

/// Declares one range and gives its axis; a mistake is reported, and the name is declared as an error.
std::optional<ir::AxisId> declare_range(Context& context, const ast::Range& range, ir::AxisKind kind);

/// Collects the names after `by` in a body that nothing declares: the plan parameters.
void collect_plan_parameters(Context& context, const ast::Block& body);

/// Reports names of `@tile` that no range used.
void check_tiles_used(Context& context);

}  // namespace tessera::sema
