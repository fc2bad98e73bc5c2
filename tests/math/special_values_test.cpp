// SPDX-License-Identifier: Apache-2.0
// Zeros, infinities, NaN and denormals: what each function makes of them, in both types.
#include <cmath>
#include <cstdint>
#include <limits>

#include "catch.h"
#include "tessera/math.h"

namespace {

namespace math = tessera::math;

/// Equal as values and in the sign of zero; NaN is NaN.
template <typename T>
bool same(T a, T b) {
  if (std::isnan(a) || std::isnan(b)) return std::isnan(a) && std::isnan(b);
  return a == b && std::signbit(a) == std::signbit(b);
}

template <typename T>
constexpr T kInfinity = std::numeric_limits<T>::infinity();
template <typename T>
constexpr T kNan = std::numeric_limits<T>::quiet_NaN();

/// A function and its values at -infinity, -0, +0 and +infinity; every one gives NaN for NaN.
template <typename T>
struct Row {
  const char* name;
  T (*function)(T);
  T at_minus_infinity, at_minus_zero, at_zero, at_infinity;
};

TEMPLATE_TEST_CASE("functions at zeros, infinities and NaN", "[math][special]", float, double) {
  using T = TestType;
  constexpr T inf = kInfinity<T>, nan = kNan<T>;
  const Row<T> rows[] = {
      {"exp", math::exp, 0, 1, 1, inf},
      {"exp2", math::exp2, 0, 1, 1, inf},
      {"expm1", math::expm1, -1, T(-0.0), 0, inf},
      {"log", math::log, nan, -inf, -inf, inf},
      {"log2", math::log2, nan, -inf, -inf, inf},
      {"log1p", math::log1p, nan, T(-0.0), 0, inf},
      {"sqrt", math::sqrt, nan, T(-0.0), 0, inf},
      {"rsqrt", math::rsqrt, nan, -inf, inf, 0},
      {"sin", math::sin, nan, T(-0.0), 0, nan},
      {"cos", math::cos, nan, 1, 1, nan},
      {"tanh", math::tanh, -1, T(-0.0), 0, 1},
      {"erf", math::erf, -1, T(-0.0), 0, 1},
      {"sigmoid", math::sigmoid, 0, T(0.5), T(0.5), 1},
      {"silu", math::silu, T(-0.0), T(-0.0), 0, inf},
      {"relu", math::relu, 0, 0, 0, inf},
      {"gelu", math::gelu, T(-0.0), T(-0.0), 0, inf},
      {"gelu_tanh", math::gelu_tanh, T(-0.0), T(-0.0), 0, inf},
      {"abs", math::abs, inf, 0, 0, inf},
      {"floor", math::floor, -inf, T(-0.0), 0, inf},
      {"ceil", math::ceil, -inf, T(-0.0), 0, inf},
      {"round", math::round, -inf, T(-0.0), 0, inf},
      {"trunc", math::trunc, -inf, T(-0.0), 0, inf},
  };
  for (const Row<T>& row : rows) {
    INFO(row.name);
    CHECK(same(row.function(-inf), row.at_minus_infinity));
    CHECK(same(row.function(T(-0.0)), row.at_minus_zero));
    CHECK(same(row.function(T(0)), row.at_zero));
    CHECK(same(row.function(inf), row.at_infinity));
    CHECK(same(row.function(nan), nan));
    CHECK(same(row.function(-nan), nan));
  }
  CHECK(same(math::log1p(T(-1)), -inf));
  CHECK(same(math::log1p(T(-2)), nan));
  CHECK(same(math::log(T(-1)), nan));
}

TEMPLATE_TEST_CASE("denormals are neither flushed nor invented", "[math][special]", float, double) {
  using T = TestType;
  constexpr T smallest = std::numeric_limits<T>::denorm_min();
  constexpr int digits = std::numeric_limits<T>::digits;
  const T lowest_exponent = T(std::numeric_limits<T>::min_exponent - digits);
  CHECK(math::exp2(lowest_exponent) == smallest);
  CHECK(math::exp2(lowest_exponent - 1) == 0);
  CHECK(math::log2(smallest) == lowest_exponent);
  for (const auto function : {static_cast<T (*)(T)>(math::expm1), static_cast<T (*)(T)>(math::log1p),
                              static_cast<T (*)(T)>(math::sin), static_cast<T (*)(T)>(math::tanh)}) {
    CHECK(function(smallest) == smallest);
    CHECK(function(-3 * smallest) == -3 * smallest);
  }
  CHECK(math::gelu(4 * smallest) == 2 * smallest);
  CHECK(math::silu(-4 * smallest) == -2 * smallest);
  CHECK(math::max(smallest, T(0)) == smallest);
}

TEMPLATE_TEST_CASE("pow has the special cases of IEEE 754", "[math][pow][special]", float, double) {
  using T = TestType;
  const T inf = kInfinity<T>, nan = kNan<T>;
  const T values[] = {-inf,
                      T(-3),
                      T(-2.5),
                      T(-2),
                      T(-1),
                      T(-0.5),
                      T(-0.0),
                      0,
                      T(0.5),
                      1,
                      2,
                      T(2.5),
                      3,
                      inf,
                      nan,
                      std::numeric_limits<T>::denorm_min(),
                      std::numeric_limits<T>::max(),
                      T(16777217),
                      T(-1e30)};
  for (const T x : values) {
    for (const T y : values) {
      const T got = math::pow(x, y), expected = std::pow(x, y);
      INFO("pow(" << x << ", " << y << ") = " << got << ", not " << expected);
      if (same(got, expected)) continue;
      CHECK(std::signbit(got) == std::signbit(expected));
      CHECK(std::abs(got - expected) <= 2 * std::numeric_limits<T>::epsilon() * std::abs(expected));
    }
  }
}

TEMPLATE_TEST_CASE("min, max and clamp propagate NaN and order zeros", "[math][order]", float, double) {
  using T = TestType;
  const T nan = kNan<T>, inf = kInfinity<T>;
  CHECK(same(math::max(nan, inf), nan));
  CHECK(same(math::max(T(1), nan), nan));
  CHECK(same(math::min(nan, -inf), nan));
  CHECK(same(math::min(T(1), nan), nan));
  CHECK(same(math::max(T(-0.0), T(0)), T(0)));
  CHECK(same(math::max(T(0), T(-0.0)), T(0)));
  CHECK(same(math::min(T(-0.0), T(0)), T(-0.0)));
  CHECK(same(math::min(T(0), T(-0.0)), T(-0.0)));
  CHECK(math::max(T(-2), T(-3)) == -2);
  CHECK(math::min(T(-2), T(-3)) == -3);
  CHECK(math::clamp(T(5), T(-1), T(2)) == 2);
  CHECK(math::clamp(T(-5), T(-1), T(2)) == -1);
  CHECK(math::clamp(T(1), T(-1), T(2)) == 1);
  CHECK(same(math::clamp(nan, T(-1), T(2)), nan));
}

TEMPLATE_TEST_CASE("rounding to integers", "[math][order]", float, double) {
  using T = TestType;
  CHECK(math::round(T(0.5)) == 0);
  CHECK(math::round(T(1.5)) == 2);
  CHECK(math::round(T(2.5)) == 2);
  CHECK(same(math::round(T(-0.5)), T(-0.0)));
  CHECK(math::floor(T(-0.5)) == -1);
  CHECK(same(math::ceil(T(-0.5)), T(-0.0)));
  CHECK(math::trunc(T(-1.9)) == -1);
  CHECK(math::abs(T(-1.5)) == T(1.5));
}

TEST_CASE("tf32 has 11 significant bits, and ties go to even", "[math][order][special]") {
  const auto rounded = [](std::uint32_t bits) {
    return math::to_bits(math::round_tf32(math::from_bits(bits)));
  };
  struct Pattern {
    const char* what;
    std::uint32_t before, after;
  };
  const Pattern patterns[] = {
      {"one", 0x3f800000, 0x3f800000},
      {"one bit below a tie", 0x3f800fff, 0x3f800000},
      {"a tie above an even number", 0x3f801000, 0x3f800000},
      {"one bit above a tie", 0x3f801001, 0x3f802000},
      {"a tie above an odd number", 0x3f803000, 0x3f804000},
      {"the last number below 2", 0x3fffe000, 0x3fffe000},
      {"a tie that carries into the exponent", 0x3ffff000, 0x40000000},
      {"zero", 0x00000000, 0x00000000},
      {"the smallest denormal", 0x00000001, 0x00000000},
      {"a tie between 0 and the smallest denormal of tf32", 0x00001000, 0x00000000},
      {"a denormal of tf32", 0x00002000, 0x00002000},
      {"the largest denormal becomes normal", 0x007fffff, 0x00800000},
      {"the largest number of tf32", 0x7f7fe000, 0x7f7fe000},
      {"one bit below the tie with what lies beyond it", 0x7f7fefff, 0x7f7fe000},
      {"that tie becomes infinity", 0x7f7ff000, 0x7f800000},
      {"the largest float does, too", 0x7f7fffff, 0x7f800000},
      {"infinity", 0x7f800000, 0x7f800000},
      {"a NaN keeps its bits", 0x7fc00001, 0x7fc00001},
      {"a NaN with low bits only does not become infinity", 0x7f800001, 0x7f800001},
      {"nor does one of ones overflow into zero", 0x7fffffff, 0x7fffffff},
  };
  constexpr std::uint32_t sign = 0x80000000u;
  for (const Pattern& pattern : patterns) {
    INFO(pattern.what);
    CHECK(rounded(pattern.before) == pattern.after);
    CHECK(rounded(pattern.before | sign) == (pattern.after | sign));
    CHECK(rounded(pattern.after) == pattern.after);
  }
}

TEST_CASE("tf32 is the nearest of its neighbours", "[math][order]") {
  for (std::uint64_t bits = 0; bits < 0x7f7ff000u; bits += 4093) {
    const float x = math::from_bits(static_cast<std::uint32_t>(bits));
    const double below = math::from_bits(math::to_bits(x) & ~0x1fffu);
    const double above =
        math::from_bits((math::to_bits(x) & ~0x1fffu) + 0x2000u);  // infinity behind the largest
    const double got = math::round_tf32(x);
    REQUIRE((got == below || got == above));
    if (got == below) REQUIRE((std::isinf(above) || x - below <= above - x));
    if (got == above) REQUIRE(above - x <= x - below);
    if (x - below == above - x) REQUIRE((math::to_bits(static_cast<float>(got)) & 0x2000u) == 0);
  }
}

TEST_CASE("fast forms at zeros, infinities and NaN", "[math][fast][special]") {
  const float inf = kInfinity<float>, nan = kNan<float>;
  for (const auto function :
       {static_cast<float (*)(float)>(math::exp_fast), static_cast<float (*)(float)>(math::exp2_fast)}) {
    CHECK(function(0.0f) == 1.0f);
    CHECK(same(function(-inf), 0.0f));
    CHECK(function(inf) == inf);
    CHECK(same(function(nan), nan));
    CHECK(same(function(-nan), nan));
  }
  CHECK(math::div_fast(1.0f, 4.0f) == 0.25f);
  CHECK(math::div_fast(-1.0f, 0.0f) == -inf);
}

}  // namespace
