// SPDX-License-Identifier: Apache-2.0
// Invariants of the IR, checked after every pass.
#pragma once

#include <string>
#include <vector>

#include "sema/ir/module.h"

namespace tessera::ir {

/// Every broken invariant as one sentence; empty for a sound kernel. Checked: ids are in range, a value is defined
/// once and before its uses, axes are the union (less the reduced and picked ones) of the operands', every axis is
/// bound where it is used, operand and result types fit the operation, `total` claims nothing an operand refutes,
/// variables are declared before they are read, writes go to outputs.
std::vector<std::string> verify(const Kernel& kernel);

}  // namespace tessera::ir
