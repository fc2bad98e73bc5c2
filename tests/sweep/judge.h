// SPDX-License-Identifier: Apache-2.0
// Whether outputs are right, and whether two runs gave the same bits.
#pragma once

#include <cstdint>
#include <string>

#include "sweep/executor.h"

namespace tessera::sweep {

/// How outputs compare with the reference.
struct Verdict {
  double ratio = 0;      ///< largest error / bound
  std::string mistakes;  ///< empty when every element is within its bound
};

/// Compares the outputs of a run with those of a solved problem.
Verdict judge(const reference::Problem& problem, const Outputs& outputs);

/// The first element in which two runs differ, as text; empty when there is none. All NaNs are one, and both zeros
/// are unless runs agree bit by bit.
std::string first_difference(const Outputs& one, const Outputs& other, reference::Exactness exactness);

/// A number that stands for the bits of an output; NaNs and zeros as in `first_difference`.
std::uint64_t digest(const std::vector<double>& values, reference::Exactness exactness);

}  // namespace tessera::sweep
