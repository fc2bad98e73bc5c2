// SPDX-License-Identifier: Apache-2.0
// Narrow floats against an independent reference: the values of a format enumerated from its definition, and
// rounding as the search for the nearest of them.
#include <algorithm>
#include <cmath>
#include <random>
#include <vector>

#include "catch.h"
#include "tessera/narrow.h"

namespace {

using tessera::bf16;
using tessera::f16;
using tessera::fp8_e4m3;
using tessera::fp8_e5m2;

enum class AtOverflow { kInfinity, kLargest };

/// A format by its definition: widths, whether the top exponent is kept for infinity and NaN, what overflow
/// gives.
template <typename T>
struct Definition;
template <>
struct Definition<bf16> {
  static constexpr int exponent_bits = 8, mantissa_bits = 7;
  static constexpr bool ieee = true;
  static constexpr AtOverflow overflow = AtOverflow::kInfinity;
};
template <>
struct Definition<f16> {
  static constexpr int exponent_bits = 5, mantissa_bits = 10;
  static constexpr bool ieee = true;
  static constexpr AtOverflow overflow = AtOverflow::kInfinity;
};
template <>
struct Definition<fp8_e4m3> {
  static constexpr int exponent_bits = 4, mantissa_bits = 3;
  static constexpr bool ieee = false;
  static constexpr AtOverflow overflow = AtOverflow::kLargest;
};
template <>
struct Definition<fp8_e5m2> {
  static constexpr int exponent_bits = 5, mantissa_bits = 2;
  static constexpr bool ieee = true;
  static constexpr AtOverflow overflow = AtOverflow::kLargest;
};

template <typename T>
constexpr int kMagnitudes = 1 << (Definition<T>::exponent_bits + Definition<T>::mantissa_bits);

/// The value of a magnitude (sign bit clear): NaN and infinity as the format has them.
template <typename T>
double value_of(int magnitude) {
  using D = Definition<T>;
  const int exponent = magnitude >> D::mantissa_bits;
  const int mantissa = magnitude & ((1 << D::mantissa_bits) - 1);
  const int top = (1 << D::exponent_bits) - 1;
  const int bias = (1 << (D::exponent_bits - 1)) - 1;
  if (D::ieee && exponent == top) return mantissa == 0 ? INFINITY : NAN;
  if (!D::ieee && magnitude == kMagnitudes<T> - 1) return NAN;
  if (exponent == 0) return std::ldexp(mantissa, 1 - bias - D::mantissa_bits);
  return std::ldexp(mantissa + (1 << D::mantissa_bits), exponent - bias - D::mantissa_bits);
}

/// All finite values that are not negative, ascending; their index is their magnitude.
template <typename T>
const std::vector<double>& finite_values() {
  static const std::vector<double> values = [] {
    std::vector<double> result;
    for (int magnitude = 0; magnitude < kMagnitudes<T> && std::isfinite(value_of<T>(magnitude));
         ++magnitude) {
      result.push_back(value_of<T>(magnitude));
    }
    return result;
  }();
  return values;
}

/// The magnitude nearest to `x` >= 0, ties to even.
template <typename T>
int nearest_magnitude(double x) {
  const std::vector<double>& values = finite_values<T>();
  const int largest = static_cast<int>(values.size()) - 1;
  if (std::isinf(x)) return Definition<T>::ieee ? largest + 1 : largest;
  const int above = static_cast<int>(std::lower_bound(values.begin(), values.end(), x) - values.begin());
  if (above > largest) {
    const double step = values[largest] - values[largest - 1];
    const bool rounds_down = x < values[largest] + step / 2;
    return rounds_down || Definition<T>::overflow == AtOverflow::kLargest ? largest : largest + 1;
  }
  if (above == 0) return 0;
  const double to_above = values[above] - x, to_below = x - values[above - 1];
  if (to_above != to_below) return to_above < to_below ? above : above - 1;
  return above % 2 == 0 ? above : above - 1;
}

/// The bits expected of a conversion of `x`.
template <typename T>
int expected_bits(double x) {
  if (std::isnan(x)) return kMagnitudes<T> - 1;
  return nearest_magnitude<T>(std::abs(x)) | (std::signbit(x) ? kMagnitudes<T> : 0);
}

template <typename T>
void check_float(float x) {
  const int got = tessera::from_float<T>(x).bits;
  if (got != expected_bits<T>(x))
    FAIL(std::hexfloat << x << " gives " << got << ", not " << expected_bits<T>(x));
}

template <typename T>
void check_double(double x) {
  const int got = tessera::from_double<T>(x).bits;
  if (got != expected_bits<T>(x))
    FAIL(std::hexfloat << x << " gives " << got << ", not " << expected_bits<T>(x));
}

TEMPLATE_TEST_CASE("every narrow value widens to its definition and comes back", "[narrow]", bf16, f16,
                   fp8_e4m3, fp8_e5m2) {
  using T = TestType;
  using Bits = decltype(T::bits);
  STATIC_REQUIRE(sizeof(T) == sizeof(Bits));
  STATIC_REQUIRE(std::is_trivially_copyable_v<T>);
  for (int bits = 0; bits < 2 * kMagnitudes<T>; ++bits) {
    const double magnitude = value_of<T>(bits % kMagnitudes<T>);
    const float got = tessera::to_float(T{static_cast<Bits>(bits)});
    if (std::isnan(magnitude)) {
      if (!std::isnan(got)) FAIL("bits " << bits << " are NaN");
      continue;
    }
    if (got != (bits < kMagnitudes<T> ? magnitude : -magnitude) ||
        std::signbit(got) != (bits >= kMagnitudes<T>)) {
      FAIL("bits " << bits << " give " << got);
    }
    if (tessera::from_float<T>(got).bits != bits) FAIL("bits " << bits << " do not come back");
  }
}

TEMPLATE_TEST_CASE("floats round to the nearest narrow value", "[narrow]", bf16, f16, fp8_e4m3, fp8_e5m2) {
  using T = TestType;
  for (std::uint64_t bits = 0; bits < (std::uint64_t{1} << 32); bits += 4099) {
    check_float<T>(tessera::math::from_bits(static_cast<std::uint32_t>(bits)));
  }
}

TEMPLATE_TEST_CASE("halfway cases and their neighbours round right from float and double", "[narrow]", bf16,
                   f16, fp8_e4m3, fp8_e5m2) {
  using T = TestType;
  const std::vector<double>& values = finite_values<T>();
  const auto check_around = [](double x) {
    for (const double sign : {1.0, -1.0}) {
      const float f = static_cast<float>(sign * x);
      check_float<T>(f);
      check_float<T>(std::nextafterf(f, INFINITY));
      check_float<T>(std::nextafterf(f, -INFINITY));
      check_double<T>(sign * x);
      check_double<T>(std::nextafter(sign * x, INFINITY));
      check_double<T>(std::nextafter(sign * x, -INFINITY));
    }
  };
  for (std::size_t i = 0; i + 1 < values.size(); ++i) {
    check_around(values[i]);
    check_around((values[i] + values[i + 1]) / 2);
  }
  const double step = values.back() - values[values.size() - 2];
  for (const double x : {values.back(), values.back() + step / 2, values.back() + step, 2 * values.back()})
    check_around(x);
  check_around(INFINITY);
}

TEMPLATE_TEST_CASE("doubles are rounded once", "[narrow]", bf16, f16, fp8_e4m3, fp8_e5m2) {
  using T = TestType;
  std::mt19937_64 random(11);
  for (int i = 0; i < 300000; ++i) {
    check_double<T>(tessera::math::from_bits(static_cast<std::uint64_t>(random())));
    check_double<T>(
        std::ldexp(static_cast<double>(random()) * 0x1p-63 - 1, static_cast<int>(random() % 40) - 20));
  }
  const double specials[] = {NAN, -NAN, 0.0, -0.0, 1e-320, -1e308, INFINITY};
  for (const double x : specials) check_double<T>(x);
}

TEST_CASE("fp8 saturates, f16 and bf16 do not", "[narrow]") {
  CHECK(tessera::to_float(tessera::from_float<fp8_e4m3>(1e9f)) == 448.0f);
  CHECK(tessera::to_float(tessera::from_float<fp8_e4m3>(-INFINITY)) == -448.0f);
  CHECK(tessera::to_float(tessera::from_float<fp8_e5m2>(1e9f)) == 57344.0f);
  CHECK(tessera::to_float(tessera::from_float<fp8_e5m2>(-INFINITY)) == -INFINITY);
  CHECK(tessera::to_float(tessera::from_float<f16>(65520.0f)) == INFINITY);
  CHECK(tessera::to_float(tessera::from_float<bf16>(3.4e38f)) == INFINITY);
}

}  // namespace
