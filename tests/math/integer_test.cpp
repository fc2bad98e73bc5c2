// SPDX-License-Identifier: Apache-2.0
// Integer rules: 8 bits exhaustively against wide arithmetic, the other widths at their corners and at
// random.
#include <cmath>
#include <random>
#include <type_traits>
#include <vector>

#include "catch.h"
#include "tessera/integer.h"

namespace {

namespace integer = tessera::integer;

__extension__ using Wide = __int128;
__extension__ using WideUnsigned = unsigned __int128;

/// `value` modulo 2^width of I, as an I.
template <typename I>
I wrapped(Wide value) {
  return static_cast<I>(static_cast<std::uint64_t>(value));
}

/// a * b modulo 2^128, of which the lower 64 bits are asked for.
Wide product(Wide a, Wide b) {
  return static_cast<Wide>(static_cast<WideUnsigned>(a) * static_cast<WideUnsigned>(b));
}

Wide floor_quotient(Wide a, Wide b) {
  if (b == 0) return 0;
  const Wide quotient = a / b;
  return quotient - (quotient * b != a && (a < 0) != (b < 0) ? 1 : 0);
}

Wide floor_remainder(Wide a, Wide b) { return b == 0 ? 0 : a - b * floor_quotient(a, b); }

template <typename I>
Wide shifted_left(Wide a, Wide count) {
  return count < 0 || count >= Wide{8 * sizeof(I)} ? 0 : product(a, Wide{1} << static_cast<int>(count));
}

template <typename I>
Wide shifted_right(Wide a, Wide count) {
  if (count < 0 || count >= Wide{8 * sizeof(I)}) return a < 0 ? -1 : 0;
  return floor_quotient(a, Wide{1} << static_cast<int>(count));
}

template <typename I>
bool all_right(I a, I b) {
  return integer::add(a, b) == wrapped<I>(Wide{a} + b) &&
         integer::subtract(a, b) == wrapped<I>(Wide{a} - b) &&
         integer::multiply(a, b) == wrapped<I>(product(a, b)) && integer::negate(a) == wrapped<I>(-Wide{a}) &&
         integer::abs(a) == wrapped<I>(a < 0 ? -Wide{a} : Wide{a}) &&
         integer::divide(a, b) == wrapped<I>(floor_quotient(a, b)) &&
         integer::modulo(a, b) == wrapped<I>(floor_remainder(a, b)) &&
         integer::shift_left(a, b) == wrapped<I>(shifted_left<I>(a, b)) &&
         integer::shift_right(a, b) == wrapped<I>(shifted_right<I>(a, b));
}

template <typename I>
std::vector<I> samples() {
  using Limits = std::numeric_limits<I>;
  std::vector<I> result;
  for (int i = 0; i <= 70; ++i) {
    result.push_back(static_cast<I>(i));
    result.push_back(static_cast<I>(-i));
    result.push_back(static_cast<I>(Limits::max() - i));
    result.push_back(static_cast<I>(Limits::min() + i));
  }
  std::mt19937_64 random(3);
  for (int i = 0; i < 300; ++i) result.push_back(static_cast<I>(random() >> (random() % 64)));
  return result;
}

TEMPLATE_TEST_CASE("8-bit integers follow the rules for every pair", "[integer]", std::int8_t, std::uint8_t) {
  using I = TestType;
  for (int a = std::numeric_limits<I>::min(); a <= std::numeric_limits<I>::max(); ++a) {
    for (int b = std::numeric_limits<I>::min(); b <= std::numeric_limits<I>::max(); ++b) {
      if (!all_right(static_cast<I>(a), static_cast<I>(b))) FAIL(a << ", " << b);
    }
  }
}

TEMPLATE_TEST_CASE("wider integers follow the rules", "[integer]", std::int16_t, std::uint16_t, std::int32_t,
                   std::uint32_t, std::int64_t, std::uint64_t) {
  const auto values = samples<TestType>();
  for (const TestType a : values) {
    for (const TestType b : values) {
      if (!all_right(a, b)) FAIL(a << ", " << b);
    }
  }
}

TEMPLATE_TEST_CASE("floats become integers by truncation, saturating, NaN as 0", "[integer]", std::int8_t,
                   std::uint8_t, std::int16_t, std::uint16_t, std::int32_t, std::uint32_t, std::int64_t,
                   std::uint64_t) {
  using I = TestType;
  using Limits = std::numeric_limits<I>;
  const auto reference = [](double x) {
    if (std::isnan(x)) return I{0};
    const long double truncated = std::trunc(static_cast<long double>(x));
    if (truncated >= static_cast<long double>(Limits::max())) return Limits::max();
    if (truncated <= static_cast<long double>(Limits::min())) return Limits::min();
    return static_cast<I>(truncated);
  };
  std::mt19937_64 random(5);
  std::vector<double> values = {0.0,      -0.0,      0.99, -0.99, 1.5,    -1.5,
                                INFINITY, -INFINITY, NAN,  1e300, -1e300, 1e-310};
  for (int exponent = 5; exponent < 66; ++exponent) {
    for (const double x : {std::ldexp(1.0, exponent), -std::ldexp(1.0, exponent)}) {
      values.insert(values.end(),
                    {x, x - 1, x + 1, std::nextafter(x, 0), std::nextafter(x, 2 * x), x - 0.5, x + 0.5});
    }
  }
  for (int i = 0; i < 20000; ++i)
    values.push_back(std::ldexp(static_cast<double>(random()) * 0x1p-63 - 1, random() % 70));
  for (const double x : values) {
    if (integer::from_float<I>(x) != reference(x)) FAIL("from double " << x);
    const float f = static_cast<float>(x);
    if (integer::from_float<I>(f) != reference(f)) FAIL("from float " << f);
  }
}

TEMPLATE_TEST_CASE("integers become the nearest float", "[integer]", std::int64_t, std::uint64_t) {
  // Around the halfway points of each narrow format, where rounding through double would be felt.
  using tessera::bf16;
  const TestType half = (TestType{1} << 55) + (TestType{1} << 47);  // between two bf16
  CHECK(tessera::to_float(integer::to_float<bf16>(half)) == 0x1p55f);
  CHECK(tessera::to_float(integer::to_float<bf16>(static_cast<TestType>(half + 1))) == 0x1.02p55f);
  CHECK(tessera::to_float(integer::to_float<bf16>(static_cast<TestType>(half - 1))) == 0x1p55f);
  CHECK(integer::to_float<float>(static_cast<TestType>((TestType{1} << 24) + 1)) == 0x1p24f);
  CHECK(integer::to_float<float>(static_cast<TestType>((TestType{1} << 62) + (TestType{1} << 38) + 1)) ==
        0x1.000002p62f);
  CHECK(integer::to_float<double>(std::numeric_limits<TestType>::max()) ==
        std::ldexp(1.0, std::numeric_limits<TestType>::digits));
  CHECK(tessera::to_float(integer::to_float<tessera::f16>(TestType{65519})) == 65504.0f);
  CHECK(tessera::to_float(integer::to_float<tessera::f16>(TestType{65520})) == INFINITY);
  CHECK(tessera::to_float(integer::to_float<tessera::fp8_e4m3>(TestType{100000})) == 448.0f);
}

}  // namespace
