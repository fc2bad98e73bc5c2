// SPDX-License-Identifier: Apache-2.0
// The instructions of products of matrices on the host twin, against loops over the whole matrices.
#include <cmath>
#include <cstring>
#include <random>
#include <vector>

#include "catch.h"
#include "tessera/ptx_copy.h"
#include "tessera/ptx_mma.h"

namespace instructions {

using namespace tessera;

namespace {

template <typename Kernel>
void run_clean(int threads, Kernel kernel) {
  twin::begin_faults("instructions");
  twin::begin_shared(0);
  REQUIRE(twin::run({1, threads, 0}, kernel));
  REQUIRE(twin::fault_count() == 0);
}

/// The element for a small integer.
template <typename T>
T element(int x) {
  if constexpr (kDType<T> == TESSERA_F16 || kDType<T> == TESSERA_BF16) {
    return from_float<T>(static_cast<float>(x));
  } else if constexpr (std::is_same_v<T, tf32>) {
    return ptx::cvt_rn_tf32(static_cast<float>(x));
  } else {
    return static_cast<T>(x);
  }
}

struct Matrices {
  int depth;
  std::vector<int> a, b;  // 16 x depth; 8 x depth, the columns of B

  Matrices(int depth, int lowest, int highest) : depth(depth) {
    std::mt19937 random(7);
    const auto fill = [&](std::vector<int>& values, int count) {
      for (int i = 0; i < count; ++i)
        values.push_back(lowest + static_cast<int>(random() % static_cast<unsigned>(highest - lowest + 1)));
    };
    fill(a, 16 * depth);
    fill(b, 8 * depth);
  }
  int at(const std::vector<int>& matrix, int line, int k) const {
    return matrix[static_cast<std::size_t>(line * depth + k)];
  }
  int product(int row, int column) const {
    int sum = 0;
    for (int k = 0; k < depth; ++k) sum += at(a, row, k) * at(b, column, k);
    return sum;
  }
};

/// One product on two warps, added to sums that are not zero, with operands packed as the hardware wants them.
template <typename T, typename Sum, typename Instruction>
void check_words(Instruction multiply, int lowest, int highest) {
  constexpr int kPerWord = 4 / static_cast<int>(sizeof(T));
  const Matrices matrices(8 * kPerWord, lowest, highest);
  run_clean(64, [&] {
    const int g = thread_index() % 32 / 4, t = thread_index() % 4;
    const auto pack = [&](const std::vector<int>& matrix, int line, int k) {
      T elements[kPerWord];
      for (int i = 0; i < kPerWord; ++i) elements[i] = element<T>(matrices.at(matrix, line, k + i));
      std::uint32_t word;
      std::memcpy(&word, elements, sizeof word);
      return word;
    };
    const int k0 = t * kPerWord, k1 = (t + 4) * kPerWord;
    const std::uint32_t a[4] = {pack(matrices.a, g, k0), pack(matrices.a, g + 8, k0), pack(matrices.a, g, k1),
                                pack(matrices.a, g + 8, k1)};
    const std::uint32_t b[2] = {pack(matrices.b, g, k0), pack(matrices.b, g, k1)};
    Sum sums[4] = {1, 2, 3, 4};
    multiply(sums, a, b);
    for (int q = 0; q < 4; ++q)
      REQUIRE(sums[q] == static_cast<Sum>(q + 1 + matrices.product(g + q / 2 * 8, 2 * t + q % 2)));
  });
}

}  // namespace

TEST_CASE("products of small matrices agree with loops") {
  check_words<f16, float>([](auto&&... x) { ptx::mma_m16n8k16_f16(x...); }, -50, 50);
  check_words<bf16, float>([](auto&&... x) { ptx::mma_m16n8k16_bf16(x...); }, -50, 50);
  check_words<tf32, float>([](auto&&... x) { ptx::mma_m16n8k8_tf32(x...); }, -1000, 1000);
  check_words<std::int8_t, std::int32_t>([](auto&&... x) { ptx::mma_m16n8k32_s8(x...); }, -128, 127);
  check_words<std::uint8_t, std::int32_t>([](auto&&... x) { ptx::mma_m16n8k32_u8(x...); }, 0, 255);
}

TEST_CASE("a product of doubles agrees with a loop") {
  const Matrices matrices(4, -1000000, 1000000);
  run_clean(32, [&] {
    const int g = thread_index() / 4, t = thread_index() % 4;
    double sums[2] = {0.5, -0.5};
    ptx::mma_m8n8k4_f64(sums, matrices.at(matrices.a, g, t), matrices.at(matrices.b, g, t));
    for (int q = 0; q < 2; ++q) {
      double expected = q == 0 ? 0.5 : -0.5;
      for (int k = 0; k < 4; ++k)
        expected += double(matrices.at(matrices.a, g, k)) * matrices.at(matrices.b, 2 * t + q, k);
      REQUIRE(sums[q] == expected);
    }
  });
}

TEST_CASE("a product of 16 rows of doubles agrees with a loop") {
  const Matrices matrices(8, -1000000, 1000000);
  run_clean(64, [&] {
    const int g = thread_index() % 32 / 4, t = thread_index() % 4;
    double a[4], b[2], sums[4] = {0.5, -0.5, 1, 2};
    for (int i = 0; i < 4; ++i) a[i] = matrices.at(matrices.a, g + i % 2 * 8, t + i / 2 * 4);
    for (int i = 0; i < 2; ++i) b[i] = matrices.at(matrices.b, g, t + 4 * i);
    const double before[4] = {0.5, -0.5, 1, 2};
    ptx::mma_m16n8k8_f64(sums, a, b);
    for (int q = 0; q < 4; ++q) {
      double expected = before[q];
      for (int k = 0; k < 8; ++k)
        expected +=
            double(matrices.at(matrices.a, g + q / 2 * 8, k)) * matrices.at(matrices.b, 2 * t + q % 2, k);
      REQUIRE(sums[q] == expected);
    }
  });
}

TEST_CASE("sums of 32-bit integers wrap") {
  run_clean(32, [] {
    const std::uint32_t a[4] = {0x7f7f7f7f, 0x7f7f7f7f, 0x7f7f7f7f, 0x7f7f7f7f},
                        b[2] = {0x7f7f7f7f, 0x7f7f7f7f};
    std::int32_t sums[4] = {0x7fffffff, 0, 0, 0};
    ptx::mma_m16n8k32_s8(sums, a, b);
    REQUIRE(sums[0] == static_cast<std::int32_t>(0x7fffffffu + 32 * 127 * 127));
    REQUIRE(sums[1] == 32 * 127 * 127);
  });
}

TEST_CASE("conversions to tf32 round to nearest, ties to even, and keep what is not finite") {
  const auto rounded = [](std::uint32_t bits) { return ptx::cvt_rn_tf32(math::from_bits(bits)).bits; };
  CHECK(rounded(0x3f800000u) == 0x3f800000u);
  CHECK(rounded(0x3f800fffu) == 0x3f800000u);
  CHECK(rounded(0x3f801000u) == 0x3f800000u);
  CHECK(rounded(0xbf803000u) == 0xbf804000u);
  CHECK(rounded(0x7f7fffffu) == 0x7f800000u);
  CHECK(rounded(0xff800000u) == 0xff800000u);
  CHECK(rounded(0x7f800001u) == 0x7fffffffu);
  CHECK(rounded(0x00003000u) == 0x00004000u);
}

TEST_CASE("pairs of narrow floats") {
  CHECK(ptx::cvt_rn_bf16x2(1.0f, -2.0f) == 0xc0003f80u);
  CHECK(ptx::cvt_rn_f16x2(1.0f, -2.0f) == 0xc0003c00u);
}

TEST_CASE("ldmatrix gives each lane its elements") {
  run_clean(32, [] {
    TESSERA_SHARED(std::uint16_t, matrices, 4 * 64);
    const int lane = thread_index(), g = lane / 4, t = lane % 4;
    for (int i = lane; i < 4 * 64; i += 32) matrices.store(i, static_cast<std::uint16_t>(i));
    warp_barrier();
    // Matrix m in row-major order from element 64 m on.
    const auto pair = [](int m, int row, int column, int row_step, int column_step) {
      const int first = 64 * m + 8 * row + column, second = first + 8 * row_step + column_step;
      return static_cast<std::uint32_t>(second << 16 | first);
    };
    std::uint32_t four[4], two[2];
    ptx::ldmatrix_x4(four, matrices, 8 * lane);
    for (int m = 0; m < 4; ++m) REQUIRE(four[m] == pair(m, g, 2 * t, 0, 1));
    ptx::ldmatrix_x4_trans(four, matrices, 8 * lane);
    for (int m = 0; m < 4; ++m) REQUIRE(four[m] == pair(m, 2 * t, g, 1, 0));
    ptx::ldmatrix_x2(two, matrices, 8 * (lane % 16) + 128);
    for (int m = 0; m < 2; ++m) REQUIRE(two[m] == pair(m + 2, g, 2 * t, 0, 1));
    ptx::ldmatrix_x2_trans(two, matrices, 8 * (lane % 16));
    for (int m = 0; m < 2; ++m) REQUIRE(two[m] == pair(m, 2 * t, g, 1, 0));
  });
}

TEST_CASE("copies bring what exists, and zeros behind it") {
  alignas(16) float from[8] = {1, 2, 3, 4, 5, 6, 7, 8};
  run_clean(32, [&] {
    TESSERA_SHARED(float, to, 32 * 16);
    const int first = 16 * thread_index();
    ptx::cp_async_16(to, first, from + 4, 12);
    ptx::cp_async_16(to, first + 4, from + 1, 0);  // nothing is read: the address does not matter
    ptx::cp_async_8(to, first + 8, from + 2, 8);
    ptx::cp_async_8(to, first + 10, from + 2, 4);
    ptx::cp_async_4(to, first + 12, from + 3, 4);
    ptx::cp_async_4(to, first + 13, from + 3, 0);
    ptx::cp_async_commit_group();
    ptx::cp_async_wait_group<0>();
    const float expected[14] = {5, 6, 7, 0, 0, 0, 0, 0, 3, 4, 3, 0, 4, 0};
    for (int i = 0; i < 14; ++i) REQUIRE(to.load(first + i) == expected[i]);
  });
}

}  // namespace instructions
