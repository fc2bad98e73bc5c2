// SPDX-License-Identifier: Apache-2.0
// OperandTile<T, kLines, kLength>: an operand of a product in shared memory, laid out so that neither filling it nor
// reading its parts meets a bank twice. OperandRing: several of them.
#pragma once

#include "tessera/shared.h"

namespace tessera {

/// What the lines of an operand tile run along: K, over which products are summed, or the rows (columns) of the result.
enum class Major { k, mn };

/// What a function is compiled for: lines that run along the one, the other, or whichever a launch finds.
enum class Order { k, mn, either };

/// kLines lines of kLength elements, which follow each other in global memory. They are cut into panels of kSpan
/// elements (128, 64 or 32 bytes), and the 16-byte chunks of a panel's line change places with the number of the line.
/// The first byte of the array is best a multiple of kAlignment. With ends there is a chunk more for each line, behind
/// all of them: lines that begin anywhere in blocks of 16 bytes touch one block more than they are long.
template <typename T, int kLines_, int kLength_, bool kHasEnds_ = false>
struct OperandTile {
  using Element = T;
  static constexpr int kLines = kLines_, kLength = kLength_, kCount = kLines * kLength;
  static constexpr bool kHasEnds = kHasEnds_ && sizeof(T) < 4;
  static constexpr int kLineBytes = kLength * static_cast<int>(sizeof(T));
  static constexpr int kSpanBytes = kLineBytes % 128 == 0 ? 128 : kLineBytes % 64 == 0 ? 64 : 32;
  static constexpr int kSpan = kSpanBytes / static_cast<int>(sizeof(T));
  static constexpr int kChunk = 16 / static_cast<int>(sizeof(T));
  static constexpr int kAlignment = 8 * kSpanBytes;
  static constexpr int kBytes = kCount * static_cast<int>(sizeof(T));
  static constexpr int kRoom = kCount + (kHasEnds ? kLines * kChunk : 0);  ///< what it takes of the array
  static constexpr int kRoomBytes = kRoom * static_cast<int>(sizeof(T));

  static_assert(kLength > 0 && kLineBytes % 32 == 0, "a line is a multiple of 32 bytes");
  static_assert(kLines > 0 && kLines % 8 == 0, "a tile has a multiple of 8 lines");

  Shared<T> elements;
  int first = 0;  ///< where the tile begins among them

  /// How many boxes bring a tile, and what each brings of a line, in bytes and in elements.
  static TESSERA_HD constexpr int boxes() { return kLength / kSpan; }
  static TESSERA_HD constexpr int span_bytes() { return kSpanBytes; }
  static TESSERA_HD constexpr int span() { return kSpan; }

  /// Where an element stands in the tile.
  static TESSERA_HD constexpr int at(int line, int position) {
    constexpr unsigned kChunks = kSpanBytes / 16;
    const auto l = static_cast<unsigned>(line), p = static_cast<unsigned>(position);
    const unsigned place_in_span = p % kSpan ^ l * kSpanBytes / 128 % kChunks * kChunk;
    return static_cast<int>((p / kSpan * kLines + l) * kSpan + place_in_span);
  }

  /// Where the element so many lines and positions behind the one at `index` stands: a multiple of 8 lines, and of
  /// positions a multiple of kChunk that fits into those bits of the position in its span which are 0.
  static TESSERA_HD constexpr int moved(int index, int lines, int positions) {
    return (index ^ positions % kSpan) + (positions / kSpan * kLines + lines) * kSpan;
  }

  /// The same in the array.
  TESSERA_DEVICE int index_of(int line, int position) const { return first + at(line, position); }

  /// Where the chunk behind a line is.
  TESSERA_DEVICE int end_of(int line) const {
    static_assert(kHasEnds, "only tiles that are shifted into place have ends");
    return first + kCount + line * kChunk;
  }

  /// One element, or N that follow each other, N dividing kChunk and `position`.
  TESSERA_DEVICE T load(int line, int position, Location where = Location::current()) const {
    return elements.load(index_of(line, position), where);
  }
  template <int N>
  TESSERA_DEVICE Vector<T, N> load(int line, int position, Location where = Location::current()) const {
    return elements.template load<N>(index_of(line, position), where);
  }
};

/// The elements of T in as many whole panels of 128 bytes as a line of so many needs: what boxes bring of a line along the
/// columns of a result, of which a product leaves out the rest.
template <typename T>
TESSERA_HD constexpr int in_whole_panels(int length) {
  constexpr int kPanel = 128 / static_cast<int>(sizeof(T));
  return (length + kPanel - 1) / kPanel * kPanel;
}

/// kStages tiles, used in turn: while one is read the others are filled.
template <typename T, int kLines, int kLength, int kStages_, bool kHasEnds = false>
struct OperandRing {
  using Tile = OperandTile<T, kLines, kLength, kHasEnds>;
  static constexpr int kStages = kStages_, kRoom = kStages * Tile::kRoom;
  static constexpr int kRoomBytes = kRoom * static_cast<int>(sizeof(T));

  Shared<T> elements;

  TESSERA_DEVICE Tile stage(int number) const { return {elements, number * Tile::kRoom}; }

  /// What an EitherRing says of itself: these tiles have lines along K, one for each row (column).
  static constexpr int kWidth = kLines;
  static TESSERA_HD constexpr bool is_along_k() { return true; }
};

}  // namespace tessera
