// SPDX-License-Identifier: Apache-2.0
// Zeros, infinities, NaN and denormals: what each function makes of them, in both types.
#include <cmath>
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
