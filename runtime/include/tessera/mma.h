// SPDX-License-Identifier: Apache-2.0
// Mma<T>: how a warp multiplies elements of type T: which parts of the operands a thread holds, how it reads them from
// operand tiles, and what they add to its sums.
#pragma once

#include "tessera/math.h"
#include "tessera/operand_tile.h"
#include "tessera/ptx_copy.h"
#include "tessera/ptx_mma.h"

namespace tessera {

/// What the lines of an operand tile run along: K, over which products are summed, or the rows (columns) of the result.
enum class Major { k, mn };

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

TESSERA_DEVICE int lane_row() { return thread_index() % kWarpThreads / 4; }
TESSERA_DEVICE int lane_column() { return thread_index() % 4; }

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

  /// The part of the 16 rows from `row` on, at k on.
  template <Major kMajor, typename Tile>
  static TESSERA_DEVICE void load_a(A& part, const Tile& tile, int row, int k, Location where) {
    const int lane = thread_index() % kWarpThreads;
    const OperandAccess<kMajor, Tile> access{tile, where};
    if constexpr (kMajor == Major::k) {
      const int from = access.index_of(row + lane % 16, k + lane / 16 * 4 * kPerWord);
      ptx::ldmatrix_x4(part.word, tile.elements, from, where);
    } else if constexpr (kHasMatrixLoad<kMajor>) {
      const int from = access.index_of(row + lane / 8 % 2 * 8, k + lane / 16 * 8 + lane % 8);
      ptx::ldmatrix_x4_trans(part.word, tile.elements, from, where);
    } else {
      TESSERA_UNROLL
      for (int w = 0; w < 4; ++w) part.word[w] = load_word(access, row + w % 2 * 8, k + w / 2 * 4 * kPerWord);
    }
  }

  /// The parts of kBlocks times 8 columns from `column` on, at k on: two blocks at once where ldmatrix does it.
  template <Major kMajor, int kBlocks, typename Tile>
  static TESSERA_DEVICE void load_b(B (&parts)[kBlocks], const Tile& tile, int column, int k,
                                    Location where) {
    if constexpr (kHasMatrixLoad<kMajor>) {
      TESSERA_UNROLL
      for (int block = 0; block + 1 < kBlocks; block += 2)
        load_two<kMajor>(parts[block], parts[block + 1], tile, column + 8 * block, k, where);
      if constexpr (kBlocks % 2 != 0)
        load_one<kMajor>(parts[kBlocks - 1], tile, column + 8 * (kBlocks - 1), k, where);
    } else {
      const OperandAccess<kMajor, Tile> access{tile, where};
      TESSERA_UNROLL
      for (int block = 0; block < kBlocks; ++block) {
        TESSERA_UNROLL
        for (int w = 0; w < 2; ++w)
          parts[block].word[w] = load_word(access, column + 8 * block, k + w * 4 * kPerWord);
      }
    }
  }

 private:
  /// One word, element by element.
  template <typename Access>
  static TESSERA_DEVICE std::uint32_t load_word(const Access& access, int mn, int k) {
    Element elements[kPerWord];
    TESSERA_UNROLL
    for (int i = 0; i < kPerWord; ++i)
      elements[i] = access.load(mn + lane_row(), k + kPerWord * lane_column() + i);
    std::uint32_t word;
    std::memcpy(&word, elements, sizeof word);
    return word;
  }

  template <Major kMajor, typename Tile>
  static TESSERA_DEVICE void load_two(B& first, B& second, const Tile& tile, int column, int k,
                                      Location where) {
    const int lane = thread_index() % kWarpThreads;
    const OperandAccess<kMajor, Tile> access{tile, where};
    std::uint32_t words[4];
    if constexpr (kMajor == Major::k) {
      const int from = access.index_of(column + lane / 16 * 8 + lane % 8, k + lane / 8 % 2 * 4 * kPerWord);
      ptx::ldmatrix_x4(words, tile.elements, from, where);
    } else {
      ptx::ldmatrix_x4_trans(words, tile.elements, access.index_of(column + lane / 16 * 8, k + lane % 16),
                             where);
    }
    first = {{words[0], words[1]}};
    second = {{words[2], words[3]}};
  }

  template <Major kMajor, typename Tile>
  static TESSERA_DEVICE void load_one(B& part, const Tile& tile, int column, int k, Location where) {
    const int lane = thread_index() % 16;  // the upper lanes name the rows of the lower ones
    const OperandAccess<kMajor, Tile> access{tile, where};
    if constexpr (kMajor == Major::k) {
      ptx::ldmatrix_x2(part.word, tile.elements,
                       access.index_of(column + lane % 8, k + lane / 8 * 4 * kPerWord), where);
    } else {
      ptx::ldmatrix_x2_trans(part.word, tile.elements, access.index_of(column, k + lane), where);
    }
  }
};

}  // namespace detail

/// kDepth: how much of K one step takes. A, B: the parts of a thread. Sum: the type of the sums; four of them, in the
/// order of FragmentLayout, are added to by `multiply`.
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

/// Takes tiles of floats, which are rounded to nearest, ties away.
template <>
struct Mma<tf32> : detail::WordMma<float, float> {
  using Base = detail::WordMma<float, float>;

  template <Major kMajor, typename Tile>
  static TESSERA_DEVICE void load_a(A& part, const Tile& tile, int row, int k, Location where) {
    Base::template load_a<kMajor>(part, tile, row, k, where);
    round(part.word);
  }
  template <Major kMajor, int kBlocks, typename Tile>
  static TESSERA_DEVICE void load_b(B (&parts)[kBlocks], const Tile& tile, int column, int k,
                                    Location where) {
    Base::template load_b<kMajor>(parts, tile, column, k, where);
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
    for (int w = 0; w < kWords; ++w) words[w] = ptx::cvt_rna_tf32(math::from_bits(words[w])).bits;
  }
};

/// By fma, in the order of K: a thread has two of K of the rows and columns that its sums are in.
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

  template <Major kMajor, typename Tile>
  static TESSERA_DEVICE void load_a(A& part, const Tile& tile, int row, int k, Location where) {
    const detail::OperandAccess<kMajor, Tile> access{tile, where};
    TESSERA_UNROLL
    for (int i = 0; i < 2; ++i) {
      const int mn = row + 8 * i + detail::lane_row();
      if constexpr (kMajor == Major::k) {
        const Vector<float, 2> pair = access.load_pair(mn, k);
        part.at[i][0] = pair[0];
        part.at[i][1] = pair[1];
      } else {
        part.at[i][0] = access.load(mn, k);
        part.at[i][1] = access.load(mn, k + 1);
      }
    }
  }
  template <Major kMajor, int kBlocks, typename Tile>
  static TESSERA_DEVICE void load_b(B (&parts)[kBlocks], const Tile& tile, int column, int k,
                                    Location where) {
    const detail::OperandAccess<kMajor, Tile> access{tile, where};
    TESSERA_UNROLL
    for (int block = 0; block < kBlocks; ++block) {
      const int mn = column + 8 * block + 2 * detail::lane_column();
      TESSERA_UNROLL
      for (int i = 0; i < 2; ++i) {
        const Vector<float, 2> pair =
            kMajor == Major::k ? access.load_pair(mn + i, k) : access.load_pair(mn, k + i);
        TESSERA_UNROLL
        for (int j = 0; j < 2; ++j)
          (kMajor == Major::k ? parts[block].at[i][j] : parts[block].at[j][i]) = pair[j];
      }
    }
  }
  static TESSERA_DEVICE void multiply(Sum* sums, const A& a, const B& b, Location) {
    TESSERA_UNROLL
    for (int k = 0; k < kDepth; ++k) {
      TESSERA_UNROLL
      for (int q = 0; q < 4; ++q) sums[q] = math::fma(a.at[q / 2][k], b.at[q % 2][k], sums[q]);
    }
  }
};

template <>
struct Mma<double> {
  using Element = double;
  using Sum = double;
  static constexpr int kDepth = 4;

  struct A {
    double row[2];
  };
  struct B {
    double column;
  };

  template <Major kMajor, typename Tile>
  static TESSERA_DEVICE void load_a(A& part, const Tile& tile, int row, int k, Location where) {
    const detail::OperandAccess<kMajor, Tile> access{tile, where};
    TESSERA_UNROLL
    for (int i = 0; i < 2; ++i)
      part.row[i] = access.load(row + 8 * i + detail::lane_row(), k + detail::lane_column());
  }
  template <Major kMajor, int kBlocks, typename Tile>
  static TESSERA_DEVICE void load_b(B (&parts)[kBlocks], const Tile& tile, int column, int k,
                                    Location where) {
    const detail::OperandAccess<kMajor, Tile> access{tile, where};
    TESSERA_UNROLL
    for (int block = 0; block < kBlocks; ++block)
      parts[block].column = access.load(column + 8 * block + detail::lane_row(), k + detail::lane_column());
  }
  static TESSERA_DEVICE void multiply(Sum* sums, const A& a, const B& b, Location where) {
    ptx::mma_m8n8k4_f64(sums, a.row[0], b.column, where);
    ptx::mma_m8n8k4_f64(sums + 2, a.row[1], b.column, where);
  }
};

}  // namespace tessera
