// SPDX-License-Identifier: Apache-2.0
// StorePanel<T, Layout, kLine>: how a warp writes its tile of sums to memory in whole lines.
#pragma once

#include <cstring>

#include "tessera/fragment.h"
#include "tessera/operand_tile.h"
#include "tessera/ptx_copy.h"
#include "tessera/ptx_tensor.h"
#include "tessera/ptx_wgmma.h"
#include "tessera/store_boxes.h"
#include "tessera/view.h"

namespace tessera {

namespace detail {

template <typename T, StoredLine kLine>
using PanelTile = std::conditional_t<kLine == StoredLine::row, OperandTile<T, kStoredRows, kStoredColumns<T>>,
                                     OperandTile<T, kStoredColumns<T>, kStoredRows>>;

/// The elements of a line from any position on.
template <typename Tile, typename T = typename Tile::Element>
TESSERA_DEVICE Vector<T, Tile::kChunk> chunk_at(const Tile& tile, int line, int position, Location where) {
  constexpr int kWidth = Tile::kLength, kPerWord = 4 / static_cast<int>(sizeof(T));
  const int past = position % kPerWord;
  std::uint32_t words[5];
  TESSERA_UNROLL
  for (int i = 0; i < 5; ++i) {
    const int from = position - past + i * kPerWord;
    const auto word = tile.template load<kPerWord>(line, from < kWidth ? from : kWidth - kPerWord, where);
    std::memcpy(words + i, &word, sizeof word);
  }
  TESSERA_UNROLL
  for (int i = 0; i < 4; ++i) {
    const std::uint64_t pair = static_cast<std::uint64_t>(words[i + 1]) << 32 | words[i];
    words[i] = static_cast<std::uint32_t>(pair >> (past * 8 * static_cast<int>(sizeof(T))));
  }
  Vector<T, Tile::kChunk> chunk;
  std::memcpy(&chunk, words, sizeof chunk);
  return chunk;
}

/// What one of the lanes of a panel's line stores of its first `count` elements, where `to` has them from `first` on, a line
/// that begins anywhere: lanes write chunks as memory has them, and an element each of what is left at both ends; elements
/// alone where they are no neighbours. A call: seldom what stores take, and the same for all panels of all variants.
template <typename Tile, typename Line>
TESSERA_DEVICE_CALL void store_shifted_line(Tile tile, int line, Line to, index first, int count,
                                            Location where) {
  constexpr int kChunk = Tile::kChunk, kLanes = Tile::kLength / kChunk;
  const int share = thread_index() % kLanes;
  const int before = static_cast<int>(to.template boundary<kChunk, false>(first + kChunk - 1) - first);
  const int head = to.stride == 1 ? minimum(before, count) : count;
  const int tail = head + (count - head) / kChunk * kChunk;
  const int position = head + share * kChunk;
  if (position < tail) to.store(first + position, chunk_at(tile, line, position, where), where);
  TESSERA_NO_UNROLL
  for (int i = share; i < head + count - tail; i += kLanes) {
    const int end = i < head ? i : i - head + tail;
    to.store(first + end, tile.load(line, end, where), where);
  }
}

}  // namespace detail

/// 16 rows by 128 bytes of what a warp stores, in shared memory, by 64 where T has one byte; else it has two or four. A
/// thread has pairs of neighbours in 8 rows; written as they are, memory would get pieces of 16 bytes. The panels of a warp's
/// tiles follow each other through two places, which no other warp touches, so that lanes wait for lanes alone. The last
/// panel of a row may be partly used. Lines of memory are rows of the tile, or its columns: of these a panel has 16 elements
/// each, of two or four bytes.
template <typename T, typename Layout_, StoredLine kLine = StoredLine::row>
class StorePanel {
 public:
  /// Bytes of an element, and of a place: the same for all outputs, which share the places.
  static constexpr int kElementBytes = static_cast<int>(sizeof(T)), kPlaceBytes = kStoredRows * 128;

 private:
  using Tile = detail::PanelTile<T, kLine>;
  static constexpr bool kHasRows = kLine == StoredLine::row;
  static constexpr int kWidth = kStoredColumns<T>, kChunk = Tile::kChunk;
  static constexpr int kColumnsOfWarp = Layout_::kColumns / Layout_::kWarpColumns;
  static constexpr int kPanelsOfRow = (kColumnsOfWarp + kWidth - 1) / kWidth;
  static constexpr int kLanesOfLine = Tile::kLength / kChunk, kLinesAtOnce = kWarpThreads / kLanesOfLine;
  static constexpr int kPlaces = 2;
  static constexpr int kPlaceRoom = kPlaceBytes / kElementBytes;
  using Word = std::conditional_t<sizeof(T) == 1, std::uint16_t, std::uint32_t>;
  static constexpr int kWordsOfPair = static_cast<int>(2 * sizeof(T) / sizeof(Word));

  static_assert(sizeof(T) <= 4 && sizeof(Word) * kWordsOfPair == sizeof(Vector<T, 2>),
                "panels are of elements of 1, 2 or 4 bytes");
  static_assert(kHasRows || sizeof(T) > 1, "lines along columns have elements of 2 or 4 bytes");
  static_assert(kColumnsOfWarp % kWidth == 0 || Layout_::kWarpColumns == 1,
                "behind a panel that is partly used no other warp has columns");
  static_assert(kColumnsOfWarp % kChunk == 0, "a warp stores whole chunks");

 public:
  using Layout = Layout_;

  /// Panels of a warp, and what the block has of the array.
  static constexpr int kCount = Layout::kRowBlocks * kPanelsOfRow;
  static constexpr int kRoom = Layout::kThreads / kWarpThreads * kPlaces * kPlaceRoom;

  /// Columns of a panel for which a lane computes what all lanes need, see PanelColumns.
  static constexpr int kLaneColumns = kWidth / kWarpThreads;

  /// `turn` is which place is next, for all outputs that share them; 0 when a kernel begins.
  TESSERA_DEVICE StorePanel(const Shared<T>& elements, int& turn) : elements_(elements), turn_(turn) {}

  /// The first of the thread's two rows in panel number `panel`, and its columns there: [first, end).
  static TESSERA_HD constexpr int first_row_slot(int panel) { return panel / kPanelsOfRow * 2; }
  static TESSERA_HD constexpr int first_column_slot(int panel) { return panel % kPanelsOfRow * (kWidth / 4); }
  static TESSERA_HD constexpr int end_column_slot(int panel) {
    const int end = first_column_slot(panel) + kWidth / 4;
    return end < Layout::kColumnCount ? end : Layout::kColumnCount;
  }

  /// Pairs of a thread in a row of a panel; which panel one of its rows and columns is in, and which pair there.
  static constexpr int kPairs = kWidth / 8;
  static TESSERA_HD constexpr int number(int row_slot, int column_slot) {
    return row_slot / 2 * kPanelsOfRow + column_slot * 4 / kWidth;
  }
  static TESSERA_HD constexpr int pair_of_panel(int column_slot) { return column_slot * 4 % kWidth / 8; }

  /// Column number i of a lane in a panel: in the panel, and in the tile.
  static TESSERA_DEVICE int lane_column(int i) { return i * kWarpThreads + thread_index() % kWarpThreads; }
  static TESSERA_DEVICE int column_of_lane(int panel, int i) {
    const int column = column_of(panel) + lane_column(i);
    return is_whole(panel) ? column : minimum(column, Layout::kColumns - 1);
  }

  /// The byte of the array where the next place begins. By all lanes, which may write there behind this, until they have set
  /// the panel.
  TESSERA_DEVICE int open_place(Location where = Location::current()) const {
    wait_for_place(where);
    return place_number() * kPlaceBytes;
  }

  /// The pair of the thread's columns column_slot and column_slot + 1 in one of its rows.
  TESSERA_DEVICE void set(int row_slot, int column_slot, const Vector<T, 2>& pair) {
    std::memcpy(words_[pair_of_panel(column_slot)][row_slot % 2], &pair, sizeof pair);
  }

  /// Writes a panel whose rows before row_count are set, up to column_count: `line_of(i)` is the line of memory of row
  /// (column) i of the tile, whose first element there is element `first`. By all lanes, which may set the next panel then.
  template <typename LineOf>
  TESSERA_DEVICE void store(int panel, int row_count, int column_count, index first, LineOf line_of,
                            Location where = Location::current()) {
    const Corner corner = corner_of(panel, row_count, column_count);
    put(where);
    const index begin = first + corner.position;
    if (begins_chunk(line_of(corner.line), begin) && begins_chunk(line_of(corner.line + 1), begin)) {
      store_chunks(corner, first, line_of, where);
    } else {
      store_shifted(corner, first, line_of, where);
    }
    pass_on(where);
  }

  /// The same for an output with boxes, of which the tile begins at `at`, its lines follow each other along kLineDimension, and
  /// run along the last. The copy engine leaves out what is outside of the output, be it the whole box, and reads the panel
  /// while the next is set; wait_for_stores() ends that. Behind the columns of a panel that is partly used stand those of
  /// another block: lanes store its chunks.
  template <int kLineDimension, int Rank, typename LineOf>
  TESSERA_DEVICE void store_box(int panel, const StoreBoxes& boxes, const Index<Rank>& at, int row_count,
                                int column_count, LineOf line_of, Location where = Location::current()) {
    const Corner corner = corner_of(panel, row_count, column_count);
    put(where);
    if (!boxes.are_there) {
      store_shifted(corner, at[Rank - 1], line_of, where);
    } else if (!is_whole(panel)) {
      store_chunks(corner, at[Rank - 1], line_of, where);
    } else if (ptx::elect_sync(where)) {
      ask_for_store<kLineDimension>(boxes.map, at, corner, where);
    }
    pass_on(where);
  }

 private:
  /// The first line of a panel in the tile and its first element there; how many lines the tile has, and where they end.
  struct Corner {
    int line, position, line_count, end;
  };
  static TESSERA_DEVICE Corner corner_of(int panel, int row_count, int column_count) {
    const int row = row_of(panel), column = column_of(panel);
    return kHasRows ? Corner{row, column, row_count, column_count}
                    : Corner{column, row, column_count, row_count};
  }
  static TESSERA_DEVICE int row_of(int panel) {
    return Layout::warp_row() + panel / kPanelsOfRow * Layout::kRowStep;
  }
  static TESSERA_DEVICE int column_of(int panel) {
    return Layout::warp_column() + panel % kPanelsOfRow * kWidth;
  }
  static TESSERA_HD constexpr bool is_whole(int panel) {
    return (panel % kPanelsOfRow + 1) * kWidth <= kColumnsOfWarp;
  }

  /// Of the warp, for the panel at hand.
  TESSERA_DEVICE Tile place() const { return {elements_, place_number() * kPlaceRoom}; }
  TESSERA_DEVICE int place_number() const { return thread_index() / kWarpThreads * kPlaces + turn_; }

  /// Until the copy engine, and all lanes, have read what was there before.
  TESSERA_DEVICE void wait_for_place(Location where) const {
    ptx::cp_async_bulk_wait_group_read<kPlaces - 1>(where);
    warp_barrier(0xffffffffu, where);
  }

  /// What all lanes have set is in its place when this returns.
  TESSERA_DEVICE void put(Location where) const {
    wait_for_place(where);
    put_words(where);
    ptx::fence_proxy_async(where);
    warp_barrier(0xffffffffu, where);
  }

  /// The other place is next, also where nothing was stored from this: a group for each panel. Words begin as zeros again:
  /// those of rows that nobody sets would hold their registers until the next panel, and through the products before it.
  TESSERA_DEVICE void pass_on(Location where) {
    ptx::cp_async_bulk_commit_group(where);
    turn_ ^= 1;
    TESSERA_UNROLL
    for (int i = 0; i < kPairs; ++i) {
      TESSERA_UNROLL
      for (int row = 0; row < 2; ++row) std::memset(words_[i][row], 0, sizeof words_[i][row]);
    }
  }

  /// Elements of two bytes go as matrices of 8 rows and columns, four at a time.
  TESSERA_DEVICE void put_words(Location where) const {
    const int lane = thread_index() % kWarpThreads;
    if constexpr (!kHasRows) {
      put_columns(where);
    } else if constexpr (sizeof(T) == 2) {
      TESSERA_UNROLL
      for (int i = 0; i < kPairs; i += 2) {
        const std::uint32_t words[4] = {words_[i][0][0], words_[i][1][0], words_[i + 1][0][0],
                                        words_[i + 1][1][0]};
        ptx::stmatrix_x4(elements_, place().index_of(lane % 16, 8 * i + lane / 16 * 8), words, where);
      }
    } else {
      TESSERA_UNROLL
      for (int i = 0; i < kPairs * 2; ++i) {
        Vector<T, 2> pair;
        std::memcpy(&pair, words_[i / 2][i % 2], sizeof pair);
        elements_.template store<2>(place().index_of(i % 2 * 8 + lane / 4, i / 2 * 8 + lane % 4 * 2), pair,
                                    where);
      }
    }
  }

  /// The same where lines are columns: matrices are turned, other elements go one by one.
  TESSERA_DEVICE void put_columns(Location where) const {
    const int lane = thread_index() % kWarpThreads;
    TESSERA_UNROLL
    for (int i = 0; i < kPairs; i += 2) {
      if constexpr (sizeof(T) == 2) {
        const std::uint32_t words[4] = {words_[i][0][0], words_[i][1][0], words_[i + 1][0][0],
                                        words_[i + 1][1][0]};
        const int line = 8 * i + lane / 16 * 8 + lane % 8;
        ptx::stmatrix_x4_trans(elements_, place().index_of(line, lane / 8 % 2 * 8), words, where);
      } else {
        TESSERA_UNROLL
        for (int k = 0; k < 8; ++k) {
          const int block = i + k / 4, row = k / 2 % 2;
          T element;
          std::memcpy(&element, &words_[block][row][k % 2], sizeof element);
          elements_.store(place().index_of(8 * block + lane % 4 * 2 + k % 2, row * 8 + lane / 4), element,
                          where);
        }
      }
    }
  }

  template <int kLineDimension, int Rank>
  TESSERA_DEVICE void ask_for_store(const BoxMap& map, const Index<Rank>& at, const Corner& corner,
                                    Location where) const {
    int coordinates[Rank];
    coordinates[0] = static_cast<int>(at[Rank - 1] + corner.position);
    TESSERA_UNROLL
    for (int d = 0; d < Rank - 1; ++d)
      coordinates[d + 1] = static_cast<int>(at[d] + (d == kLineDimension ? corner.line : 0));
    ptx::cp_async_bulk_tensor_store(map, coordinates, elements_, place().first, where);
  }

  template <typename Line>
  static TESSERA_DEVICE bool begins_chunk(const Line& line, index i) {
    return line.template boundary<kChunk, false>(i) == i;
  }

  template <typename LineOf>
  TESSERA_DEVICE void store_chunks(const Corner& corner, index first, LineOf line_of, Location where) const {
    const int lane = thread_index() % kWarpThreads;
    const int position = lane % kLanesOfLine * kChunk;
    const Part<kChunk, false> part(corner.position + position, 0, corner.end);
    TESSERA_UNROLL
    for (int first_line = 0; first_line < Tile::kLines; first_line += kLinesAtOnce) {
      const int line = first_line + lane / kLanesOfLine;
      if (corner.line + line < corner.line_count && part.any()) {
        const Vector<T, kChunk> chunk =
            elements_.template load<kChunk>(place().index_of(line, position), where);
        line_of(corner.line + line).store(first + corner.position + position, chunk, part, where);
      }
    }
  }

  template <typename LineOf>
  TESSERA_DEVICE void store_shifted(const Corner& corner, index first, LineOf line_of, Location where) const {
    const int lane = thread_index() % kWarpThreads;
    const int count = minimum(Tile::kLength, corner.end - corner.position);
    TESSERA_NO_UNROLL
    for (int first_line = 0; first_line < Tile::kLines; first_line += kLinesAtOnce) {
      const int line = first_line + lane / kLanesOfLine;
      if (corner.line + line < corner.line_count && count > 0)
        detail::store_shifted_line(place(), line, line_of(corner.line + line), first + corner.position, count,
                                   where);
    }
  }

  Shared<T> elements_;
  int& turn_;                                 // which of the places is next
  Word words_[kPairs][2][kWordsOfPair] = {};  // pairs, by block of 8 columns and row
};

/// Behind the last store_box of a kernel: shared memory is read until this returns.
TESSERA_DEVICE void wait_for_stores(Location where = Location::current()) {
  ptx::cp_async_bulk_wait_group_read<0>(where);
}

}  // namespace tessera
