// SPDX-License-Identifier: Apache-2.0
// `v = e`, `v[c = 3] += e`, `A[m, n] = e` (R8, R10, R20).
#pragma once

#include "sema/context.h"

namespace tessera::sema {

void check_assignment(Context& context, const ast::AssignStmt& node, Span span);

/// Reports an axis of `value` that is not among `target_axes`; true if there is none. `target` names the place.
bool check_axes_fit(Context& context, ir::ValueId value, const std::vector<ir::AxisId>& target_axes,
                    const std::string& target, Span value_span, Span target_span,
                    std::optional<DType> declared = {});

}  // namespace tessera::sema
