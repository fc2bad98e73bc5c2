// SPDX-License-Identifier: Apache-2.0
// Operators: types (R24), contraction to fused multiply-add, membership.
#pragma once

#include "sema/context.h"

namespace tessera::sema {

Operand check_unary(Context& context, const ast::Unary& node, Span span);
Operand check_membership(Context& context, const ast::Membership& node, Span span);

}  // namespace tessera::sema
