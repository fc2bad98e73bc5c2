// SPDX-License-Identifier: Apache-2.0
// LaneColumns<T, Layout>: what the lanes of a warp fetch of columns for each other.
#pragma once

#include <cstring>

#include "tessera/fragment.h"
#include "tessera/ptx_copy.h"

namespace tessera {

/// Values of T for the columns of a tile that has a warp's width: each lane keeps those of a few, `[i]` of column number
/// column(i), where all threads would fetch what is eight times as much.
template <typename T, typename Layout>
struct LaneColumns : detail::Registers<T, (Layout::kColumns + kWarpThreads - 1) / kWarpThreads> {
  static_assert(Layout::kWarpColumns == 1, "a warp has all columns of the tile");
  static_assert(sizeof(T) == sizeof(std::uint32_t), "lanes exchange words");

  /// Where the last ones of some lanes would lie behind the tile they are its last column.
  static TESSERA_DEVICE int column(int i) {
    const int column = i * kWarpThreads + thread_index() % kWarpThreads;
    return Layout::kColumns % kWarpThreads == 0 || column < Layout::kColumns ? column : Layout::kColumns - 1;
  }

  /// Those of each thread's own columns. By all lanes of the warp.
  TESSERA_DEVICE ColumnFragment<T, Layout> spread(Location where = Location::current()) const {
    ColumnFragment<T, Layout> all;
    const int first = Layout::column_of_slot(0);
    TESSERA_UNROLL
    for (int slot = 0; slot < Layout::kColumnCount; ++slot) {
      const int column = slot / 2 * 8 + slot % 2;  // behind the first, which is in the first eight
      std::uint32_t word;
      std::memcpy(&word, &(*this)[column / kWarpThreads], sizeof word);
      word = ptx::shfl_sync(word, first + column % kWarpThreads, where);
      std::memcpy(&all[slot], &word, sizeof word);
    }
    return all;
  }
};

}  // namespace tessera
