// SPDX-License-Identifier: Apache-2.0
// Access to every place where a kernel names a value, for passes that replace or renumber values.
#pragma once

#include <functional>

#include "sema/ir/module.h"

namespace tessera::ir {

/// Calls `visit` with a reference to each operand of an operation.
void for_each_operand(Op& op, const std::function<void(ValueId&)>& visit);

/// Calls `visit` with a reference to each value that a statement reads; not those inside a loop's body, and not
/// the value that a definition defines.
void for_each_operand(Statement& statement, const std::function<void(ValueId&)>& visit);

/// Numbers the values in the order of their definitions; those without one are gone.
void number_values(Kernel& kernel);

}  // namespace tessera::ir
