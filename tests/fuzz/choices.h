// SPDX-License-Identifier: Apache-2.0
// Random choices of the generator: extents that break kernels, and features that a program may use.
#pragma once

#include <cstdint>
#include <random>
#include <vector>

namespace tessera::fuzz {

/// What a program may use; each is on in half of all programs.
struct Features {
  bool relations, absence, loops, products, outputs, narrow_floats, floats, narrow_integers, casts, lets,
      folds, semantic_steps, scalar_ranges, periodic, annotations, state, computed_factors, chained_products,
      arg_folds, parts, later_stores, shifts, windows, tile_ids, bounded, doubles, wide_integers,
      named_products, literals, affine, nested_loops, scalars;
};

class Choices {
 public:
  explicit Choices(std::uint64_t seed);

  /// Evenly from [low, high].
  std::int64_t between(std::int64_t low, std::int64_t high);
  /// True in `percent` of all calls.
  bool chance(int percent) { return between(1, 100) <= percent; }
  template <typename T>
  const T& one_of(const std::vector<T>& values) {
    return values[static_cast<std::size_t>(between(0, static_cast<std::int64_t>(values.size()) - 1))];
  }
  template <typename T>
  void shuffle(std::vector<T>& values) {
    for (std::size_t i = values.size(); i > 1; --i)
      std::swap(values[i - 1],
                values[static_cast<std::size_t>(between(0, static_cast<std::int64_t>(i) - 1))]);
  }

  Features features();
  /// An extent of at most `largest`: odd, next to a power of two, 8 modulo 16, or tiny, rather than round.
  std::int64_t extent(std::int64_t largest);

 private:
  std::mt19937_64 random_;
};

}  // namespace tessera::fuzz
