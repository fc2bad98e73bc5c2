// SPDX-License-Identifier: Apache-2.0
// How threads read their parts of operands from tiles in shared memory.
#pragma once

#include "tessera/operand_tile.h"
#include "tessera/ptx_copy.h"
#include "tessera/ptx_mma.h"

namespace tessera {

/// N elements of a tile along the lines of another one, whose lines run along kAlong: from `position` of line `line` on.
template <int N, Major kMajor, Major kAlong, typename Tile>
TESSERA_DEVICE Vector<typename Tile::Element, N> load_along(const Tile& tile, int line, int position,
                                                            Location where = Location::current()) {
  if constexpr (kMajor == kAlong) {
    return tile.template load<N>(line, position, where);
  } else {
    Vector<typename Tile::Element, N> result;
    const int first = computed_here(position);  // or addresses of all vectors would wait in registers
    TESSERA_UNROLL
    for (int i = 0; i < N; ++i) result.set(i, tile.load(first + i, line, where));
    return result;
  }
}

namespace detail {

/// A tile whose elements are named by their row (column) of the result and by k.
template <Major kMajor, typename Tile>
struct OperandAccess {
  const Tile& tile;
  Location where;

  TESSERA_DEVICE int index_of(int mn, int k) const {
    return kMajor == Major::k ? tile.index_of(mn, k) : tile.index_of(k, mn);
  }
  TESSERA_DEVICE auto load(int mn, int k) const { return tile.elements.load(index_of(mn, k), where); }

  /// Two neighbours along the lines.
  TESSERA_DEVICE auto load_pair(int mn, int k) const {
    return tile.elements.template load<2>(index_of(mn, k), where);
  }
};

/// Where a thread stands in a block of sums. Element by element a part has more addresses than there are registers for:
/// what is computed from a place is computed anew, not kept throughout a loop.
struct LanePlace {
  int row, column;
};
TESSERA_DEVICE LanePlace lane_place() {
  const auto lane = static_cast<unsigned>(computed_here(thread_index() % kWarpThreads));
  return {static_cast<int>(lane / 4), static_cast<int>(lane % 4)};
}

/// Products whose operands a thread holds in words of 32 bits: 16 rows (8 columns) x 32 bytes along K.
template <typename Element_, typename Sum_>
struct WordMma {
  using Element = Element_;
  using Sum = Sum_;
  static constexpr int kPerWord = 4 / static_cast<int>(sizeof(Element));
  static constexpr int kDepth = 8 * kPerWord;

  struct A {
    std::uint32_t word[4];
  };
  struct B {
    std::uint32_t word[2];
  };

  /// ldmatrix moves 16-bit elements across lanes; wider and narrower ones only along K.
  template <Major kMajor>
  static constexpr bool kHasMatrixLoad = kMajor == Major::k || sizeof(Element) == 2;

  /// Whether what a step needs is read while the one before is multiplied: element by element that would take more
  /// registers than sums leave.
  template <Major kMajor>
  static constexpr bool kReadsAhead = kHasMatrixLoad<kMajor>;

  /// Blocks of rows (columns) and steps over K are at constant distances from the lane's place in the first one. Across
  /// the lines only where the places of a warp's rows (columns) do not carry into those of the next warp's.
  template <Major kMajor, int kWidth, typename Tile>
  static constexpr bool kIsMoved = kHasMatrixLoad<kMajor> &&
                                   (kMajor == Major::k || kWidth % Tile::kSpan == 0 ||
                                    (kWidth < Tile::kSpan && (kWidth & (kWidth - 1)) == 0 && kWidth >= 16));

  /// Where this lane reads of the kWidth rows (columns) from `first` on: for load_a and load_b of the same tile.
  template <Major kMajor, int kWidth, typename Tile>
  static TESSERA_DEVICE int origin_a(const Tile& tile, int first) {
    if constexpr (kIsMoved<kMajor, kWidth, Tile>) {
      const int lane = thread_index() % kWarpThreads;
      return computed_here(kMajor == Major::k
                               ? tile.index_of(first + lane % 16, lane / 16 * 4 * kPerWord)
                               : tile.index_of(lane / 16 * 8 + lane % 8, first + lane / 8 % 2 * 8));
    } else {
      return first;
    }
  }
  template <Major kMajor, int kWidth, typename Tile>
  static TESSERA_DEVICE int origin_b(const Tile& tile, int first) {
    if constexpr (kIsMoved<kMajor, kWidth, Tile>) {
      const int lane = thread_index() % kWarpThreads;
      return computed_here(kMajor == Major::k
                               ? tile.index_of(first + lane / 16 * 8 + lane % 8, lane / 8 % 2 * 4 * kPerWord)
                               : tile.index_of(lane % 16, first + lane / 16 * 8));
    } else {
      return first;
    }
  }

  /// The part of 16 rows, `rows` behind the first, at k on.
  template <Major kMajor, int kWidth, typename Tile>
  static TESSERA_DEVICE void load_a(A& part, const Tile& tile, int origin, int rows, int k, Location where) {
    const int lane = thread_index() % kWarpThreads;
    const OperandAccess<kMajor, Tile> access{tile, where};
    if constexpr (kIsMoved<kMajor, kWidth, Tile>) {
      const int from = move<kMajor, Tile>(origin, rows, k);
      if constexpr (kMajor == Major::k) {
        ptx::ldmatrix_x4(part.word, tile.elements, from, where);
      } else {
        ptx::ldmatrix_x4_trans(part.word, tile.elements, from, where);
      }
    } else if constexpr (kHasMatrixLoad<kMajor>) {
      const int from = access.index_of(origin + rows + lane / 8 % 2 * 8, k + lane / 16 * 8 + lane % 8);
      ptx::ldmatrix_x4_trans(part.word, tile.elements, from, where);
    } else {
      const LanePlace place = lane_place();
      TESSERA_UNROLL
      for (int w = 0; w < 4; ++w)
        part.word[w] = load_word(access, place, origin + rows + w % 2 * 8, k + w / 2 * 4 * kPerWord);
    }
  }

  /// The parts of kBlocks times 8 columns, `columns` behind the first, at k on: two blocks at once where ldmatrix does
  /// it.
  template <Major kMajor, int kWidth, int kBlocks, typename Tile>
  static TESSERA_DEVICE void load_b(B (&parts)[kBlocks], const Tile& tile, int origin, int columns, int k,
                                    Location where) {
    if constexpr (kHasMatrixLoad<kMajor>) {
      std::uint32_t words[4], last[2];
      TESSERA_UNROLL
      for (int block = 0; block + 1 < kBlocks; block += 2) {
        load_blocks<kMajor, kWidth>(words, tile, origin, columns + 8 * block, k, where);
        parts[block] = {{words[0], words[1]}};
        parts[block + 1] = {{words[2], words[3]}};
      }
      if constexpr (kBlocks % 2 != 0) {
        load_blocks<kMajor, kWidth>(last, tile, origin, columns + 8 * (kBlocks - 1), k, where);
        parts[kBlocks - 1] = {{last[0], last[1]}};
      }
    } else {
      const OperandAccess<kMajor, Tile> access{tile, where};
      const LanePlace place = lane_place();
      TESSERA_UNROLL
      for (int block = 0; block < kBlocks; ++block) {
        TESSERA_UNROLL
        for (int w = 0; w < 2; ++w)
          parts[block].word[w] = load_word(access, place, origin + columns + 8 * block, k + w * 4 * kPerWord);
      }
    }
  }

  /// By the sign bits, of two numbers at once where they have 16 bits.
  static TESSERA_DEVICE A negated(A part) {
    static_assert(!std::is_integral_v<Element>, "products of integers are only added");
    TESSERA_UNROLL
    for (int w = 0; w < 4; ++w) part.word[w] ^= sizeof(Element) == 2 ? 0x80008000u : 0x80000000u;
    return part;
  }

 private:
  /// One word, element by element.
  template <typename Access>
  static TESSERA_DEVICE std::uint32_t load_word(const Access& access, LanePlace lane, int mn, int k) {
    Element elements[kPerWord];
    TESSERA_UNROLL
    for (int i = 0; i < kPerWord; ++i)
      elements[i] = access.load(mn + lane.row, k + kPerWord * lane.column + i);
    std::uint32_t word;
    std::memcpy(&word, elements, sizeof word);
    return word;
  }

  template <Major kMajor, typename Tile>
  static TESSERA_DEVICE int move(int origin, int rows, int k) {
    return kMajor == Major::k ? Tile::moved(origin, rows, k) : Tile::moved(origin, k, rows);
  }

  /// Two blocks of 8 columns in four words, or one in two: then the upper lanes, whose addresses do not count, name the
  /// rows of the lower ones.
  template <Major kMajor, int kWidth, int kWords, typename Tile>
  static TESSERA_DEVICE void load_blocks(std::uint32_t (&words)[kWords], const Tile& tile, int origin,
                                         int columns, int k, Location where) {
    const int lane = thread_index() % kWarpThreads % (8 * kWords);
    const OperandAccess<kMajor, Tile> access{tile, where};
    int from;
    if constexpr (kIsMoved<kMajor, kWidth, Tile>) {
      from = move<kMajor, Tile>(origin, columns, k);
      if (kWords == 2 && thread_index() % kWarpThreads >= 16) from = move<kMajor, Tile>(from, -8, 0);
    } else {
      from = access.index_of(origin + columns + lane / 16 * 8, k + lane % 16);
    }
    if constexpr (kWords == 4) {
      if constexpr (kMajor == Major::k) {
        ptx::ldmatrix_x4(words, tile.elements, from, where);
      } else {
        ptx::ldmatrix_x4_trans(words, tile.elements, from, where);
      }
    } else {
      if constexpr (kMajor == Major::k) {
        ptx::ldmatrix_x2(words, tile.elements, from, where);
      } else {
        ptx::ldmatrix_x2_trans(words, tile.elements, from, where);
      }
    }
  }
};

}  // namespace detail

}  // namespace tessera
