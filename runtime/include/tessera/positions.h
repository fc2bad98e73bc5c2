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

/// How many clusters of one block or two take so many tiles.
TESSERA_HD constexpr index in_clusters(index tiles, int blocks) {
  return (tiles + blocks - 1) >> (blocks - 1);
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

/// The same for counts of which 32 bits are known to be enough.
TESSERA_HD constexpr index divide_few(index a, index b) {
  return static_cast<index>(static_cast<std::uint32_t>(a) / static_cast<std::uint32_t>(b));
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
/// Blocks that run together so share few rows and few columns, which the second-level cache holds. Of one plane there are
/// fewer than 2^32 tiles, since no memory holds the results of more of them, of 32 columns or more.
template <int Rows, int Rank>
TESSERA_HD Index<Rank> grouped_position(index tile, Index<Rank> counts) {
  static_assert(Rank >= 2 && Rows >= 1, "rows and columns are walked over in groups of rows");
  Index<Rank> position{};
  index of_plane = tile;
  if constexpr (Rank > 2) {
    const index tiles = counts[Rank - 2] * counts[Rank - 1], plane = divide_counts(tile, tiles);
    of_plane -= plane * tiles;
    Index<Rank - 2> outer{};
    TESSERA_UNROLL
    for (int dimension = 0; dimension < Rank - 2; ++dimension) outer.at[dimension] = counts[dimension];
    const Index<Rank - 2> place = tile_position(plane, outer);
    TESSERA_UNROLL
    for (int dimension = 0; dimension < Rank - 2; ++dimension) position.at[dimension] = place[dimension];
  }
  const auto rows = static_cast<std::uint32_t>(counts[Rank - 2]),
             columns = static_cast<std::uint32_t>(counts[Rank - 1]),
             number = static_cast<std::uint32_t>(of_plane);
  // Most tiles are in groups of all rows, or in whole ones: neither takes a division by what is not known.
  const std::uint32_t first = rows <= Rows ? 0 : number / (Rows * columns) * Rows;
  const std::uint32_t height = rows - first < Rows ? rows - first : Rows, of_group = number - first * columns;
  const std::uint32_t column = height == Rows ? of_group / Rows : of_group / height;
  position.at[Rank - 1] = static_cast<index>(column);
  position.at[Rank - 2] = static_cast<index>(first + of_group - column * height);
  return position;
}

}  // namespace tessera
