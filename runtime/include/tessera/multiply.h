// SPDX-License-Identifier: Apache-2.0
// multiply(sums, a, b): adds the product of two operands to a tile of sums in registers, or subtracts it.
#pragma once

#include "tessera/fragment.h"
#include "tessera/mma.h"

namespace tessera {

/// The operand A in registers: rows of the tile whose Fragment it was made from, K along its columns.
template <typename T, typename Layout_>
struct OperandFragment {
  using Layout = Layout_;
  static constexpr int kSteps = Layout::kColumns / Mma<T>::kDepth;

  typename Mma<T>::A part[kSteps][Layout::kRowBlocks];
};

namespace detail {

/// How much of K a tile holds, and how many rows (columns).
template <Major kMajor, typename Tile>
inline constexpr int kDepthOf = kMajor == Major::k ? Tile::kLength : Tile::kLines;
template <Major kMajor, typename Tile>
inline constexpr int kWidthOf = kMajor == Major::k ? Tile::kLines : Tile::kLength;

/// What a warp reads of a factor: its rows, or its columns.
template <Major kMajor, typename T, typename Layout, typename Tile>
struct RowReader {
  static constexpr int kWidth = 16 * Layout::kRowBlocks;

  const Tile& tile;
  Location where;
  int origin = Mma<T>::template origin_a<kMajor, kWidth>(tile, Layout::warp_row());

  TESSERA_DEVICE void load(typename Mma<T>::A (&parts)[Layout::kRowBlocks], int step) const {
    TESSERA_UNROLL
    for (int block = 0; block < Layout::kRowBlocks; ++block)
      Mma<T>::template load_a<kMajor, kWidth>(parts[block], tile, origin, Layout::kRowStep * block,
                                              step * Mma<T>::kDepth, where);
  }
};

template <Major kMajor, typename T, typename Layout, typename Tile>
struct ColumnReader {
  static constexpr int kWidth = 8 * Layout::kColumnBlocks;

  const Tile& tile;
  Location where;
  int origin = Mma<T>::template origin_b<kMajor, kWidth>(tile, Layout::warp_column());

  /// kBlocks blocks of columns, from number `first` on.
  template <int kBlocks>
  TESSERA_DEVICE void load(typename Mma<T>::B (&parts)[kBlocks], int step, int first = 0) const {
    Mma<T>::template load_b<kMajor, kWidth>(parts, tile, origin, 8 * first, step * Mma<T>::kDepth, where);
  }
};

/// Two floats rounded to T in one word.
template <typename T>
TESSERA_DEVICE std::uint32_t pack(float low, float high) {
  return std::is_same_v<T, bf16> ? ptx::cvt_rn_bf16x2(low, high) : ptx::cvt_rn_f16x2(low, high);
}

/// What multiplies with the sign of a product: the part itself, or its negated numbers.
template <typename T, Sign kSign>
TESSERA_DEVICE decltype(auto) with_sign(const typename Mma<T>::A& part) {
  if constexpr (kSign == Sign::plus) {
    return (part);
  } else {
    return Mma<T>::negated(part);
  }
}

/// The products of one step that change kBlocks blocks of columns, from block number `first` on.
template <typename T, Sign kSign, typename Layout, int kBlocks>
TESSERA_DEVICE void multiply_columns(Fragment<typename Mma<T>::Sum, Layout>& sums,
                                     const typename Mma<T>::A (&a)[Layout::kRowBlocks],
                                     const typename Mma<T>::B (&b)[kBlocks], int first, Location where) {
  TESSERA_UNROLL
  for (int row = 0; row < Layout::kRowBlocks; ++row) {
    const auto& part = with_sign<T, kSign>(a[row]);
    TESSERA_UNROLL
    for (int column = 0; column < kBlocks; ++column)
      Mma<T>::multiply(&sums[Layout::element(row, first + column, 0)], part, b[column], where);
  }
}

/// The most blocks of columns that are read at once, up to a limit where registers are few: a divisor of all.
TESSERA_HD constexpr int blocks_at_once(int blocks, int limit) {
  int most = blocks < limit ? blocks : limit;
  while (blocks % most != 0) --most;
  return most;
}

/// The most blocks of columns that are read at once beside rows in shared memory. A thread has all columns of its sums of
/// floats that are multiplied by fma; of doubles each part takes twice the registers.
template <typename T>
inline constexpr int kMostBlocksAtOnce = std::is_same_v<T, float>    ? 2
                                         : std::is_same_v<T, double> ? 4
                                                                     : 1024;
template <typename T, typename Layout>
inline constexpr int kBlocksAtOnce = blocks_at_once(Layout::kColumnBlocks, kMostBlocksAtOnce<T>);

}  // namespace detail

/// sums += a * b (sums -= a * b, but of integers), summed over the K that the tiles hold; a has lines along K or along
/// the rows of sums, b along K or along the columns. T names the product: the type of the elements, or tf32 for tiles
/// of floats. All threads that share the sums must be here, and the tiles complete. What is read for a step is under way
/// while the step before is multiplied, but where it is read element by element.
template <typename T, Major kMajorA, Major kMajorB, Sign kSign = Sign::plus, typename Layout, typename TileA,
          typename TileB>
TESSERA_DEVICE void multiply(Fragment<typename Mma<T>::Sum, Layout>& sums, const TileA& a, const TileB& b,
                             Location where = Location::current()) {
  constexpr int kDepth = detail::kDepthOf<kMajorA, TileA>, kSteps = kDepth / Mma<T>::kDepth;
  static_assert(std::is_same_v<typename TileA::Element, typename Mma<T>::Element> &&
                    std::is_same_v<typename TileB::Element, typename Mma<T>::Element>,
                "tiles hold what is multiplied");
  static_assert(kDepth == detail::kDepthOf<kMajorB, TileB>, "both tiles hold the same part of K");
  static_assert(kDepth % Mma<T>::kDepth == 0, "tiles hold whole steps over K");
  static_assert(!std::is_same_v<T, double> || kDepth % 16 == 0, "tiles of double hold whole sixteens of K");
  static_assert(detail::kWidthOf<kMajorA, TileA> == Layout::kRows, "a has the rows of the sums");
  static_assert(detail::kWidthOf<kMajorB, TileB> == Layout::kColumns, "b has the columns of the sums");
  const detail::RowReader<kMajorA, T, Layout, TileA> rows{a, where};
  const detail::ColumnReader<kMajorB, T, Layout, TileB> columns{b, where};
  if constexpr (Mma<T>::template kReadsAhead<kMajorA> && Mma<T>::template kReadsAhead<kMajorB>) {
    constexpr int kBlocks = detail::kBlocksAtOnce<T, Layout>, kGroups = Layout::kColumnBlocks / kBlocks;
    typename Mma<T>::A row_parts[2][Layout::kRowBlocks];
    typename Mma<T>::B column_parts[2][kBlocks];
    const auto load = [&](int group) {
      const int step = group / kGroups;
      if (group % kGroups == 0) rows.load(row_parts[step % 2], step);
      columns.load(column_parts[group % 2], step, kBlocks * (group % kGroups));
    };
    load(0);
    TESSERA_UNROLL
    for (int group = 0; group < kSteps * kGroups; ++group) {
      if (group + 1 < kSteps * kGroups) load(group + 1);
      detail::multiply_columns<T, kSign>(sums, row_parts[group / kGroups % 2], column_parts[group % 2],
                                         kBlocks * (group % kGroups), where);
    }
  } else {
    TESSERA_NO_UNROLL
    for (int step = 0; step < kSteps; ++step) {
      typename Mma<T>::A row_parts[Layout::kRowBlocks];
      typename Mma<T>::B column_parts[Layout::kColumnBlocks];
      rows.load(row_parts, step);
      columns.load(column_parts, step);
      detail::multiply_columns<T, kSign>(sums, row_parts, column_parts, 0, where);
    }
  }
}

/// The same with `a` in registers.
template <typename T, Major kMajorB, Sign kSign = Sign::plus, typename Layout, typename LayoutA,
          typename TileB>
TESSERA_DEVICE void multiply(Fragment<typename Mma<T>::Sum, Layout>& sums,
                             const OperandFragment<T, LayoutA>& a, const TileB& b,
                             Location where = Location::current()) {
  constexpr int kSteps = OperandFragment<T, LayoutA>::kSteps;
  static_assert(std::is_same_v<typename TileB::Element, typename Mma<T>::Element>,
                "the tile holds what is multiplied");
  static_assert(LayoutA::kRows == Layout::kRows && LayoutA::kWarpRows == Layout::kWarpRows &&
                    LayoutA::kWarpColumns == Layout::kWarpColumns,
                "a has the rows of the sums, in the same warps");
  static_assert(LayoutA::kColumns == detail::kDepthOf<kMajorB, TileB>,
                "both operands hold the same part of K");
  static_assert(detail::kWidthOf<kMajorB, TileB> == Layout::kColumns, "b has the columns of the sums");
  // Not all columns at once: the sums and `a` leave few registers. By twos, as they are read: no chunk of a line parts those.
  constexpr int kAll = Layout::kColumnBlocks,
                kBlocks = kAll % 2 == 0 ? 2 * detail::blocks_at_once(kAll / 2, 8) : kAll,
                kGroups = Layout::kColumnBlocks / kBlocks;
  typename Mma<T>::B parts[2][kBlocks];
  const detail::ColumnReader<kMajorB, T, Layout, TileB> columns{b, where};
  const auto load = [&](int group) {
    columns.load(parts[group % 2], group / kGroups, kBlocks * (group % kGroups));
  };
  load(0);
  TESSERA_UNROLL
  for (int group = 0; group < kSteps * kGroups; ++group) {
    if (group + 1 < kSteps * kGroups) load(group + 1);
    detail::multiply_columns<T, kSign>(sums, a.part[group / kGroups], parts[group % 2],
                                       kBlocks * (group % kGroups), where);
  }
}

/// The tile of an earlier product, rounded to T, as the operand A of the next, whose K its columns are. Nothing moves
/// between threads: two blocks of sums are one part of A.
template <typename T, typename Layout>
TESSERA_DEVICE OperandFragment<T, Layout> operand(const Fragment<float, Layout>& tile) {
  static_assert(std::is_same_v<T, bf16> || std::is_same_v<T, f16>,
                "only 16-bit operands are in the order of sums");
  static_assert(Layout::kWarpColumns == 1, "each warp has whole rows of the operand");
  static_assert(Layout::kColumns % Mma<T>::kDepth == 0, "the operand holds whole steps over K");
  OperandFragment<T, Layout> result;
  TESSERA_UNROLL
  for (int step = 0; step < result.kSteps; ++step) {
    TESSERA_UNROLL
    for (int row = 0; row < Layout::kRowBlocks; ++row) {
      TESSERA_UNROLL
      for (int w = 0; w < 4; ++w) {
        const int i = Layout::element(row, 2 * step + w / 2, w % 2 * 2);
        result.part[step][row].word[w] = detail::pack<T>(tile[i], tile[i + 1]);
      }
    }
  }
  return result;
}

}  // namespace tessera
