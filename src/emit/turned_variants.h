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

/// Whether a launch may take a variant of a plan that turns a tensor, as the launcher says it. For plans whose variants are
/// chosen. `tensor` and `extents` (of which products have an element each) as they are spelled there: products that turning
/// holds up ask how often an element is read.
std::string when_to_turn(const ir::Kernel& kernel, const KernelPlan& plan, const TilePlan& tiles,
                         const std::string& tensor, const std::string& extents);

}  // namespace tessera::emit
