// SPDX-License-Identifier: Apache-2.0
// A walk over statements.
#pragma once

#include "sema/ir/module.h"

namespace tessera::ir {

/// Calls `visit` with every statement of a block, those inside loops included.
template <typename BlockT, typename Visit>
void for_each_statement(BlockT& block, const Visit& visit) {
  for (auto& statement : block) {
    visit(statement);
    if (auto* loop = std::get_if<Loop>(&statement.node)) for_each_statement(loop->body, visit);
  }
}

}  // namespace tessera::ir
