// SPDX-License-Identifier: Apache-2.0
// Fragment<T, Layout>: a tile spread over the registers of a block's threads as the sums of a product of matrices, and
// the vectors along its rows and columns.
#pragma once

#include "tessera/positions.h"

namespace tessera {

namespace detail {

/// Where the elements of a tile are: the arithmetic of FragmentLayout.
struct FragmentPlaces {
  int rows, columns, warp_rows, warp_columns;
  bool spread;

  TESSERA_HD constexpr int row_blocks() const { return rows / warp_rows / 16; }
  TESSERA_HD constexpr int column_blocks() const { return columns / warp_columns / 8; }
  /// From one of a warp's blocks to the next.
  TESSERA_HD constexpr int row_step() const { return spread ? 16 * warp_rows : 16; }
  TESSERA_HD constexpr int row_slot(int i) const { return i / (4 * column_blocks()) * 2 + i % 4 / 2; }
  TESSERA_HD constexpr int column_slot(int i) const { return i / 4 % column_blocks() * 2 + i % 2; }
  TESSERA_HD constexpr int warp_row(int thread) const {
    return thread / kWarpThreads / warp_columns * (spread ? 16 : rows / warp_rows);
  }
  TESSERA_HD constexpr int warp_column(int thread) const {
    return thread / kWarpThreads % warp_columns * (columns / warp_columns);
  }
  TESSERA_HD constexpr int row_of_slot(int slot, int thread) const {
    return warp_row(thread) + slot / 2 * row_step() + slot % 2 * 8 + thread % kWarpThreads / 4;
  }
  TESSERA_HD constexpr int column_of_slot(int slot, int thread) const {
    return warp_column(thread) + slot / 2 * 8 + slot % 2 + thread % 4 * 2;
  }
};

}  // namespace detail

/// A tile of kRows x kColumns over kWarpRows x kWarpColumns warps, the warps of a row following each other. Each warp
/// holds a rectangle of blocks of 16 x 8; of every block a thread holds four elements q: two neighbours in one row and
/// the two eight rows below. Every product of matrices leaves its sums in this order. Where kSpread holds, the rectangle is
/// spread over the rows: below a block of each warp comes the next of each, as warpgroups multiply.
template <int kRows_, int kColumns_, int kWarpRows_, int kWarpColumns_, bool kSpread_ = false>
struct FragmentLayout {
  static constexpr int kRows = kRows_, kColumns = kColumns_;
  static constexpr int kWarpRows = kWarpRows_, kWarpColumns = kWarpColumns_;
  static constexpr bool kSpread = kSpread_;
  static constexpr int kThreads = kWarpRows * kWarpColumns * kWarpThreads;

  static_assert(kWarpRows > 0 && kRows > 0 && kRows % (16 * kWarpRows) == 0,
                "each warp has blocks of 16 rows");
  static_assert(kWarpColumns > 0 && kColumns > 0 && kColumns % (8 * kWarpColumns) == 0,
                "each warp has blocks of 8 columns");
  static_assert(kThreads <= 1024, "a block has at most 1024 threads");

  /// The blocks of a warp, and the elements, rows and columns that a thread has a part of.
  static constexpr int kRowBlocks = kRows / kWarpRows / 16, kColumnBlocks = kColumns / kWarpColumns / 8;
  static constexpr int kCount = 4 * kRowBlocks * kColumnBlocks;
  static constexpr int kRowCount = 2 * kRowBlocks, kColumnCount = 2 * kColumnBlocks;

  /// The number of the element in block (row_block, column_block), and which of the thread's rows and columns it is in.
  static TESSERA_HD constexpr int element(int row_block, int column_block, int q) {
    return 4 * (row_block * kColumnBlocks + column_block) + q;
  }
  /// The number of the element in one of the thread's rows and columns.
  static TESSERA_HD constexpr int element_at(int row_slot, int column_slot) {
    return element(row_slot / 2, column_slot / 2, row_slot % 2 * 2 + column_slot % 2);
  }
  static TESSERA_HD constexpr int row_slot(int i) { return places().row_slot(i); }
  static TESSERA_HD constexpr int column_slot(int i) { return places().column_slot(i); }

  /// From a row of one of a warp's blocks to that of the next.
  static constexpr int kRowStep =
      detail::FragmentPlaces{kRows, kColumns, kWarpRows, kWarpColumns, kSpread}.row_step();

  /// The first row and column of this thread's warp.
  static TESSERA_DEVICE int warp_row() { return places().warp_row(thread()); }
  static TESSERA_DEVICE int warp_column() { return places().warp_column(thread()); }

  /// Threads that share a row (a column) divide work on it: how many they are, and which of them this one is.
  static constexpr int kRowShares = 4 * kWarpColumns, kColumnShares = 8 * kWarpRows;
  static TESSERA_DEVICE int row_share() { return thread() / kWarpThreads % kWarpColumns * 4 + thread() % 4; }
  static TESSERA_DEVICE int column_share() {
    return thread() / kWarpThreads / kWarpColumns * 8 + thread() % kWarpThreads / 4;
  }

  /// Where this thread's rows, columns and elements stand in the tile.
  static TESSERA_DEVICE int row_of_slot(int slot) { return places().row_of_slot(slot, thread()); }
  static TESSERA_DEVICE int column_of_slot(int slot) { return places().column_of_slot(slot, thread()); }
  static TESSERA_DEVICE int row(int i) { return row_of_slot(row_slot(i)); }
  static TESSERA_DEVICE int column(int i) { return column_of_slot(column_slot(i)); }

  /// This thread among those that share the tile: several teams of warpgroups have one each.
  static TESSERA_DEVICE int thread() { return kSpread ? thread_index() % kThreads : thread_index(); }

 private:
  static TESSERA_HD constexpr detail::FragmentPlaces places() {
    return {kRows, kColumns, kWarpRows, kWarpColumns, kSpread};
  }
};

/// How many of the kExtent coordinates of a tile, from `first` on, lie before `end`.
template <int kExtent>
TESSERA_HD constexpr int count_in_tile(index first, index end) {
  const index left = end - first;
  return left >= kExtent ? kExtent : left > 0 ? static_cast<int>(left) : 0;
}

namespace detail {

/// kCount values of a thread. Indices are constants once loops are unrolled, so that the values live in registers.
template <typename T, int kCount_>
struct Registers {
  static constexpr int kCount = kCount_;

  T value[kCount];

  TESSERA_DEVICE T& operator[](int i) { return value[i]; }
  TESSERA_DEVICE const T& operator[](int i) const { return value[i]; }
  TESSERA_DEVICE void fill(T x) {
    TESSERA_UNROLL
    for (int i = 0; i < kCount; ++i) value[i] = x;
  }
};

}  // namespace detail

/// This thread's elements of a tile: element i stands at row Layout::row(i), column Layout::column(i).
template <typename T, typename Layout_>
struct Fragment : detail::Registers<T, Layout_::kCount> {
  using Layout = Layout_;
};

/// A value for each row of the tile, `[slot]` for the row Layout::row_of_slot(slot); threads that share a row hold
/// the same value.
template <typename T, typename Layout_>
struct RowFragment : detail::Registers<T, Layout_::kRowCount> {
  using Layout = Layout_;

  /// The value for the row of element `i` of a Fragment.
  TESSERA_DEVICE T& at(int i) { return this->value[Layout::row_slot(i)]; }
  TESSERA_DEVICE const T& at(int i) const { return this->value[Layout::row_slot(i)]; }
};

/// The same for each column.
template <typename T, typename Layout_>
struct ColumnFragment : detail::Registers<T, Layout_::kColumnCount> {
  using Layout = Layout_;

  TESSERA_DEVICE T& at(int i) { return this->value[Layout::column_slot(i)]; }
  TESSERA_DEVICE const T& at(int i) const { return this->value[Layout::column_slot(i)]; }
};

}  // namespace tessera
