// SPDX-License-Identifier: Apache-2.0
// Random choices; see choices.h.
#include "fuzz/choices.h"

namespace tessera::fuzz {

Choices::Choices(std::uint64_t seed) : random_(seed * 0x9E3779B97F4A7C15u + 1) {}

std::int64_t Choices::between(std::int64_t low, std::int64_t high) {
  if (high <= low) return low;
  return low + static_cast<std::int64_t>(random_() % static_cast<std::uint64_t>(high - low + 1));
}

Features Choices::features() {
  Features on{};
  for (bool* feature : {&on.relations,
                        &on.absence,
                        &on.loops,
                        &on.products,
                        &on.outputs,
                        &on.narrow_floats,
                        &on.floats,
                        &on.narrow_integers,
                        &on.casts,
                        &on.lets,
                        &on.folds,
                        &on.semantic_steps,
                        &on.scalar_ranges,
                        &on.periodic,
                        &on.annotations,
                        &on.state,
                        &on.computed_factors,
                        &on.chained_products,
                        &on.arg_folds,
                        &on.parts,
                        &on.later_stores,
                        &on.shifts,
                        &on.windows,
                        &on.tile_ids,
                        &on.bounded,
                        &on.doubles,
                        &on.wide_integers,
                        &on.named_products,
                        &on.literals,
                        &on.affine,
                        &on.nested_loops,
                        &on.scalars})
    *feature = chance(50);
  return on;
}

std::int64_t Choices::extent(std::int64_t largest) {
  static const std::vector<std::int64_t> kBiased = {1,   2,   3,   7,   8,   15,  16,  17, 24,
                                                    31,  33,  40,  48,  63,  65,  80,  96, 100,
                                                    104, 127, 129, 192, 229, 250, 255, 257};
  if (largest < 1) return largest;
  if (chance(30)) return between(1, largest);
  std::vector<std::int64_t> fitting;
  for (const std::int64_t extent : kBiased) {
    if (extent <= largest) fitting.push_back(extent);
  }
  return one_of(fitting);
}

}  // namespace tessera::fuzz
