// SPDX-License-Identifier: Apache-2.0
// StorePanel<T, Layout>: how a warp writes its tile of sums to memory in whole lines.
#pragma once

#include "tessera/fragment.h"
#include "tessera/operand_tile.h"
#include "tessera/view.h"

namespace tessera {

/// 16 rows by 128 bytes of what a warp stores, in shared memory. A thread has pairs of neighbours in 8 rows; written as they
/// are, memory would get pieces of 16 bytes. The panels of a warp's tile follow each other through the same place, which no
/// other warp touches, so that lanes wait for lanes alone. T has 2 or 4 bytes.
template <typename T, typename Layout>
class StorePanel {
  using Tile = OperandTile<T, 16, 128 / static_cast<int>(sizeof(T))>;
  static constexpr int kWidth = Tile::kLength, kChunk = Tile::kChunk;
  static constexpr int kColumnsOfWarp = Layout::kColumns / Layout::kWarpColumns;
  static constexpr int kPanelsOfRow = kColumnsOfWarp / kWidth;
  static constexpr int kLanesOfLine = kWidth / kChunk, kLinesAtOnce = kWarpThreads / kLanesOfLine;

  static_assert(sizeof(T) == 2 || sizeof(T) == 4, "panels are of elements of 2 or 4 bytes");
  static_assert(kColumnsOfWarp % kWidth == 0, "a warp has whole panels");

 public:
  /// Panels of a warp, and what the block has of the array.
  static constexpr int kCount = Layout::kRowBlocks * kPanelsOfRow;
  static constexpr int kRoom = Layout::kThreads / kWarpThreads * Tile::kRoom;

  TESSERA_DEVICE explicit StorePanel(const Shared<T>& elements) : elements_(elements) {}

  /// The first of the thread's two rows in panel number `panel`, and its columns there: [first, end).
  static TESSERA_HD constexpr int first_row_slot(int panel) { return panel / kPanelsOfRow * 2; }
  static TESSERA_HD constexpr int first_column_slot(int panel) { return panel % kPanelsOfRow * (kWidth / 4); }
  static TESSERA_HD constexpr int end_column_slot(int panel) { return first_column_slot(panel) + kWidth / 4; }

  /// Puts the pair of the thread's columns column_slot and column_slot + 1 in one of its rows.
  TESSERA_DEVICE void set(int row_slot, int column_slot, const Vector<T, 2>& pair,
                          Location where = Location::current()) const {
    const int lane = thread_index() % kWarpThreads;
    const int line = row_slot % 2 * 8 + lane / 4, position = column_slot * 4 % kWidth + lane % 4 * 2;
    elements_.template store<2>(tile().index_of(line, position), pair, where);
  }

  /// Writes a panel whose rows before row_count are set, up to column_count: `line_of(row)` is the line of memory of a row
  /// of the tile, whose column 0 is element `first`. By all lanes, which may set the next panel then.
  template <typename LineOf>
  TESSERA_DEVICE void store(int panel, int row_count, int column_count, index first, LineOf line_of,
                            Location where = Location::current()) const {
    const int lane = thread_index() % kWarpThreads;
    const int row = Layout::warp_row() + panel / kPanelsOfRow * Layout::kRowStep;
    const int position = lane % kLanesOfLine * kChunk;
    const int column = Layout::warp_column() + panel % kPanelsOfRow * kWidth + position;
    const Part<kChunk, false> part(column, 0, column_count);
    warp_barrier(0xffffffffu, where);
    TESSERA_UNROLL
    for (int first_line = 0; first_line < 16; first_line += kLinesAtOnce) {
      const int line = first_line + lane / kLanesOfLine;
      if (row + line < row_count && part.any()) {
        const Vector<T, kChunk> chunk =
            elements_.template load<kChunk>(tile().index_of(line, position), where);
        line_of(row + line).store(first + column, chunk, part, where);
      }
    }
    warp_barrier(0xffffffffu, where);
  }

 private:
  TESSERA_DEVICE Tile tile() const { return {elements_, thread_index() / kWarpThreads * Tile::kRoom}; }

  Shared<T> elements_;
};

}  // namespace tessera
