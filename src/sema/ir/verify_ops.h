// SPDX-License-Identifier: Apache-2.0
// The rules of single operations: types, axes, totality.
#pragma once

#include <string>
#include <vector>

#include "sema/ir/module.h"

namespace tessera::ir {

/// What is wrong with the operation of one value, as sentences without the value's name. Ids in the operation
/// must be in range; `bad_reference` tells.
std::vector<std::string> verify_operation(const Kernel& kernel, const Value& value);

/// A sentence on the first id of an operation that names nothing in the kernel, or "".
std::string bad_reference(const Kernel& kernel, const Op& op);

/// The union of the axes of several values, ascending.
std::vector<AxisId> union_of_axes(const Kernel& kernel, const std::vector<ValueId>& values);

}  // namespace tessera::ir
