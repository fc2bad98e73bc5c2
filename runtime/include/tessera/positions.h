// SPDX-License-Identifier: Apache-2.0
// Positions in tensors, lines and grids of tiles.
#pragma once

#include "tessera/device.h"

namespace tessera {

/// A position in a tensor, written {r, c}.
template <int Rank>
struct Index {
  index at[Rank];
  TESSERA_HD constexpr index operator[](int dimension) const { return at[dimension]; }
};
template <>
struct Index<0> {
  TESSERA_HD constexpr index operator[](int) const { return 0; }
};

/// 0 <= i < extent, in one comparison.
TESSERA_HD constexpr bool inside(index i, index extent) {
  return static_cast<std::uint64_t>(i) < static_cast<std::uint64_t>(extent);
}

/// a / b rounded up, for b >= 1.
TESSERA_HD constexpr index ceil_divide(index a, index b) { return a / b + (a % b > 0 ? 1 : 0); }

/// `i` brought into [0, extent) by whole multiples of `extent`: an index of a periodic tensor; 0 where that is empty.
TESSERA_HD index wrap(index i, index extent) {
  if (inside(i, extent)) return i;
  const index once = i < 0 ? i + extent : i - extent;
  if (inside(once, extent)) return once;
  const index rest = extent > 0 ? i % extent : 0;
  return rest < 0 ? rest + extent : rest;
}

namespace detail {

/// a / b, bit by bit: few registers and no call, before which threads that have few had to save theirs.
TESSERA_HD constexpr std::uint64_t divide_bit_by_bit(std::uint64_t a, std::uint64_t b) {
  std::uint64_t rest = 0;
  TESSERA_NO_UNROLL
  for (int bit = 0; bit < 64; ++bit) {
    const bool carries = rest >> 63 != 0;
    rest = rest << 1 | a >> 63;
    a <<= 1;
    if (carries || rest >= b) {
      rest -= b;
      a |= 1;
    }
  }
  return a;
}

}  // namespace detail

/// a / b for counts: a >= 0, b >= 1. On a GPU quick where both have 32 bits, as nearly all have.
TESSERA_HD constexpr index divide_counts(index a, index b) {
#ifdef __CUDA_ARCH__
  if ((a | b) >> 32 == 0)
    return static_cast<index>(static_cast<std::uint32_t>(a) / static_cast<std::uint32_t>(b));
  return static_cast<index>(
      detail::divide_bit_by_bit(static_cast<std::uint64_t>(a), static_cast<std::uint64_t>(b)));
#else
  return a / b;
#endif
}

/// The coordinates of tile number `tile` in a grid of `counts` tiles whose last dimension varies fastest.
template <int Rank>
TESSERA_HD Index<Rank> tile_position(index tile, Index<Rank> counts) {
  Index<Rank> position{};
  TESSERA_UNROLL
  for (int dimension = Rank - 1; dimension > 0; --dimension) {
    const index rest = divide_counts(tile, counts[dimension]);
    position.at[dimension] = tile - rest * counts[dimension];
    tile = rest;
  }
  position.at[0] = tile;
  return position;
}

/// The same, walking over the last two dimensions in groups of `Rows` rows: down the rows of a group, then along its columns.
/// Blocks that run together so share few rows and few columns, which the second-level cache holds.
template <int Rows, int Rank>
TESSERA_HD Index<Rank> grouped_position(index tile, Index<Rank> counts) {
  static_assert(Rank >= 2 && Rows >= 1, "rows and columns are walked over in groups of rows");
  const index rows = counts[Rank - 2], columns = counts[Rank - 1];
  const index plane = divide_counts(tile, rows * columns);
  Index<Rank> position{};
  if constexpr (Rank > 2) {
    Index<Rank - 2> outer{};
    TESSERA_UNROLL
    for (int dimension = 0; dimension < Rank - 2; ++dimension) outer.at[dimension] = counts[dimension];
    const Index<Rank - 2> place = tile_position(plane, outer);
    TESSERA_UNROLL
    for (int dimension = 0; dimension < Rank - 2; ++dimension) position.at[dimension] = place[dimension];
  }
  const index of_plane = tile - plane * (rows * columns);
  const index first = divide_counts(of_plane, Rows * columns) * Rows;
  const index height = rows - first < Rows ? rows - first : Rows;
  const index of_group = of_plane - first * columns;
  position.at[Rank - 1] = divide_counts(of_group, height);
  position.at[Rank - 2] = first + of_group - position.at[Rank - 1] * height;
  return position;
}

}  // namespace tessera
