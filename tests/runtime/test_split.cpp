// SPDX-License-Identifier: Apache-2.0
// Floats as sums of numbers of bf16: which numbers they are, and what becomes of products that are summed from them.
#include <algorithm>
#include <cmath>
#include <limits>
#include <random>
#include <vector>

#include "catch.h"
#include "handwritten.h"
#include "tessera/kernel.h"
#include "tessera/split_products.h"

namespace split_products {

using namespace tessera;
using tessera::index;

namespace {

constexpr float kInfinity = std::numeric_limits<float>::infinity();
constexpr float kNaN = std::numeric_limits<float>::quiet_NaN();
constexpr float kMost = std::numeric_limits<float>::max();

double part(float x, SplitPart number) { return to_float(split(x).part[number]); }
double sum(float x) { return part(x, kHighPart) + part(x, kMiddlePart) + part(x, kLowPart); }

using Floats = std::vector<float>;

/// a of M x K times the transposed of b, of N x K.
Floats multiply_in_parts(const Tensor& a, const Tensor& b) {
  Floats c(static_cast<std::size_t>(a.extent[0] * b.extent[0]));
  const Status status =
      kernels::gemm_of_parts(a, b, tensor(c.data(), {a.extent[0], b.extent[0]}), {.variant = 0});
  INFO(status.message().c_str());
  REQUIRE(status.ok());
  return c;
}

/// The product of two numbers, among others that are 1.
float product(float x, float y) {
  Floats a(8, 1.0f), b(8, 1.0f);
  a[3] = x;
  b[3] = y;
  return multiply_in_parts(tensor(a.data(), {1, 8}), tensor(b.data(), {1, 8}))[0];
}

/// Whether both are NaN, the same infinity, or finite.
bool are_alike(float a, float b) {
  return std::isnan(a) ? std::isnan(b) : std::isinf(a) ? a == b : std::isfinite(b);
}

}  // namespace

TEST_CASE("the parts of a float are the float") {
  std::mt19937 bits(1);
  for (int i = 0; i < 100000; ++i) {
    const float x = math::from_bits(static_cast<std::uint32_t>(bits()));
    if (!std::isfinite(x)) continue;
    INFO(x);
    const bool is_exact = std::fabs(x) >= 0x1p-110f || x == 0;
    REQUIRE(std::fabs(sum(x) - x) <= (is_exact ? 0 : 0x1p-134));
    REQUIRE(std::fabs(part(x, kMiddlePart)) <= 0x1p-7 * std::fabs(x) + 0x1p-133);
    REQUIRE(std::fabs(part(x, kLowPart)) <= 0x1p-15 * std::fabs(x) + 0x1p-133);
  }
  // Of both signs where sums are finite, of one sign where they may not be.
  CHECK(part(0x1.00fffep7f, kLowPart) < 0);
  CHECK(part(0x1.00fffep8f, kLowPart) > 0);
  CHECK(part(-0x1.00fffep8f, kLowPart) < 0);
  CHECK(sum(kMost) == kMost);
  CHECK(sum(-kMost) == -kMost);
  CHECK(part(0x1.ffp0f, kHighPart) == 0x1.fep0);
  CHECK(part(0x1p-140f, kHighPart) == 0x1p-133);
  CHECK(part(-0x1p-140f, kHighPart) == -0x1p-133);
}

TEST_CASE("what is no number stands where it meets nothing but high parts") {
  for (const float x : {kInfinity, -kInfinity, kNaN}) {
    CHECK(are_alike(x, static_cast<float>(part(x, kLowPart))));
    CHECK(part(x, kHighPart) == std::copysign(1.0, x));
    CHECK(part(x, kMiddlePart) == 0);
  }
  const float numbers[] = {kInfinity, -kInfinity, kNaN,      0.0f,  -0.0f,  1.0f,           -1.0f,
                           0.1f,      -0.1f,      0x1p-149f, kMost, -kMost, 0x1.00fffep20f, 0x1p-60f};
  for (const float x : numbers)
    for (const float y : numbers) {
      INFO(x << " * " << y);
      CHECK(are_alike(std::fmaf(x, y, 7.0f), product(x, y)));
    }
}

TEST_CASE("products of whole numbers in parts are exact") {
  Floats a(70 * 130), b(140 * 130);
  std::mt19937 numbers(2);
  for (float& x : a) x = static_cast<float>(static_cast<int>(numbers() % 511) - 255);
  for (float& x : b) x = static_cast<float>(static_cast<int>(numbers() % 511) - 255);
  const Floats c = multiply_in_parts(tensor(a.data(), {70, 130}), tensor(b.data(), {140, 130}));
  for (std::size_t m = 0; m < 70; ++m)
    for (std::size_t n = 0; n < 140; ++n) {
      double exact = 0;
      for (std::size_t k = 0; k < 130; ++k) exact += double{a[m * 130 + k]} * double{b[n * 130 + k]};
      REQUIRE(c[m * 140 + n] == exact);
    }
}

namespace {

/// Numbers of more than one part, whose products and sums floats hold.
int number(int line, int k) { return (37 * line + 101 * k + line * k) % 1001 - 500; }

/// What `multiply(sums, a, b)` makes of sums that are 1: 1 + times a * b.
template <typename Multiply>
void check_multiple(int times, Multiply multiply) {
  constexpr int kColumns = 16, kDepth = 32;
  using Layout = WarpgroupLayout<64, kColumns, 1>;
  using RingA = EitherRing<bf16, 64, kDepth, kSplitParts, Order::k>;
  using RingB = EitherRing<bf16, kColumns, kDepth, kSplitParts, Order::k>;
  constexpr int kBytes = RingA::kRoomBytes + RingB::kRoomBytes;
  twin::begin_faults("signs");
  twin::begin_shared(kBytes);
  REQUIRE(twin::run({1, kGroupThreads, kBytes}, [&] {
    TESSERA_DYNAMIC_SHARED(bf16, a_elements, 0, RingA::kRoom);
    TESSERA_DYNAMIC_SHARED(bf16, b_elements, RingA::kRoomBytes, RingB::kRoom);
    RingPlace<kSplitParts> at;
    const auto places = take_parts(at);
    const auto a = split_tile(RingA{a_elements}, places);
    const auto b = split_tile(RingB{b_elements}, places);
    const auto fill = [](const auto& tile, int first) {
      as_it_lies(tile, [&](auto, const auto& parts) {
        using Tile = typename std::decay_t<decltype(parts)>::Tile;
        for (int i = thread_index(); i < Tile::kCount; i += kGroupThreads) {
          const int line = i / kDepth, k = i % kDepth;
          const SplitFloat x = split(static_cast<float>(number(first + line, k)));
          for (int part = 0; part < kSplitParts; ++part)
            parts.part[part].elements.store(parts.part[part].index_of(line, k), x.part[part]);
        }
      });
    };
    fill(a, 0);
    fill(b, 64);
    ptx::fence_proxy_async();
    barrier();
    Fragment<float, Layout> sums;
    sums.fill(1);
    multiply(sums, a, b);
    for (int i = 0; i < Layout::kCount; ++i) {
      int product = 0;
      for (int k = 0; k < kDepth; ++k)
        product += number(Layout::row(i), k) * number(64 + Layout::column(i), k);
      REQUIRE(sums[i] == static_cast<float>(1 + times * product));
    }
  }));
  REQUIRE(twin::fault_count() == 0);
}

}  // namespace

TEST_CASE("products in parts are subtracted") {
  check_multiple(-1, [](auto& sums, const auto& a, const auto& b) {
    int parts_read = 0;
    multiply_split<Sign::minus>(sums, a, b, 0, [&](SplitPart) { ++parts_read; });
    REQUIRE(parts_read == kSplitParts);
  });
  check_multiple(-1, [](auto& sums, const auto& a, const auto& b) {
    multiply_split<Sign::minus>(sums, a, b, 0);
    multiply_split(sums, a, b, 0);
    as_it_lies(a, [&](auto, const auto& lines_of_a) {
      as_it_lies(b, [&](auto, const auto& lines_of_b) {
        multiply_split<Major::k, Major::k, Sign::minus>(sums, lines_of_a, lines_of_b, 0);
      });
    });
  });
}

TEST_CASE("sums of products in parts are no worse than sums of floats") {
  std::mt19937 numbers(3);
  std::normal_distribution<float> around_0;
  std::uniform_real_distribution<float> above_0;
  for (const bool is_positive : {false, true}) {
    for (const index K : {64, 200, 1000, 4096}) {
      constexpr index kRows = 9, kColumns = 20;
      Floats a(static_cast<std::size_t>(kRows * K)), b(static_cast<std::size_t>(kColumns * K));
      for (Floats* factor : {&a, &b})
        for (float& x : *factor) x = is_positive ? above_0(numbers) : around_0(numbers);
      const Floats c = multiply_in_parts(tensor(a.data(), {kRows, K}), tensor(b.data(), {kColumns, K}));
      double of_parts = 0, of_floats = 0;
      for (index i = 0; i < kRows * kColumns; ++i) {
        double exact = 0;
        float plain = 0;
        for (index k = 0; k < K; ++k) {
          const float x = a[static_cast<std::size_t>(i / kColumns * K + k)],
                      y = b[static_cast<std::size_t>(i % kColumns * K + k)];
          exact += double{x} * double{y};
          plain = std::fmaf(x, y, plain);
        }
        of_parts += std::pow(c[static_cast<std::size_t>(i)] - exact, 2);
        of_floats += std::pow(plain - exact, 2);
      }
      INFO(K << " terms, " << (is_positive ? "positive" : "of both signs") << ": " << of_parts << ", floats "
             << of_floats);
      CHECK(of_parts <= of_floats);
    }
  }
}

TEST_CASE("parts are made of tensors with any strides, where that is worth it") {
  Floats a(70 * 90), b(90 * 40);
  std::mt19937 numbers(4);
  for (Floats* factor : {&a, &b})
    for (float& x : *factor) x = static_cast<float>(static_cast<int>(numbers() % 201) - 100);
  const auto exact = [&](std::size_t m, std::size_t n, std::size_t a_row, std::size_t a_step,
                         std::size_t b_row, std::size_t b_step) {
    double result = 0;
    for (std::size_t k = 0; k < 41; ++k)
      result += double{a[m * a_row + k * a_step]} * double{b[n * b_row + k * b_step]};
    return result;
  };
  // Lines that begin anywhere, lines across, neither.
  const Floats c = multiply_in_parts(strided_tensor(a.data(), {67, 41}, {71, 1}),
                                     strided_tensor(b.data(), {37, 41}, {1, 39}));
  const Floats d = multiply_in_parts(strided_tensor(a.data(), {33, 41}, {3, 150}),
                                     strided_tensor(b.data(), {37, 41}, {0, 2}));
  for (std::size_t n = 0; n < 37; ++n) {
    for (std::size_t m = 0; m < 67; ++m) REQUIRE(c[m * 37 + n] == exact(m, n, 71, 1, 1, 39));
    for (std::size_t m = 0; m < 33; ++m) REQUIRE(d[m * 37 + n] == exact(m, n, 3, 150, 0, 2));
  }
  LaunchCheck check("parts");
  const LaunchOptions any{};
  const Tensor matrix = tensor(a.data(), {70, 90});
  CHECK(SplitTensor<2>(check, any, matrix, {0, 1}, {70, 90, 100000}).lie_along(1));
  CHECK_FALSE(SplitTensor<2>(check, any, matrix, {0, 1}, {70, 90, 10000}).lie_along(1));
  CHECK_FALSE(SplitTensor<2>(check, any, matrix, {0, 1}, {70, 90, 100000}).lie_along(0));
  CHECK_FALSE(SplitTensor<2>(check, any, tensor(a.data(), {0, 90}), {0, 1}, {70, 90, 100000}).lie_along(1));
}

}  // namespace split_products
