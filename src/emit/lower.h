// SPDX-License-Identifier: Apache-2.0
// From the plan of a phase to C++ in a tree: loops, guards, register arrays and reductions.
#pragma once

#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "emit/lowered.h"
#include "emit/plan.h"

namespace tessera::emit {

/// A value at fixed coordinates of its unrolled axes.
using Instance = std::pair<ir::ValueId, std::vector<int64_t>>;

/// What a function keeps in registers between its sweeps.
struct Kept {
  int bytes = 0;  // for one element of a lane
  std::set<ir::ValueId> values;
};

/// The functions of a phase, in the order of `PhasePlan::functions`, and what choosing variants needs of them.
struct LoweredPhase {
  std::vector<lowered::Function> functions;
  std::vector<lowered::Expr> unit_count;  // groups of work, in terms of sizes and kThreads, kVector, kStrips
  std::vector<Kept> kept;                 // by each function
  std::map<ir::ValueId, ir::AxisId>
      again;  // long folds that stand in a loop over an axis they do not depend on
};

LoweredPhase lower(KernelPlan& plan);

/// C++ text of a size over the symbols, as an expression of type index.
lowered::Expr lower_size(const ir::Kernel& kernel, const ir::SizeTable& sizes, ir::SizeId size);

}  // namespace tessera::emit
