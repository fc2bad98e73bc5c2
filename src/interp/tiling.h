// SPDX-License-Identifier: Apache-2.0
// How a run is cut into tiles. No result depends on it, save the order of float sums.
#pragma once

#include <cstdint>
#include <limits>
#include <map>
#include <vector>

#include "interp/machine.h"

namespace tessera::interp {

/// The order in which instances of a grid run.
enum class InstanceOrder { forward, reverse, random };

/// A tile extent for each plan step, and the order of instances. A range of the grid without a step has
/// independent coordinates too, of which as many run at once as a plan step would have.
struct Partition {
  /// What `@tile` asked for, else what keeps temporaries in the cache.
  static constexpr int64_t kChosen = 0;
  static constexpr int64_t kWhole = std::numeric_limits<int64_t>::max();

  int64_t step = kChosen;                 ///< of every axis that `steps` does not name: 1, 3, kWhole …
  std::map<ir::AxisId, int64_t> steps{};  ///< by axis, for instance those of a plan
  InstanceOrder order = InstanceOrder::forward;
  uint64_t seed = 1;  ///< of the random order
};

/// Bounds and tile extents of every axis.
std::vector<AxisRange> make_ranges(const Program& program, const Launch& launch, const Partition& partition);

/// The instances of a grid in the order in which they run, as linear numbers; the last axis varies fastest.
std::vector<int64_t> instance_order(int64_t count, const Partition& partition);

}  // namespace tessera::interp
