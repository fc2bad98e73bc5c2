// SPDX-License-Identifier: Apache-2.0
// Products (R9): which terms there are, in which order and type they are summed, what numbers come out.
#include <cmath>
#include <cstring>
#include <limits>

#include "catch.h"
#include "interp/runs.h"
#include "interp/storage.h"
#include "ir/samples.h"

namespace tessera::interp {

namespace {

using testing::array_of;
using testing::numbers_of;
using testing::parse_kernel;
using testing::random_array;
using testing::run_at_all_partitions;
using testing::run_or_fail;

using Doubles = std::vector<double>;

constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
constexpr double kInfinity = std::numeric_limits<double>::infinity();

/// y[] = dot[k] of a[k] and b[k]; `between` makes the factors %4 and %5 from the loaded %2 and %3.
ir::Kernel inner(DType factor, DType sum, const std::string& between, const std::string& product) {
  const std::string type(spelling(factor)), result(spelling(sum));
  return parse_kernel(
      "kernel k as k {\n symbol K\n in a: " + type + "[K]\n in b: " + type + "[K]\n out y: " + result +
      "[]\n axis k: let 0 .. K over K\n grid {\n %0: index[k] = coordinate k\n %1: index = "
      "constant 2\n %2: " +
      type + "[k] = load a[%0] in_bounds(0)\n %3: " + type + "[k] = load b[%0] in_bounds(0)\n " + between +
      "\n %9: " + result + " = dot[k] " + product + "\n write y[] = %9\n }\n}\n");
}

/// The inner product of two vectors.
double product(DType factor, DType sum, const Doubles& a, const Doubles& b, const std::string& between = "",
               const std::string& factors = "%2, %3") {
  const auto count = static_cast<int64_t>(a.size());
  const Arguments arguments{
      {}, {{"a", array_of(factor, {count}, a)}, {"b", array_of(factor, {count}, b)}}, {}};
  return numbers_of(run_at_all_partitions(inner(factor, sum, between, factors), arguments).outputs.at("y"))
      .front();
}

/// Matrices and a batch: c[x, m] = Σ a[x, m, k, l] · b[l, x, k], with k and l in a loop and a `let`.
ir::Kernel batched(const std::string& type, const std::string& sum) {
  return parse_kernel("kernel k as k {\n symbol X\n symbol M\n symbol K\n symbol L\n in a: " + type +
                      "[X, M, K, L]\n in b: " + type + "[L, X, K]\n out c: " + sum + R"([X, M]
  axis x: grid 0 .. X by auto over X
  axis K: let 0 .. K over K
  axis m: grid 0 .. M by auto over M
  axis L: let 0 .. L over L
  grid x, m {
    %0: index[x] = coordinate x
    %1: index[m] = coordinate m
    %2: index[K] = coordinate K
    %3: index[L] = coordinate L
    %4: )" + type + "[x, K, m, L] = load a[%0, %1, %2, %3] in_bounds(0, 1, 2, 3)\n    %5: " +
                      type + "[x, K, L] = load b[%3, %0, %2] in_bounds(0, 1, 2)\n    %6: " + sum +
                      "[x, m] = dot[K, L] %4, %5\n    write c[%0, %1] = %6 in_bounds(0, 1)\n  }\n}\n");
}

}  // namespace

TEST_CASE("products of matrices contract several axes in order, and keep a batch") {
  for (const std::vector<int64_t>& sizes :
       std::vector<std::vector<int64_t>>{{2, 3, 5, 4}, {1, 1, 1, 1}, {3, 7, 17, 1}, {2, 1, 1, 33}}) {
    const int64_t X = sizes[0], M = sizes[1], K = sizes[2], L = sizes[3];
    const Array a = random_array(DType::bf16, {X, M, K, L}), b = random_array(DType::bf16, {L, X, K}, -1, 3);
    const Result result = run_at_all_partitions(batched("bf16", "f32"), {{}, {{"a", a}, {"b", b}}, {}});
    for (int64_t x = 0; x < X; ++x) {
      for (int64_t m = 0; m < M; ++m) {
        float sum = 0;
        for (int64_t k = 0; k < K; ++k) {
          for (int64_t l = 0; l < L; ++l) {
            const float left = to_float(a.as<bf16>()[((x * M + m) * K + k) * L + l]);
            sum += left * to_float(b.as<bf16>()[(l * X + x) * K + k]);  // exact: two times 8 bits
          }
        }
        REQUIRE(result.outputs.at("c").as<float>()[x * M + m] == sum);
      }
    }
  }
}

TEST_CASE("products over nothing are 0, and empty results stay empty") {
  for (const std::vector<int64_t>& sizes : std::vector<std::vector<int64_t>>{{2, 3, 0, 4}, {2, 3, 4, 0}}) {
    const Result result = run_at_all_partitions(batched("f32", "f32"),
                                                {{},
                                                 {{"a", Array::zeros(DType::f32, {2, 3, sizes[2], sizes[3]})},
                                                  {"b", Array::zeros(DType::f32, {sizes[3], 2, sizes[2]})}},
                                                 {}});
    CHECK(numbers_of(result.outputs.at("c")) == Doubles{0, 0, 0, 0, 0, 0});
  }
  const Result none = run_at_all_partitions(
      batched("i8", "i32"),
      {{}, {{"a", Array::zeros(DType::i8, {0, 3, 4, 5})}, {"b", Array::zeros(DType::i8, {5, 0, 4})}}, {}});
  CHECK(none.outputs.at("c").count() == 0);
}

TEST_CASE("a term exists where both factors do") {
  // The left factor exists where a is positive, the right one where its neighbour behind it does.
  const std::string left = "%4: i32 = constant 0 %5: bool[k] = greater %2, %4 %6: i32[k]? = filter %5, %2";
  const std::string right = " %7: index[k] = add %0, %1 %8: i32[k]? = load b[%7]";
  const Doubles a{1, -2, 3, 4, -5}, b{10, 20, 30, 40, 50};
  CHECK(product(DType::i32, DType::i32, a, b, left, "%6, %3") == 10 + 90 + 160);
  CHECK(product(DType::i32, DType::i32, a, b, left, "%3, %6") == 10 + 90 + 160);
  CHECK(product(DType::i32, DType::i32, a, b, left + right, "%2, %8") == 30 - 80 + 150);
  CHECK(product(DType::i32, DType::i32, a, b, left + right, "%6, %8") == 30 + 150);
  CHECK(product(DType::i32, DType::i32, a, b, left + right, "%8, %6") == 30 + 150);
  CHECK(product(DType::i32, DType::i32, {-1, -2}, {1, 2}, left, "%6, %3") == 0);
}

TEST_CASE("an absent term hides what its other factor holds") {
  const std::string absent =
      "%4: f32 = constant 0.0 %5: bool[k] = greater %2, %4 %6: f32[k]? = filter %5, %2";
  CHECK(product(DType::f32, DType::f32, {1, -1, -1}, {2, kNan, kInfinity}, absent, "%6, %3") == 2);
  CHECK(std::isnan(product(DType::f32, DType::f32, {1, 1}, {2, kNan}, absent, "%6, %3")));
}

TEST_CASE("narrow integers are summed in i32, others in their own type, and sums wrap") {
  CHECK(product(DType::i8, DType::i32, {-128, 127, 100}, {-128, 127, 100}) == 16384 + 16129 + 10000);
  CHECK(product(DType::u8, DType::i32, {255, 255}, {255, 255}) == 130050);
  CHECK(product(DType::i16, DType::i32, {-32768, -32768}, {-32768, -32768}) == -2147483648.0);
  CHECK(product(DType::u16, DType::i32, {65535}, {65535}) == -131071);
  CHECK(product(DType::i32, DType::i32, {65536, 2}, {65536, 3}) == 6);
  CHECK(product(DType::u32, DType::u32, {4294967295.0, 1}, {2, 1}) == 4294967295.0);
  CHECK(product(DType::i64, DType::i64, {4294967296.0, -3}, {4294967296.0, 5}) == -15);
  const Doubles many(3000, 127.0);
  CHECK(product(DType::i8, DType::i32, many, many) == 3000 * 16129);
}

TEST_CASE("sums of floats are rounded term by term, in ascending order") {
  CHECK(product(DType::f32, DType::f32, {0x1p24, 1, 1}, {1, 1, 1}) == 0x1p24);
  CHECK(product(DType::f32, DType::f32, {1, 1, 0x1p24}, {1, 1, 1}) == 0x1p24 + 2);
  CHECK(product(DType::f32, DType::f32, {-1, 1 + 0x1p-23}, {1, 1 - 0x1p-23}) == -0x1p-46);  // exact terms
  CHECK(product(DType::f64, DType::f64, {0x1p53, 1, 1}, {1, 1, 1}) == 0x1p53);
  CHECK(product(DType::f64, DType::f64, {1, 0x1p-60}, {1, 1}) == 1);
  CHECK(product(DType::f16, DType::f32, {65504, 65504}, {65504, 65504}) == 2 * 65504.0 * 65504.0);
  CHECK(product(DType::fp8_e4m3, DType::f32, {448, 0x1p-9}, {448, 0x1p-9}) == 448.0 * 448.0);
  CHECK(product(DType::fp8_e5m2, DType::f32, {0x1p-16}, {0x1p-16}) == 0x1p-32);
}

TEST_CASE("infinities and NaN go through a product") {
  CHECK(product(DType::f32, DType::f32, {kInfinity, 1}, {2, 1}) == kInfinity);
  CHECK(std::isnan(product(DType::f32, DType::f32, {kInfinity, 1}, {0, 1})));
  CHECK(std::isnan(product(DType::bf16, DType::f32, {kInfinity, kInfinity}, {1, -1})));
  CHECK(std::isnan(product(DType::f64, DType::f64, {kNan, 1}, {0, 1})));
  CHECK(product(DType::f32, DType::f32, {3e38, 0}, {3e38, 1}) == kInfinity);
  CHECK(product(DType::f32, DType::f32, {0x1p-149, 1}, {0.5, 0x1p-149}) == 0x1p-149);
}

TEST_CASE("tf32 rounds both factors to 11 bits, ties to even, in both modes") {
  const std::string rounded = "%4: f32[k] = round_tf32 %2 %5: f32[k] = round_tf32 %3";
  const auto in_tf32 = [&](const Doubles& a, const Doubles& b) {
    return product(DType::f32, DType::f32, a, b, rounded, "%4, %5");
  };
  CHECK(in_tf32({1 + 0x1p-11}, {1}) == 1);
  CHECK(in_tf32({1}, {-1 - 0x1p-11 - 0x1p-23}) == -1 - 0x1p-10);
  CHECK(in_tf32({1 + 0x1p-11 - 0x1p-23}, {1}) == 1);
  CHECK(in_tf32({1 + 3 * 0x1p-11}, {1}) == 1 + 0x1p-9);
  CHECK(in_tf32({1 + 3 * 0x1p-11}, {1 + 0x1p-11}) == 1 + 0x1p-9);
  CHECK(in_tf32({0x1p-149}, {0x1p126}) == 0);
  CHECK(in_tf32({0x1.fffffep127}, {1}) == kInfinity);
  CHECK(std::isnan(in_tf32({kNan}, {1})));
  const Arguments arguments{
      {}, {{"a", array_of(DType::f32, {1}, {1 + 3 * 0x1p-11})}, {"b", array_of(DType::f32, {1}, {3})}}, {}};
  const Result exact = run_or_fail(inner(DType::f32, DType::f32, rounded, "%4, %5"), arguments, Numbers::f64);
  CHECK(numbers_of(exact.outputs.at("y")) == Doubles{3 * (1 + 0x1p-9)});
}

TEST_CASE("factors that may be split are multiplied as they are") {
  const std::string split = "%4: f32[k] = split %2 %5: f32[k] = split %3";
  const auto in_parts = [&](const Doubles& a, const Doubles& b) {
    return product(DType::f32, DType::f32, a, b, split, "%4, %5");
  };
  CHECK(in_parts({1 + 0x1p-23}, {1}) == 1 + 0x1p-23);
  CHECK(in_parts({0x1p-149}, {0x1p126}) == 0x1p-23);
  CHECK(in_parts({kInfinity, 1}, {0.5, 1}) == kInfinity);
  CHECK(std::isnan(in_parts({kInfinity}, {0})));
}

TEST_CASE("the reference mode sums products of floats in f64") {
  const Arguments arguments{
      {},
      {{"a", array_of(DType::f32, {3}, {0x1p24, 1, 1})}, {"b", array_of(DType::f32, {3}, {1, 1, 1})}},
      {}};
  const Result exact = run_or_fail(inner(DType::f32, DType::f32, "", "%2, %3"), arguments, Numbers::f64);
  CHECK(numbers_of(exact.outputs.at("y")) == Doubles{0x1p24 + 2});
}

TEST_CASE("the sample of products is the loops it stands for") {
  const int64_t M = 5, K = 7, N = 3;
  const Array a = random_array(DType::i8, {M, K}, -100, 100), b = random_array(DType::i8, {K, N}, -100, 100);
  const Array f = random_array(DType::f32, {M, K}), h = random_array(DType::bf16, {M, 3, 2});
  const Arguments arguments{{}, {{"a", a}, {"b", b}, {"f", f}, {"h", h}}, {}};
  const ir::Kernel kernel = testing::sample("products");
  const Result result = run_or_fail(kernel, arguments);
  const auto tf32 = [](float x) { return static_cast<double>(math::round_tf32(x)); };
  for (int64_t m = 0; m < M; ++m) {
    for (int64_t n = 0; n < N; ++n) {
      int32_t sum = 0;
      for (int64_t k = 0; k < K; ++k) sum += a.as<int8_t>()[m * K + k] * b.as<int8_t>()[k * N + n];
      CHECK(result.outputs.at("c").as<int32_t>()[m * N + n] == sum);
    }
    float neighbours = 0, squares = 0;
    for (int64_t k = 0; k + 1 < K; ++k) {
      const float* x = f.as<float>() + m * K + k;
      neighbours = static_cast<float>(neighbours + tf32(x[0]) * tf32(x[1]));
    }
    for (int64_t i = 0; i < 6; ++i) squares += std::pow(to_float(h.as<bf16>()[m * 6 + i]), 2.0f);
    CHECK(result.outputs.at("d").as<float>()[m] == neighbours);
    CHECK(result.outputs.at("e").as<float>()[m] == squares);
  }
}

}  // namespace tessera::interp
