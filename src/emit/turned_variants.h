// SPDX-License-Identifier: Apache-2.0
// What a launcher asks of tensors that some variants take as they lie across what is summed over, see turned_plan.h.
#pragma once

#include <string>

#include "emit/plan.h"

namespace tessera::emit {

/// The plan that turns a load, or null.
const TilePlan* plan_that_turns(const KernelPlan& plan, ir::ValueId load);

/// Where rows are turned, and in another plan columns are: one of them at a time. The columns, whose tensor is asked before
/// that of rows, if `load` is these; else null.
const TileFactor* columns_before(const KernelPlan& plan, ir::ValueId load);

/// Whether a launch may take a variant of a plan, as the launcher says it. For plans whose variants are chosen.
std::string may_take(const KernelPlan& plan, const TilePlan& tiles);

}  // namespace tessera::emit
