// SPDX-License-Identifier: Apache-2.0
// Arrays: the same random numbers everywhere, rounding, comparisons.
#include <cmath>
#include <limits>

#include "catch.h"
#include "interp/random.h"
#include "interp/runs.h"

namespace tessera::interp {

namespace {
constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
constexpr double kInfinity = std::numeric_limits<double>::infinity();
}  // namespace

TEST_CASE("the random sequence never changes") {
  Random random(1);
  REQUIRE(random.next() == 0xb3f2af6d0fc710c5u);
  REQUIRE(random.next() == 0x853b559647364ceau);
  Random other(2);
  for (int i = 0; i < 1000; ++i) {
    REQUIRE(other.uniform() < 1);
    REQUIRE(other.below(7) < 7);
  }
}

TEST_CASE("every type is filled within its range, evenly") {
  for (const DTypeInfo& row : all_dtypes()) {
    if (is_packed(row.dtype)) continue;
    INFO(row.spelling);
    Array array = Array::zeros(row.dtype, {40, 50});
    fill_random(array, 3, 0, 8);
    double sum = 0;
    for (const double number : testing::numbers_of(array)) {
      REQUIRE(number >= 0);
      REQUIRE(number <= 8);
      sum += number;
    }
    const double mean = is_bool(row.dtype) ? 0.5 : is_float(row.dtype) ? 4 : 3.5;
    REQUIRE(std::abs(sum / 2000 - mean) < 0.2);
    Array again = Array::zeros(row.dtype, {40, 50});
    fill_random(again, 3, 0, 8);
    REQUIRE(again.data == array.data);
    fill_random(again, 4, 0, 8);
    REQUIRE(again.data != array.data);
  }
}

TEST_CASE("elements are rounded to their type") {
  REQUIRE(testing::numbers_of(testing::array_of(DType::bf16, {2}, {1.00390625, 3e38})) ==
          std::vector<double>{1, 1.765625 * 0x1p127});
  REQUIRE(testing::numbers_of(testing::array_of(DType::i8, {3}, {-2.7, 300, kNan})) ==
          std::vector<double>{-2, 127, 0});
  REQUIRE(testing::numbers_of(testing::array_of(DType::fp8_e4m3, {2}, {1000, 0.3})) ==
          std::vector<double>{448, 0.3125});
}

TEST_CASE("arrays without elements, and of one") {
  REQUIRE(Array::zeros(DType::f32, {}).count() == 1);
  REQUIRE(Array::zeros(DType::f32, {3, 0, 4}).data.empty());
}

TEST_CASE("bits are compared, NaNs of floats are equal") {
  const Array a = testing::array_of(DType::f32, {4}, {1, 0.0, kNan, 5});
  const Array b = testing::array_of(DType::f32, {4}, {1, -0.0, -kNan, 5.5});
  const Difference difference = compare_bits(a, b);
  REQUIRE(difference.count == 2);
  REQUIRE(difference.first == 1);
  REQUIRE(difference.largest_error == 0.5);
}

TEST_CASE("comparison within a bound") {
  const Array expected = testing::array_of(DType::f64, {5}, {100, 0, kNan, kInfinity, 1});
  const Array near = testing::array_of(DType::f32, {5}, {101, 0.01, kNan, kInfinity, 1});
  REQUIRE(compare_within(near, expected, 0.01, 0.01).count == 0);
  REQUIRE(compare_within(near, expected, 0.005, 0).count == 2);
  const Array wrong = testing::array_of(DType::f32, {5}, {100, 0, 1, -kInfinity, kNan});
  REQUIRE(compare_within(wrong, expected, 1, 1).count == 3);
}

TEST_CASE("positions are spelled as indices") {
  REQUIRE(spell_position({3, 4, 5}, 59) == "[2, 3, 4]");
  REQUIRE(spell_position({}, 0) == "[]");
}

}  // namespace tessera::interp
