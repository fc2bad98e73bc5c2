// SPDX-License-Identifier: Apache-2.0
// A walk over what values are made of.
#pragma once

#include <set>
#include <vector>

#include "sema/ir/module.h"
#include "sema/ir/ops.h"

namespace tessera::ir {

/// Calls `enter` once with each value that `open` are made of, themselves first. It says whether to go on to the operands.
template <typename Enter>
void for_each_below(const Kernel& kernel, std::vector<ValueId> open, const Enter& enter) {
  std::set<ValueId> seen;
  while (!open.empty()) {
    const ValueId id = open.back();
    open.pop_back();
    if (!seen.insert(id).second || !enter(id)) continue;
    const std::vector<ValueId> operands = operands_of(kernel.values[id].op);
    open.insert(open.end(), operands.begin(), operands.end());
  }
}

}  // namespace tessera::ir
