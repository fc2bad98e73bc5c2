// SPDX-License-Identifier: Apache-2.0
// FragmentGroup: the threads that hold tiles together, and how they combine what each of them has of a row or a column.
#pragma once

#include "tessera/fragment.h"
#include "tessera/reductions.h"
#include "tessera/shared.h"

namespace tessera {

/// All threads of the block. Make one object per kernel, outside of its loops, for tiles of all layouts: it alternates
/// between two shared buffers, which is why reductions may follow each other without a barrier in between.
class FragmentGroup {
 public:
  /// `partial` of all threads that share a row combined with `op`, in an order that depends on Layout alone; each of
  /// them gets the result, with the same bits. All threads of the block must be here; if the columns are spread over
  /// warps, they meet at one barrier.
  template <typename Op, typename T, typename Layout>
  TESSERA_DEVICE RowFragment<T, Layout> reduce_columns(Op op, RowFragment<T, Layout> partial,
                                                       Location where = Location::current()) {
    combine_lanes<1, 2>(op, partial, where);
    if constexpr (Layout::kWarpColumns > 1) combine_warp_columns(op, partial, where);
    return partial;
  }

  /// The same for the threads that share a column; they meet at a barrier if the rows are spread over warps.
  template <typename Op, typename T, typename Layout>
  TESSERA_DEVICE ColumnFragment<T, Layout> reduce_rows(Op op, ColumnFragment<T, Layout> partial,
                                                       Location where = Location::current()) {
    combine_lanes<4, 16>(op, partial, where);
    if constexpr (Layout::kWarpRows > 1) combine_warp_rows(op, partial, where);
    return partial;
  }

 private:
  static constexpr std::uint32_t kAllLanes = 0xffffffffu;

  /// Each value with those of the lanes whose number differs in the bits kFirst to kLast.
  template <int kFirst, int kLast, typename Op, typename Values>
  static TESSERA_DEVICE void combine_lanes(Op op, Values& values, Location where) {
    TESSERA_UNROLL
    for (int distance = kFirst; distance <= kLast; distance *= 2) {
      TESSERA_UNROLL
      for (int slot = 0; slot < Values::kCount; ++slot)
        values[slot] = op(values[slot], shuffle_xor(values[slot], distance, kAllLanes, where));
    }
  }

  template <typename Op, typename T, typename Layout>
  TESSERA_DEVICE void combine_warp_columns(Op op, RowFragment<T, Layout>& values, Location where) {
    const int warp = thread_index() / kWarpThreads % Layout::kWarpColumns;
    const bool leads = thread_index() % 4 == 0;
    combine_warps<Layout::kWarpColumns, Layout::kRows>(
        op, values, row_partials<T, Layout>(), warp, leads,
        [](int slot) { return Layout::row_of_slot(slot); }, where);
  }

  template <typename Op, typename T, typename Layout>
  TESSERA_DEVICE void combine_warp_rows(Op op, ColumnFragment<T, Layout>& values, Location where) {
    const int warp = thread_index() / kWarpThreads / Layout::kWarpColumns;
    const bool leads = thread_index() % kWarpThreads < 4;
    combine_warps<Layout::kWarpRows, Layout::kColumns>(
        op, values, column_partials<T, Layout>(), warp, leads,
        [](int slot) { return Layout::column_of_slot(slot); }, where);
  }

  /// The shared buffers: the same ones for every operation on T.
  template <typename T, typename Layout>
  static TESSERA_DEVICE Shared<T> row_partials() {
    TESSERA_SHARED(T, row_partial, 2 * Layout::kWarpColumns * Layout::kRows);
    return row_partial;
  }
  template <typename T, typename Layout>
  static TESSERA_DEVICE Shared<T> column_partials() {
    TESSERA_SHARED(T, column_partial, 2 * Layout::kWarpRows * Layout::kColumns);
    return column_partial;
  }

  /// One lane for each row (column) of a warp leaves its value in shared memory, and all threads combine those of the
  /// warps in the same order.
  template <int kWarps, int kLength, typename Op, typename T, typename Values, typename Position>
  TESSERA_DEVICE void combine_warps(Op op, Values& values, const Shared<T>& partial, int warp, bool leads,
                                    Position position, Location where) {
    const int first = buffer_ * kWarps * kLength;
    buffer_ ^=
        1;  // who writes this one again has passed the next reduction's barrier, and we have read it by then
    if (leads) {
      TESSERA_UNROLL
      for (int slot = 0; slot < Values::kCount; ++slot)
        partial.store(first + warp * kLength + position(slot), values[slot], where);
    }
    barrier(where);
    TESSERA_UNROLL
    for (int slot = 0; slot < Values::kCount; ++slot) {
      T total = partial.load(first + position(slot), where);
      TESSERA_UNROLL
      for (int other = 1; other < kWarps; ++other)
        total = op(total, partial.load(first + other * kLength + position(slot), where));
      values[slot] = total;
    }
  }

  int buffer_ = 0;
};

}  // namespace tessera
