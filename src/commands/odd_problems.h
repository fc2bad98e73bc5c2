// SPDX-License-Identifier: Apache-2.0
// Sizes that try what tile sizes hide.
#pragma once

#include <vector>

#include "commands/problem.h"

namespace tessera::commands {

/// What problems may need.
struct ProblemLimits {
  int64_t bytes = 0;  ///< of the tensors of one problem
  double terms = 0;   ///< of all problems together
};

/// Each symbol in turn takes extents from 0 to 250, some of which end shortly behind a tile, while the others are
/// small, smaller where that would take too long; then a few combinations. Only problems that meet the constraints and
/// stay within the limits, without repetition.
std::vector<Problem> odd_problems(const Problem& given, const Settings& settings,
                                  const ProblemLimits& limits);

}  // namespace tessera::commands
