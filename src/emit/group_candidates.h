// SPDX-License-Identifier: Apache-2.0
// The tiles that are tried for phases by warpgroups.
#pragma once

#include <optional>
#include <span>

#include "emit/tile_plan.h"

namespace tessera::emit {

/// A tile of the sums. The first that fits is taken, and those behind it that are smaller: large tiles are read least
/// often. Each is a function of its own, so there are few, with which most launches fill their last wave.
struct GroupCandidate {
  int groups;
  int64_t rows, columns;
  int teams = 1;
  bool is_spare = false;  // only where none before it fits
  bool is_alone = false;  // of blocks outside clusters, unless these are asked for: without their text it begins sooner
};

/// Those of a plan by warpgroups, of so many where that is asked for.
std::span<const GroupCandidate> group_candidates(const ir::Kernel& kernel, std::optional<int> groups,
                                                 const TilePlan& plan);

}  // namespace tessera::emit
