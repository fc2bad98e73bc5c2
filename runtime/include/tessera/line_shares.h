// SPDX-License-Identifier: Apache-2.0
// How the threads of warpgroups share out the lines of a tile that they fold beside products.
#pragma once

#include "tessera/fragment.h"
#include "tessera/shared.h"

namespace tessera {

/// kLines rows (columns) of a tile in shared memory, for kThreads threads. kShares of them share a line, all in one warp;
/// where there are more lines than threads each has kRowCount. Lanes that read at once read of different lines at the
/// same position, so that no two of them want the same banks.
template <int kLines_, int kThreads_>
struct LineShares {
  static constexpr int kLines = kLines_, kThreads = kThreads_;
  static constexpr int kShares = kThreads >= 32 * kLines   ? 32
                                 : kThreads >= 16 * kLines ? 16
                                 : kThreads >= 8 * kLines  ? 8
                                 : kThreads >= 4 * kLines  ? 4
                                 : kThreads >= 2 * kLines  ? 2
                                                           : 1;
  static constexpr int kLinesOfWarp = kWarpThreads / kShares, kLinesAtOnce = kThreads / kShares;
  static constexpr int kRowCount = (kLines + kLinesAtOnce - 1) / kLinesAtOnce;

  /// The number of a line of this thread; threads without one read the last line.
  static TESSERA_DEVICE int line(int slot) {
    const int own = line_or_behind(slot);
    return kRowCount * kLinesAtOnce == kLines || own < kLines ? own : kLines - 1;
  }
  /// Whether this thread speaks for a line of its own.
  static TESSERA_DEVICE bool leads(int slot) {
    return share() == 0 && (kRowCount * kLinesAtOnce == kLines || line_or_behind(slot) < kLines);
  }

  /// The rounds in which a thread has one of so many positions of a line, a multiple of kShares, and the number of that.
  static TESSERA_HD constexpr int rounds(int positions) { return positions / kShares; }
  static TESSERA_DEVICE int position(int round) { return round * kShares + share(); }

 private:
  static TESSERA_DEVICE int share() { return thread_index() % kWarpThreads / kLinesOfWarp; }
  static TESSERA_DEVICE int line_or_behind(int slot) {
    return slot * kLinesAtOnce + thread_index() / kWarpThreads * kLinesOfWarp +
           thread_index() % kWarpThreads % kLinesOfWarp;
  }
};

namespace detail {

/// The results of all lines, where the kThreads threads find them behind this, which have read what was there before: what
/// those that share a line have of it, combined in an order that depends on kLines and kThreads alone.
template <typename Op, typename T, int kLines, int kThreads>
TESSERA_DEVICE void share_lines(Op op, RowFragment<T, LineShares<kLines, kThreads>> partial,
                                const Shared<T>& results, Location where) {
  using Lines = LineShares<kLines, kThreads>;
  constexpr std::uint32_t kAllLanes = 0xffffffffu;
  TESSERA_UNROLL
  for (int distance = Lines::kLinesOfWarp; distance < kWarpThreads; distance *= 2) {
    TESSERA_UNROLL
    for (int slot = 0; slot < Lines::kRowCount; ++slot)
      partial[slot] = op(partial[slot], shuffle_xor(partial[slot], distance, kAllLanes, where));
  }
  part_barrier<kThreads>(0, where);
  TESSERA_UNROLL
  for (int slot = 0; slot < Lines::kRowCount; ++slot)
    if (Lines::leads(slot)) results.store(Lines::line(slot), partial[slot], where);
  part_barrier<kThreads>(0, where);
}

}  // namespace detail

/// The results of the rows of a tile in registers, of what threads have folded of their lines. All kThreads threads of the
/// warpgroups must be here; `results` has a place for each line, and stays as it is until the next call with it.
template <typename Layout, typename Op, typename T, int kLines, int kThreads>
TESSERA_DEVICE RowFragment<T, Layout> rows_of_lines(
    Op op, const RowFragment<T, LineShares<kLines, kThreads>>& partial, const Shared<T>& results,
    Location where = Location::current()) {
  detail::share_lines(op, partial, results, where);
  RowFragment<T, Layout> rows;
  TESSERA_UNROLL
  for (int slot = 0; slot < Layout::kRowCount; ++slot)
    rows[slot] = results.load(Layout::row_of_slot(slot), where);
  return rows;
}

/// The same of its columns.
template <typename Layout, typename Op, typename T, int kLines, int kThreads>
TESSERA_DEVICE ColumnFragment<T, Layout> columns_of_lines(
    Op op, const RowFragment<T, LineShares<kLines, kThreads>>& partial, const Shared<T>& results,
    Location where = Location::current()) {
  detail::share_lines(op, partial, results, where);
  ColumnFragment<T, Layout> columns;
  TESSERA_UNROLL
  for (int slot = 0; slot < Layout::kColumnCount; ++slot)
    columns[slot] = results.load(Layout::column_of_slot(slot), where);
  return columns;
}

}  // namespace tessera
