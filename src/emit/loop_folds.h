// SPDX-License-Identifier: Apache-2.0
// Folds of a loop's tiles that a variable gets once, behind the loop: the threads that share a row meet only there.
#pragma once

#include <map>
#include <vector>

#include "emit/tile_plan.h"

namespace tessera::emit {

struct LoopFold {
  const TileFold* fold;
  const ir::Assign* assign;
  Span span;
};
using LoopFolds = std::vector<LoopFold>;

/// `v = v + sum[k](…)`, `v = max(v, max[k](…))` in the loop over the tiles of k, where nothing else reads v or the fold.
/// `uses`: of values. What is found points into the plan and the loop.
LoopFolds folds_of_loop(const ir::Kernel& kernel, const std::map<ir::ValueId, int>& uses,
                        const TilePlan& plan, const ir::Loop& loop);

/// Notes in a plan which of its folds are such.
void note_loop_folds(const ir::Kernel& kernel, const std::map<ir::ValueId, int>& uses, TilePlan& plan);

}  // namespace tessera::emit
