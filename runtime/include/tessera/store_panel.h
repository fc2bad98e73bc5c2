// SPDX-License-Identifier: Apache-2.0
// StorePanel<T, Layout>: how a warp writes its tile of sums to memory in whole lines.
#pragma once

#include <cstring>

#include "tessera/fragment.h"
#include "tessera/operand_tile.h"
#include "tessera/ptx_copy.h"
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
                          [[maybe_unused]] Location where = Location::current()) {
    const int column = column_slot * 4 % kWidth, half = row_slot % 2;
    if constexpr (kHasMatrices) {
      std::memcpy(&words_[column / 16][column / 8 % 2 * 2 + half], &pair, sizeof pair);
    } else {
      const int lane = thread_index() % kWarpThreads;
      elements_.template store<2>(tile().index_of(half * 8 + lane / 4, column + lane % 4 * 2), pair, where);
    }
  }

  /// Writes a panel whose rows before row_count are set, up to column_count: `line_of(row)` is the line of memory of a row
  /// of the tile, whose column 0 is element `first`. By all lanes, which may set the next panel then.
  template <typename LineOf>
  TESSERA_DEVICE void store(int panel, int row_count, int column_count, index first, LineOf line_of,
                            Location where = Location::current()) const {
    const int row = Layout::warp_row() + panel / kPanelsOfRow * Layout::kRowStep;
    const int column = Layout::warp_column() + panel % kPanelsOfRow * kWidth;
    if constexpr (kHasMatrices) put_matrices(where);
    warp_barrier(0xffffffffu, where);
    if (begins_chunk(line_of(row), first + column) && begins_chunk(line_of(row + 1), first + column)) {
      store_chunks(row, column, row_count, column_count, first, line_of, where);
    } else {
      store_shifted(row, column, row_count, column_count, first, line_of, where);
    }
    warp_barrier(0xffffffffu, where);
  }

 private:
  TESSERA_DEVICE Tile tile() const { return {elements_, thread_index() / kWarpThreads * Tile::kRoom}; }

  /// The words of all lanes, four matrices of 8 rows and columns at a time.
  TESSERA_DEVICE void put_matrices(Location where) const {
    const int lane = thread_index() % kWarpThreads, line = lane % 16, column = lane / 16 * 8;
    TESSERA_UNROLL
    for (int i = 0; i < kWidth / 16; ++i)
      ptx::stmatrix_x4(elements_, tile().index_of(line, 16 * i + column), words_[i], where);
  }

  template <typename Line>
  static TESSERA_DEVICE bool begins_chunk(const Line& line, index i) {
    return line.template boundary<kChunk, false>(i) == i;
  }

  template <typename LineOf>
  TESSERA_DEVICE void store_chunks(int row, int column, int row_count, int column_count, index first,
                                   LineOf line_of, Location where) const {
    const int lane = thread_index() % kWarpThreads;
    const int position = lane % kLanesOfLine * kChunk;
    const Part<kChunk, false> part(column + position, 0, column_count);
    TESSERA_UNROLL
    for (int first_line = 0; first_line < 16; first_line += kLinesAtOnce) {
      const int line = first_line + lane / kLanesOfLine;
      if (row + line < row_count && part.any()) {
        const Vector<T, kChunk> chunk =
            elements_.template load<kChunk>(tile().index_of(line, position), where);
        line_of(row + line).store(first + column + position, chunk, part, where);
      }
    }
  }

  // Of lines that begin anywhere, lanes write chunks as memory has them, and an element each of what is left at both ends.
  template <typename LineOf>
  TESSERA_DEVICE void store_shifted(int row, int column, int row_count, int column_count, index first,
                                    LineOf line_of, Location where) const {
    const int lane = thread_index() % kWarpThreads, place = lane % kLanesOfLine;
    const index begin = first + column;
    TESSERA_UNROLL
    for (int first_line = 0; first_line < 16; first_line += kLinesAtOnce) {
      const int line = first_line + lane / kLanesOfLine;
      if (row + line < row_count) {
        const auto to = line_of(row + line);
        const int head = static_cast<int>(to.template boundary<kChunk, false>(begin + kChunk - 1) - begin);
        const int position = head + place * kChunk;
        const Part<kChunk, false> part(column + position, 0, column_count);
        if (position + kChunk <= kWidth && part.any())
          to.store(begin + position, chunk_at(line, position, where), part, where);
        const int end = place < head ? place : kWidth - kChunk + place;
        if (head > 0 && place < kChunk && column + end < column_count)
          to.store(begin + end, elements_.load(tile().index_of(line, end), where), where);
      }
    }
  }

  /// The elements of a line from any position on.
  TESSERA_DEVICE Vector<T, kChunk> chunk_at(int line, int position, Location where) const {
    constexpr int kPerWord = 4 / static_cast<int>(sizeof(T));
    const int past = position % kPerWord;
    std::uint32_t words[5];
    TESSERA_UNROLL
    for (int i = 0; i < 5; ++i) {
      const int from = position - past + i * kPerWord;
      const auto word = elements_.template load<kPerWord>(
          tile().index_of(line, from < kWidth ? from : kWidth - kPerWord), where);
      std::memcpy(words + i, &word, sizeof word);
    }
    TESSERA_UNROLL
    for (int i = 0; i < 4; ++i) {
      const std::uint64_t pair = static_cast<std::uint64_t>(words[i + 1]) << 32 | words[i];
      words[i] = static_cast<std::uint32_t>(pair >> (past * 8 * static_cast<int>(sizeof(T))));
    }
    Vector<T, kChunk> chunk;
    std::memcpy(&chunk, words, sizeof chunk);
    return chunk;
  }

  // Elements of two bytes wait in registers for instructions that store matrices of them.
  static constexpr bool kHasMatrices = sizeof(T) == 2;

  Shared<T> elements_;
  std::uint32_t words_[kHasMatrices ? kWidth / 16 : 1][4] = {};
};

}  // namespace tessera
