// SPDX-License-Identifier: Apache-2.0
// Mma<T>: how a warp multiplies elements of type T: which parts of the operands a thread holds, how it reads them from
// operand tiles, and what they add to its sums.
#pragma once

#include "tessera/math.h"
#include "tessera/operand_parts.h"

namespace tessera {

/// kDepth: how much of K one step takes. A, B: the parts of a thread, which load_a and load_b read: of 16 rows (kBlocks
/// times 8 columns) so many behind the first of a warp, which origin_a (origin_b) gave, at k on. Sum: the type of the
/// sums; four of them, in the order of FragmentLayout, are added to by `multiply`. negated: the part of A's negated
/// numbers.
template <typename T>
struct Mma;

template <>
struct Mma<bf16> : detail::WordMma<bf16, float> {
  static TESSERA_DEVICE void multiply(Sum* sums, const A& a, const B& b, Location where) {
    ptx::mma_m16n8k16_bf16(sums, a.word, b.word, where);
  }
};
template <>
struct Mma<f16> : detail::WordMma<f16, float> {
  static TESSERA_DEVICE void multiply(Sum* sums, const A& a, const B& b, Location where) {
    ptx::mma_m16n8k16_f16(sums, a.word, b.word, where);
  }
};
template <>
struct Mma<std::int8_t> : detail::WordMma<std::int8_t, std::int32_t> {
  static TESSERA_DEVICE void multiply(Sum* sums, const A& a, const B& b, Location where) {
    ptx::mma_m16n8k32_s8(sums, a.word, b.word, where);
  }
};
template <>
struct Mma<std::uint8_t> : detail::WordMma<std::uint8_t, std::int32_t> {
  static TESSERA_DEVICE void multiply(Sum* sums, const A& a, const B& b, Location where) {
    ptx::mma_m16n8k32_u8(sums, a.word, b.word, where);
  }
};

/// Takes tiles of floats, which are rounded to nearest, ties to even.
template <>
struct Mma<tf32> : detail::WordMma<float, float> {
  using Base = detail::WordMma<float, float>;

  template <Major kMajor, int kWidth, typename Tile>
  static TESSERA_DEVICE void load_a(A& part, const Tile& tile, int origin, int rows, int k, Location where) {
    Base::template load_a<kMajor, kWidth>(part, tile, origin, rows, k, where);
    round(part.word);
  }
  template <Major kMajor, int kWidth, int kBlocks, typename Tile>
  static TESSERA_DEVICE void load_b(B (&parts)[kBlocks], const Tile& tile, int origin, int columns, int k,
                                    Location where) {
    Base::template load_b<kMajor, kWidth>(parts, tile, origin, columns, k, where);
    TESSERA_UNROLL
    for (int block = 0; block < kBlocks; ++block) round(parts[block].word);
  }
  static TESSERA_DEVICE void multiply(Sum* sums, const A& a, const B& b, Location where) {
    ptx::mma_m16n8k8_tf32(sums, a.word, b.word, where);
  }

 private:
  template <int kWords>
  static TESSERA_DEVICE void round(std::uint32_t (&words)[kWords]) {
    TESSERA_UNROLL
    for (int w = 0; w < kWords; ++w) {
#if TESSERA_TWIN || __CUDA_ARCH__ >= 900
      words[w] = ptx::cvt_rn_tf32(math::from_bits(words[w])).bits;
#else
      words[w] = math::to_bits(math::round_tf32(math::from_bits(words[w])));
#endif
    }
  }
};

/// By fma, in the order of K: a thread has two of K of the rows and columns that its sums are in, which lanes do not share
/// out as they do for instructions.
template <>
struct Mma<float> {
  using Element = float;
  using Sum = float;
  static constexpr int kDepth = 2;

  struct A {
    float at[2][kDepth];  // [row of the block's two][k]
  };
  struct B {
    float at[2][kDepth];  // [column of the block's two][k]
  };

  template <Major kMajor>
  static constexpr bool kReadsAhead = true;

  /// Where this lane reads of the rows (columns) from `first` on: for load_a (load_b) of the same tile.
  template <Major kMajor, int kWidth, typename Tile>
  static TESSERA_DEVICE int origin_a(const Tile& tile, int first) {
    return origin<kMajor, kWidth>(tile, first, thread_index() % kWarpThreads / 4);
  }
  template <Major kMajor, int kWidth, typename Tile>
  static TESSERA_DEVICE int origin_b(const Tile& tile, int first) {
    return origin<kMajor, kWidth>(tile, first, thread_index() % 4 * 2);
  }

  template <Major kMajor, int kWidth, typename Tile>
  static TESSERA_DEVICE void load_a(A& part, const Tile& tile, int origin, int rows, int k, Location where) {
    const auto block = block_of<kMajor, kWidth>(tile, origin, rows);
    TESSERA_UNROLL
    for (int i = 0; i < 2; ++i) {
      if constexpr (kMajor == Major::k) {
        const auto pair = tile.elements.template load<2>(block.along(8 * i, k), where);
        part.at[i][0] = pair[0];
        part.at[i][1] = pair[1];
      } else {
        TESSERA_UNROLL
        for (int j = 0; j < kDepth; ++j)
          part.at[i][j] = tile.elements.load(block.across(8 * i, k + j), where);
      }
    }
  }
  template <Major kMajor, int kWidth, int kBlocks, typename Tile>
  static TESSERA_DEVICE void load_b(B (&parts)[kBlocks], const Tile& tile, int origin, int columns, int k,
                                    Location where) {
    TESSERA_UNROLL
    for (int number = 0; number < kBlocks; ++number) {
      const auto block = block_of<kMajor, kWidth>(tile, origin, columns + 8 * number);
      TESSERA_UNROLL
      for (int i = 0; i < 2; ++i) {
        const int from = kMajor == Major::k ? block.next_line(i).along(0, k) : block.across(0, k + i);
        const auto pair = tile.elements.template load<2>(from, where);
        TESSERA_UNROLL
        for (int j = 0; j < 2; ++j)
          (kMajor == Major::k ? parts[number].at[i][j] : parts[number].at[j][i]) = pair[j];
      }
    }
  }
  static TESSERA_DEVICE A negated(A part) {
    TESSERA_UNROLL
    for (int i = 0; i < 2; ++i) {
      TESSERA_UNROLL
      for (int j = 0; j < kDepth; ++j) part.at[i][j] = -part.at[i][j];
    }
    return part;
  }
  static TESSERA_DEVICE void multiply(Sum* sums, const A& a, const B& b, Location) {
    TESSERA_UNROLL
    for (int k = 0; k < kDepth; ++k) {
      TESSERA_UNROLL
      for (int q = 0; q < 4; ++q) sums[q] = math::fma(a.at[q / 2][k], b.at[q % 2][k], sums[q]);
    }
  }

 private:
  /// Across the lines blocks of 8 rows (columns) are at constant distances only where those of a warp do not carry into
  /// those of the next.
  template <Major kMajor, int kWidth, typename Tile>
  static constexpr bool kIsMoved = kMajor == Major::k || kWidth % Tile::kSpan == 0 || Tile::kSpan == 8 ||
                                   (kWidth < Tile::kSpan && (kWidth & (kWidth - 1)) == 0);

  template <Major kMajor, int kWidth, typename Tile>
  static TESSERA_DEVICE int origin(const Tile& tile, int first, int lane) {
    if constexpr (kIsMoved<kMajor, kWidth, Tile>) {
      return computed_here(kMajor == Major::k ? tile.index_of(first + lane, 0)
                                              : tile.index_of(0, first + lane));
    } else {
      return first + lane;
    }
  }

  /// The places of a lane in a block: so many rows (columns) behind `from`, which is a place at k = 0.
  template <typename Tile>
  struct Block {
    int from, behind;

    TESSERA_DEVICE int along(int mn, int k) const { return Tile::moved(from, behind + mn, k); }
    TESSERA_DEVICE int across(int mn, int k) const {
      return Tile::moved(from ^ Tile::at(k % 8, 0), k / 8 * 8, behind + mn);
    }
    /// From an even line: the bits that differ in the next one are 0.
    TESSERA_DEVICE Block next_line(int i) const { return {from ^ Tile::at(i, 0), behind}; }
  };

  template <Major kMajor, int kWidth, typename Tile>
  static TESSERA_DEVICE Block<Tile> block_of(const Tile& tile, int origin, int mn) {
    if constexpr (kIsMoved<kMajor, kWidth, Tile>) {
      return {origin, mn};
    } else {
      return {tile.index_of(0, computed_here(origin) + mn), 0};  // or all places would wait in registers
    }
  }
};

/// K is in another order than the instruction has it, the same for both operands: no access meets a bank of shared memory
/// twice, whichever way the lines run. Tiles hold whole sixteens of it, of which a step takes a half: parts of more would
/// leave too few registers to read ahead.
template <>
struct Mma<double> {
  using Element = double;
  using Sum = double;
  static constexpr int kDepth = 8;

  struct A {
    double at[4];  // [2 * number of k + row of the block's two]
  };
  struct B {
    double at[2];
  };

  template <Major kMajor>
  static constexpr bool kReadsAhead = true;

  /// Which k is number `i` of the threads in a column of lanes, in the step that begins at `k`.
  static TESSERA_HD constexpr int depth(int k, int lane_column, int i) {
    return k / 16 * 16 + lane_column / 2 * 8 + (lane_column ^ number(k, i)) * 2 + lane_column % 2;
  }

  /// Where this lane reads of the rows (columns) from `first` on: for load_a and load_b of the same tile.
  template <Major kMajor, int kWidth, typename Tile>
  static TESSERA_DEVICE int origin_a(const Tile& tile, int first) {
    if constexpr (kIsMoved<kMajor, kWidth, Tile>) {
      const int lane = thread_index() % kWarpThreads;
      const detail::OperandAccess<kMajor, Tile> access{tile, {}};
      return computed_here(access.index_of(first + lane / 4, depth(0, lane % 4, 0)));
    } else {
      return first;
    }
  }
  template <Major kMajor, int kWidth, typename Tile>
  static TESSERA_DEVICE int origin_b(const Tile& tile, int first) {
    return origin_a<kMajor, kWidth>(tile, first);
  }

  template <Major kMajor, int kWidth, typename Tile>
  static TESSERA_DEVICE void load_a(A& part, const Tile& tile, int origin, int rows, int k, Location where) {
    TESSERA_UNROLL
    for (int i = 0; i < 4; ++i)
      part.at[i] = load<kMajor, kWidth>(tile, origin, rows + i % 2 * 8, k, i / 2, where);
  }
  template <Major kMajor, int kWidth, int kBlocks, typename Tile>
  static TESSERA_DEVICE void load_b(B (&parts)[kBlocks], const Tile& tile, int origin, int columns, int k,
                                    Location where) {
    TESSERA_UNROLL
    for (int block = 0; block < kBlocks; ++block) {
      TESSERA_UNROLL
      for (int i = 0; i < 2; ++i)
        parts[block].at[i] = load<kMajor, kWidth>(tile, origin, columns + 8 * block, k, i, where);
    }
  }
  /// By the sign bits, since doubles are negated by an addition.
  static TESSERA_DEVICE A negated(A part) {
    TESSERA_UNROLL
    for (int i = 0; i < 4; ++i)
      part.at[i] = math::from_bits(math::to_bits(part.at[i]) ^ std::uint64_t{1} << 63);
    return part;
  }
  static TESSERA_DEVICE void multiply(Sum* sums, const A& a, const B& b, Location where) {
#if TESSERA_TWIN || __CUDA_ARCH__ >= 900
    ptx::mma_m16n8k8_f64(sums, a.at, b.at, where);
#else
    TESSERA_UNROLL
    for (int i = 0; i < 2; ++i) {
      ptx::mma_m8n8k4_f64(sums, a.at[2 * i], b.at[i], where);
      ptx::mma_m8n8k4_f64(sums + 2, a.at[2 * i + 1], b.at[i], where);
    }
#endif
  }

 private:
  static TESSERA_HD constexpr int number(int k, int i) { return k % 16 / 4 + i; }

  /// Rows (columns) and steps over K are at constant distances from the lane's place. Across the lines only where eight
  /// rows have no bits in common with the first row of a warp.
  template <Major kMajor, int kWidth, typename Tile>
  static constexpr bool kIsMoved = kMajor == Major::k || kWidth % 16 == 0 || Tile::kSpan == 8;

  template <Major kMajor, int kWidth, typename Tile>
  static TESSERA_DEVICE double load(const Tile& tile, int origin, int mn, int k, int i, Location where) {
    const int other = 2 * number(k, i);  // differs in these bits of K, which are bits of the place too
    if constexpr (!kIsMoved<kMajor, kWidth, Tile>) {
      const detail::LanePlace lane = detail::lane_place();
      return detail::OperandAccess<kMajor, Tile>{tile, where}.load(origin + mn + lane.row,
                                                                   depth(k, lane.column, i));
    } else if constexpr (kMajor == Major::k) {
      return tile.elements.load(Tile::moved(origin, mn, k / 16 * 16 + other), where);
    } else {
      return tile.elements.load(Tile::moved(origin ^ Tile::at(other, 0), k / 16 * 16, mn), where);
    }
  }
};

}  // namespace tessera
