// SPDX-License-Identifier: Apache-2.0
// Products of tiles on the host twin, against loops: every type, both orders of each operand, both signs, odd numbers
// of blocks.
#include <random>
#include <vector>

#include "catch.h"
#include "tessera/convert.h"
#include "tessera/multiply.h"

namespace products {

using namespace tessera;

namespace {

template <typename Kernel>
void run_clean(int threads, Kernel kernel) {
  twin::begin_faults("products");
  twin::begin_shared(0);
  REQUIRE(twin::run({1, threads, 0}, kernel));
  REQUIRE(twin::fault_count() == 0);
}

/// A matrix of small integers, the same for the same number.
struct Matrix {
  int columns;
  std::vector<int> values;

  Matrix(int rows, int columns, int lowest, int highest, std::uint32_t seed) : columns(columns) {
    std::mt19937 random(seed);
    for (int i = 0; i < rows * columns; ++i)
      values.push_back(lowest + static_cast<int>(random() % static_cast<unsigned>(highest - lowest + 1)));
  }
  int at(int row, int column) const { return values[static_cast<std::size_t>(row * columns + column)]; }
};

template <Major kMajor, typename Tile>
void fill(const Tile& tile, const Matrix& matrix, int threads) {
  for (int i = thread_index(); i < Tile::kCount; i += threads) {
    const int line = i / Tile::kLength, position = i % Tile::kLength;
    const int x = kMajor == Major::k ? matrix.at(line, position) : matrix.at(position, line);
    tile.elements.store(tile.index_of(line, position), convert<typename Tile::Element>(x));
  }
}

template <typename T, Major kMajor, int kWidth, int kDepth>
using TileOf = OperandTile<typename Mma<T>::Element, kMajor == Major::k ? kWidth : kDepth,
                           kMajor == Major::k ? kDepth : kWidth>;

/// sums += a * b twice, with tiles that do not begin where their array does; sums -= a * b, which integers do not have.
template <typename T, typename Layout, int kDepth, Major kMajorA, Major kMajorB>
void check_product(int lowest, int highest) {
  INFO(Layout::kRows << " x " << Layout::kColumns << " x " << kDepth << ", warps " << Layout::kWarpRows
                     << " x " << Layout::kWarpColumns << ", orders " << (kMajorA == Major::k)
                     << (kMajorB == Major::k));
  using TileA = TileOf<T, kMajorA, Layout::kRows, kDepth>;
  using TileB = TileOf<T, kMajorB, Layout::kColumns, kDepth>;
  using Element = typename Mma<T>::Element;
  const Matrix a(Layout::kRows, kDepth, lowest, highest, 1), b(Layout::kColumns, kDepth, lowest, highest, 2);
  run_clean(Layout::kThreads, [&] {
    TESSERA_SHARED(Element, elements, TileA::kCount + TileB::kCount);
    const TileA tile_a{elements, 0};
    const TileB tile_b{elements, TileA::kCount};
    fill<kMajorA>(tile_a, a, Layout::kThreads);
    fill<kMajorB>(tile_b, b, Layout::kThreads);
    barrier();
    Fragment<typename Mma<T>::Sum, Layout> sums;
    sums.fill(1);
    multiply<T, kMajorA, kMajorB>(sums, tile_a, tile_b);
    multiply<T, kMajorA, kMajorB>(sums, tile_a, tile_b);
    for (int i = 0; i < Layout::kCount; ++i) {
      int expected = 0;
      for (int k = 0; k < kDepth; ++k) expected += a.at(Layout::row(i), k) * b.at(Layout::column(i), k);
      REQUIRE(sums[i] == static_cast<typename Mma<T>::Sum>(2 * expected + 1));
    }
    if constexpr (!std::is_integral_v<Element>) {
      Fragment<typename Mma<T>::Sum, Layout> rest = sums;
      multiply<T, kMajorA, kMajorB, Sign::minus>(rest, tile_a, tile_b);
      multiply<T, kMajorA, kMajorB, Sign::minus>(rest, tile_a, tile_b);
      multiply<T, kMajorA, kMajorB, Sign::minus>(rest, tile_a, tile_b);
      // 1 - a * b, beside 1 + 2 a * b.
      for (int i = 0; i < Layout::kCount; ++i) REQUIRE(2 * rest[i] == 3 - sums[i]);
    }
  });
}

template <typename T, typename Layout, int kDepth>
void check_orders(int lowest, int highest) {
  check_product<T, Layout, kDepth, Major::k, Major::k>(lowest, highest);
  check_product<T, Layout, kDepth, Major::k, Major::mn>(lowest, highest);
  check_product<T, Layout, kDepth, Major::mn, Major::k>(lowest, highest);
  check_product<T, Layout, kDepth, Major::mn, Major::mn>(lowest, highest);
}

}  // namespace

TEST_CASE("products of bf16 and f16") {
  check_orders<bf16, FragmentLayout<16, 16, 1, 1>, 16>(-100, 100);
  check_orders<bf16, FragmentLayout<64, 80, 2, 1>, 48>(-100, 100);
  check_orders<bf16, FragmentLayout<96, 48, 2, 2>, 32>(-100, 100);
  check_orders<f16, FragmentLayout<32, 64, 1, 4>, 64>(-100, 100);
}

TEST_CASE("products of floats as tf32") {
  check_orders<tf32, FragmentLayout<16, 8, 1, 1>, 8>(-1000, 1000);
  check_orders<tf32, FragmentLayout<64, 48, 2, 2>, 24>(-500, 500);
}

TEST_CASE("products of 8-bit integers") {
  check_orders<std::int8_t, FragmentLayout<32, 32, 1, 1>, 32>(-128, 127);
  check_orders<std::int8_t, FragmentLayout<64, 96, 2, 2>, 64>(-128, 127);
  check_orders<std::uint8_t, FragmentLayout<32, 32, 2, 1>, 32>(0, 255);
}

TEST_CASE("products of floats and doubles") {
  check_orders<float, FragmentLayout<16, 8, 1, 1>, 8>(-1000, 1000);
  check_orders<float, FragmentLayout<64, 48, 2, 2>, 24>(-500, 500);
  check_orders<float, FragmentLayout<128, 64, 2, 2>, 16>(-500, 500);
  check_orders<float, FragmentLayout<96, 80, 2, 2>, 32>(-500, 500);  // widths that carry into the next warp's
  check_orders<float, FragmentLayout<32, 32, 1, 4>, 32>(-500, 500);
  check_orders<double, FragmentLayout<16, 8, 1, 1>, 16>(-9000, 9000);
  check_orders<double, FragmentLayout<64, 48, 2, 2>, 48>(-6000, 6000);
}

TEST_CASE("a product whose operand is the sums of another") {
  using Scores = FragmentLayout<64, 48, 4, 1>;
  using Result = FragmentLayout<64, 40, 4, 1>;
  using TileA = OperandTile<bf16, Scores::kRows, 16>;
  using TileB = OperandTile<bf16, Scores::kColumns, 16>;
  using TileC = OperandTile<bf16, Result::kColumns, Scores::kColumns>;
  const Matrix a(Scores::kRows, 16, -3, 3, 1), b(Scores::kColumns, 16, -3, 3, 2);
  const Matrix c(Result::kColumns, Scores::kColumns, -9, 9, 3);
  run_clean(Scores::kThreads, [&] {
    TESSERA_SHARED(bf16, elements, TileA::kCount + TileB::kCount + TileC::kCount);
    const TileA tile_a{elements, 0};
    const TileB tile_b{elements, TileA::kCount};
    const TileC tile_c{elements, TileA::kCount + TileB::kCount};
    fill<Major::k>(tile_a, a, Scores::kThreads);
    fill<Major::k>(tile_b, b, Scores::kThreads);
    fill<Major::k>(tile_c, c, Scores::kThreads);
    barrier();
    Fragment<float, Scores> scores;
    scores.fill(0);
    multiply<bf16, Major::k, Major::k>(scores, tile_a, tile_b);
    Fragment<float, Result> result;
    result.fill(0);
    multiply<bf16, Major::k>(result, operand<bf16>(scores), tile_c);
    for (int i = 0; i < Result::kCount; ++i) {
      int expected = 0;
      for (int j = 0; j < Scores::kColumns; ++j) {
        int score = 0;
        for (int k = 0; k < 16; ++k) score += a.at(Result::row(i), k) * b.at(j, k);
        expected += score * c.at(Result::column(i), j);
      }
      REQUIRE(result[i] == static_cast<float>(expected));
    }
    Fragment<float, Result> rest;
    rest.fill(5);
    multiply<bf16, Major::k, Sign::minus>(rest, operand<bf16>(scores), tile_c);
    for (int i = 0; i < Result::kCount; ++i) REQUIRE(rest[i] == 5 - result[i]);
  });
}

TEST_CASE("a product that lanes of a warp miss is a fault") {
  using Layout = FragmentLayout<16, 16, 1, 1>;
  twin::on_fault([](const twin::Fault&) {});
  twin::begin_faults("products");
  twin::begin_shared(0);
  CHECK_FALSE(twin::run({1, 32, 0}, [] {
    TESSERA_SHARED(bf16, elements, 256);
    const OperandTile<bf16, 16, 16> tile{elements};
    for (int i = thread_index(); i < 256; i += 32) elements.store(i, bf16{0});
    barrier();
    Fragment<float, Layout> sums;
    sums.fill(0);
    if (thread_index() < 20) multiply<bf16, Major::k, Major::k>(sums, tile, tile);
  }));
  CHECK(twin::faults().front().kind == twin::FaultKind::divergent_shuffle);
  twin::on_fault({});
}

}  // namespace products
