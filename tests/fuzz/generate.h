// SPDX-License-Identifier: Apache-2.0
// Random programs that are right by construction.
#pragma once

#include <cstdint>

#include "fuzz/program.h"

namespace tessera::fuzz {

/// What is generated besides the seed.
struct Profile {
  std::int64_t largest = 257;      ///< extent of a dimension
  std::int64_t most_work = 60000;  ///< points of a statement and its folds
  int problems = 2;                ///< sets of extents
  int large_problems = 1;          ///< those, from the first, that make work; the others are tiny or nothing
  int depth = 3;                   ///< of expressions
};

/// Always the same program for a seed and a profile. Every seed leaves out half of the features, so that those that are
/// left meet more often.
Program generate(std::uint64_t seed, const Profile& profile = {});

}  // namespace tessera::fuzz
