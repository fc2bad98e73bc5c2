// SPDX-License-Identifier: Apache-2.0
// See uneven_loops.h.
#include "emit/uneven_loops.h"

#include <algorithm>

#include "sema/ir/statements.h"
#include "sema/ir/without_points.h"

namespace tessera::emit {

namespace {

/// Calls visit(end) for the comparisons that end a loop early, or begin it late.
template <typename Visit>
void for_each_end(const ir::Kernel& kernel, ir::SizeTable& sizes, const ir::Block& statements,
                  const Visit& visit) {
  ir::for_each_statement(statements, [&](const ir::Statement& statement) {
    const auto* loop = std::get_if<ir::Loop>(&statement.node);
    if (loop == nullptr) return;
    for (const ir::Conjunct& end : ir::ends_of_loop(kernel, sizes, *loop)) visit(end);
  });
}

}  // namespace

bool has_uneven_loops(const ir::Kernel& kernel, ir::SizeTable& sizes, const ir::Block& statements) {
  bool found = false;
  for_each_end(kernel, sizes, statements, [&](const ir::Conjunct&) { found = true; });
  return found;
}

// Of a comparison that a form is at least zero: what is added to the form lets more rounds pass, at either end of a loop.
bool has_growing_loops(const ir::Kernel& kernel, ir::SizeTable& sizes, const ir::Grid& grid) {
  bool grows = false, shrinks = false;
  for_each_end(kernel, sizes, grid.body, [&](const ir::Conjunct& end) {
    for (const auto& [axis, coefficient] : end.form.terms) {
      const auto step = sizes.as_constant(coefficient);
      if (std::ranges::count(grid.axes, axis) == 0) continue;
      grows = grows || (end.sign == ir::Sign::at_least_zero && step.value_or(0) > 0);
      shrinks = shrinks || !(end.sign == ir::Sign::at_least_zero && step.value_or(0) > 0);
    }
  });
  return grows && !shrinks;
}

}  // namespace tessera::emit
