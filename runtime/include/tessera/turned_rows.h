// SPDX-License-Identifier: Apache-2.0
// Rows of a product whose tile has lines across K, of elements that warpgroups multiply along K alone: threads turn them on
// the way to registers, which products take as well as shared memory.
#pragma once

#include "tessera/warpgroups.h"

namespace tessera {

/// A tile of kLines of K, whose lines run along the rows of the result: multiply_async takes it through registers.
template <typename T, int kLines, int kLength>
struct TurnedTile {
  static constexpr int kStep = 32 / static_cast<int>(sizeof(T)), kSteps = kLines / kStep;  ///< over K
  static_assert(sizeof(T) != 2, "16-bit elements may lie across K as they are");
  static_assert(kLines % kStep == 0, "a tile has whole steps of K");

  OperandTile<T, kLines, kLength> tile;
};
template <typename T, int kLines, int kLength>
TESSERA_DEVICE TurnedTile<T, kLines, kLength> turned_rows(const OperandTile<T, kLines, kLength>& tile) {
  return {tile};
}

namespace detail {

/// What a thread has of A for 32 bytes of K of a warp's 16 rows: words 0 and 2 are of row lane / 4, words 1 and 3 of the row 8
/// below; the first two are number lane % 4 of the words along K, the others number 4 + lane % 4.
using TurnedWords = std::uint32_t[4];

/// Reads the words of a warp, whose rows begin at `from` and in steps behind that. Of elements of 4 bytes. The lower 16 lanes
/// begin with words 0 and 1, the upper ones with 2 and 3: so all 32 lanes read different banks.
template <typename Tile>
class TurnedReader {
  static_assert(sizeof(typename Tile::Element) == 4, "elements of a word");

 public:
  static constexpr int kDepth = 8;  ///< of one step

  TESSERA_DEVICE TurnedReader(const Tile& tile, int from) : tile_(tile) {
    const int lane = thread_index() % kWarpThreads, row = from + lane / 4;
    is_upper_ = lane >= 16;
    TESSERA_UNROLL
    for (int below = 0; below < 2; ++below) {
      first_[below] = tile.index_of(lane % 4 + (is_upper_ ? 4 : 0), row + 8 * below);
      second_[below] = tile.index_of(lane % 4 + (is_upper_ ? 0 : 4), row + 8 * below);
    }
  }

  /// Of step number `step` over K, of rows so far behind the first.
  TESSERA_DEVICE void load(TurnedWords& words, int behind, int step, Location where) const {
    TESSERA_UNROLL
    for (int below = 0; below < 2; ++below) {
      const auto one = tile_.elements.load(Tile::moved(first_[below], step * kDepth, behind), where);
      const auto other = tile_.elements.load(Tile::moved(second_[below], step * kDepth, behind), where);
      words[below] = is_upper_ ? other.bits : one.bits;
      words[2 + below] = is_upper_ ? one.bits : other.bits;
    }
  }

 private:
  const Tile& tile_;
  bool is_upper_;
  int first_[2], second_[2];
};

/// Of elements of a byte. ldmatrix turns pairs of rows: a lane gets two of K of rows 2 (lane / 4) and 2 (lane / 4) + 1, of two
/// matrices those that follow each other. A permutation of bytes makes a word of four of K of one row from both, and what
/// belongs to another lane is sent there. Matrices take lines of K by twos, the upper half from the other four: so all
/// lines of a matrix lie in different banks.
template <typename Tile>
requires(sizeof(typename Tile::Element) == 1) class TurnedReader<Tile> {
 public:
  static constexpr int kDepth = 32;

  TESSERA_DEVICE TurnedReader(const Tile& tile, int from) : tile_(tile) {
    const int matrix = lane_ / 8, row = lane_ % 8;
    const int line = matrix / 2 * 16 + row / 2 * 4 + row % 2 + (matrix % 2 ^ row / 4) * 2;
    first_ = tile.index_of(line, from);
  }

  TESSERA_DEVICE void load(TurnedWords& words, int behind, int step, Location where) const {
    TurnedWords pairs;
    ptx::ldmatrix_x4_trans(pairs, tile_.elements, Tile::moved(first_, step * kDepth, behind), where);
    TESSERA_UNROLL
    for (int half = 0; half < 2; ++half) put(words + 2 * half, pairs + 2 * half, where);
  }

 private:
  /// Of 16 of K: words of rows lane / 4 and lane / 4 + 8 from those of two neighbouring rows. Lanes of even rows get their own
  /// row first, those of odd rows the one below; so each lane sends what one other wants at a time.
  TESSERA_DEVICE void put(std::uint32_t* words, const std::uint32_t* pairs, Location where) const {
    const int row = lane_ / 4;
    const bool is_odd = row % 2 != 0, is_upper = row >= 4;
    const std::uint32_t even_bytes = lane_ % 4 < 2 ? 0x6420u : 0x2064u;
    const std::uint32_t odd_bytes = even_bytes + 0x1111u;
    const std::uint32_t first = ptx::prmt(pairs[0], pairs[1], is_upper ? odd_bytes : even_bytes);
    const std::uint32_t second = ptx::prmt(pairs[0], pairs[1], is_upper ? even_bytes : odd_bytes);
    const int from = row / 2 * 4 + lane_ % 4;
    const std::uint32_t one = ptx::shfl_sync(first, is_odd ? from + 16 : from, where);
    const std::uint32_t other = ptx::shfl_sync(second, is_odd ? from : from + 16, where);
    words[0] = is_odd ? other : one;
    words[1] = is_odd ? one : other;
  }

  const Tile& tile_;
  int lane_ = thread_index() % kWarpThreads, first_;
};

/// This thread's part of the rows of a tile in kSteps_ steps of K, in the order of the products of its warpgroup.
template <typename Tile, typename Layout, int kSteps_>
struct TurnedRows {
  static constexpr int kSteps = kSteps_;

  TurnedWords words[kSteps][Layout::kRowBlocks];

  TESSERA_DEVICE TurnedRows(const Tile& tile, int first_step, Location where) {
    static_assert(
        Layout::kRowBlocks == 1 || Layout::kRowStep % Tile::kSpan == 0 || Tile::kSpan % Layout::kRowStep == 0,
        "a step from block to block changes no bit of a place in a span but its own");
    const TurnedReader<Tile> reader(tile, Layout::warp_row());
    TESSERA_UNROLL
    for (int step = 0; step < kSteps; ++step) {
      TESSERA_UNROLL
      for (int block = 0; block < Layout::kRowBlocks; ++block)
        reader.load(words[step][block], block * Layout::kRowStep, first_step + step, where);
    }
  }
};

/// The products of such rows, which begin `first_step` steps of K behind those of b, as one group.
template <Sign kSign, typename Rows, int kSteps, typename Sum, typename Layout, typename TileB>
TESSERA_DEVICE void start_products(Fragment<Sum, Layout>& sums, const TurnedRows<Rows, Layout, kSteps>& a,
                                   int first_step, const TileB& b, bool adds, Location where) {
  using A = typename Rows::Element;
  using B = typename TileB::Element;
  using StepB = MatrixStep<Major::k, TileB>;
  constexpr int kSums = 4 * Layout::kColumnBlocks, kDepth = TurnedReader<Rows>::kDepth;
  constexpr bool kByTwos = kSteps % 2 == 0;
  const MatrixDescriptor first_b = matrix_descriptor<Major::k>(b, where);
  ptx::wgmma_fence(where);
  TESSERA_UNROLL
  for (int step = 0; step < kSteps; step += kByTwos ? 2 : 1) {
    const MatrixDescriptor at_b = first_b.moved(StepB::offset(0, (first_step + step) * kDepth));
    TESSERA_UNROLL
    for (int block = 0; block < Layout::kRowBlocks; ++block) {
      auto& of_block = reinterpret_cast<Sum(&)[kSums]>(sums.value[block * kSums]);
      if constexpr (kByTwos)
        ptx::wgmma_mma_async_two<A, B, Layout::kColumns, kSign, StepB::offset(0, kDepth)>(
            of_block, a.words[step][block], a.words[step + 1][block], at_b, adds || step > 0, where);
      else
        ptx::wgmma_mma_async<A, B, Layout::kColumns, Major::k, kSign>(of_block, a.words[step][block], at_b,
                                                                      adds || step > 0, where);
    }
  }
  ptx::wgmma_commit_group(where);
}

}  // namespace detail

/// sums (+)= a * b as multiply_async of other tiles, of rows whose lines run across K and columns whose lines run along it, of
/// elements of 1 or 4 bytes: as two groups, if there are so many steps, so that threads read the rows of one while the other
/// is under way, and what is left of the product before. All lanes of a warp have read theirs when this returns.
template <Sign kSign = Sign::plus, typename Sum, typename Layout, typename T, int kLines, int kLength,
          typename TileB>
TESSERA_DEVICE void multiply_async(Fragment<Sum, Layout>& sums, const TurnedTile<T, kLines, kLength>& a,
                                   const TileB& b, int, bool adds = true,
                                   Location where = Location::current()) {
  constexpr int kSteps = TurnedTile<T, kLines, kLength>::kSteps, kParts = kSteps % 2 == 0 ? 2 : 1;
  static_assert(kLength == Layout::kRows && detail::kDepthOf<Major::k, TileB> == kLines,
                "a tile has all rows, and as much of K as the other");
  detail::keep_in_registers(sums);
  TESSERA_UNROLL
  for (int part = 0; part < kParts; ++part) {
    const int first_step = part * (kSteps / kParts);
    ptx::wgmma_wait_group<kParts - 1>(where);  // the registers of this part are free
    const detail::TurnedRows<OperandTile<T, kLines, kLength>, Layout, kSteps / kParts> rows(
        a.tile, first_step, where);
    detail::start_products<kSign>(sums, rows, first_step, b, adds || part > 0, where);
  }
  detail::keep_in_registers(sums);
  warp_barrier(0xffffffffu, where);
}

}  // namespace tessera
