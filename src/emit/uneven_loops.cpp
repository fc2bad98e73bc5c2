// SPDX-License-Identifier: Apache-2.0
// See uneven_loops.h.
#include "emit/uneven_loops.h"

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

// What is added to a form that is at least zero lets more rounds pass, at either end of a loop.
Rounds rounds_along(const ir::Kernel& kernel, ir::SizeTable& sizes, const ir::Grid& grid, ir::AxisId axis) {
  bool rises = false, falls = false;
  for_each_end(kernel, sizes, grid.body, [&](const ir::Conjunct& end) {
    const auto coefficient = end.form.coefficient(axis);
    if (!coefficient) return;
    const int64_t step = sizes.as_constant(*coefficient).value_or(0);
    rises = rises || step >= 0 || end.sign != ir::Sign::at_least_zero;
    falls = falls || step <= 0 || end.sign != ir::Sign::at_least_zero;
  });
  return rises && falls ? Rounds::differ : rises ? Rounds::rise : falls ? Rounds::fall : Rounds::same;
}

bool groups_uneven_units(const ir::Kernel& kernel, ir::SizeTable& sizes, const TilePlan& plan) {
  const ir::Grid& grid = kernel.grids.at(0);
  return plan.way == TileWay::warpgroups && grid.axes.size() >= 2 &&
         rounds_along(kernel, sizes, grid, grid.axes.back()) != Rounds::same;
}

}  // namespace tessera::emit
