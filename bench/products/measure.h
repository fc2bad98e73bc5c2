// SPDX-License-Identifier: Apache-2.0
// One case: both sides checked, the library's best way found, both timed in turns.
#pragma once

#include <string>

#include "device.h"
#include "library.h"

namespace bench {

struct Options {
  std::string kernels;   ///< the folder of shared libraries
  bool warm = false;     ///< one set of matrices, which may wait in the cache
  double seconds = 0.4;  ///< of replays for the times that are reported
};

/// What is known of a case afterwards. Seconds are of one launch.
struct Row {
  double ours = 0;
  double first = 0;  ///< the way that the library's heuristics propose first
  double best = 0;   ///< the fastest of its ways
  int candidates = 0;
  int sets = 1;
  Outcome our_outcome, library_outcome;
  Orders library_orders;
  std::int64_t library_rows = 0;  ///< M as it was shown to the library, which may not take any
  std::string remark = "ok";

  bool ok() const { return remark == "ok"; }
};

/// Measures; what goes wrong is the row's remark, except for errors after which the device is lost.
Row measure(const Case& product, const Device& device, const Library& library, const Options& options);

}  // namespace bench
