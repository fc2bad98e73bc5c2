// SPDX-License-Identifier: Apache-2.0
// Functions of whole vectors, on the host twin: each element is what the scalar function makes of it.
#include <cmath>
#include <cstdint>
#include <cstring>
#include <limits>
#include <random>

#include "catch.h"
#include "tessera/kernel.h"

namespace vectors {

using namespace tessera;

namespace {

/// All values of a type of one byte, eight at a time.
template <typename T, typename Check>
void for_all_bytes(Check check) {
  for (int first = 0; first < 256; first += 8) {
    Vector<T, 8> x;
    for (int i = 0; i < 8; ++i) {
      const auto bits = static_cast<std::uint8_t>(first + i);
      T value;
      std::memcpy(&value, &bits, sizeof value);
      x.set(i, value);
    }
    const Vector<float, 8> floats = to_floats(x);
    for (int i = 0; i < 8; ++i) check(x[i], floats[i]);
  }
}

template <typename T>
void check_rounding() {
  std::mt19937_64 random(7);
  for (int round = 0; round < 4000; ++round) {
    Vector<float, 8> x;
    for (int i = 0; i < 8; ++i) x[i] = math::from_bits(static_cast<std::uint32_t>(random()));
    const Vector<T, 8> narrow = from_floats<T>(x);
    for (int i = 0; i < 8; ++i) REQUIRE(narrow[i].bits == from_float<T>(x[i]).bits);
  }
}

}  // namespace

TEST_CASE("vectors of narrow numbers have the floats of their elements, and are rounded like them") {
  for_all_bytes<std::int8_t>([](std::int8_t x, float y) { REQUIRE(y == static_cast<float>(x)); });
  for_all_bytes<std::uint8_t>([](std::uint8_t x, float y) { REQUIRE(y == static_cast<float>(x)); });
  const auto same = [](auto x, float y) {
    const float expected = to_float(x);
    REQUIRE((std::isnan(expected) ? std::isnan(y) : math::to_bits(expected) == math::to_bits(y)));
  };
  for_all_bytes<fp8_e4m3>(same);
  for_all_bytes<fp8_e5m2>(same);
  check_rounding<bf16>();
  check_rounding<f16>();
  check_rounding<fp8_e4m3>();
}

TEST_CASE("functions of whole vectors have the bits of the scalar ones") {
  std::mt19937_64 random(5);
  const auto same = [](float a, float b) {
    return std::isnan(a) ? std::isnan(b) : math::to_bits(a) == math::to_bits(b);
  };
  const float rare[] = {0.0f,
                        -0.0f,
                        88.5f,
                        -90.0f,
                        -200.0f,
                        1e30f,
                        1e-40f,
                        std::numeric_limits<float>::infinity(),
                        -std::numeric_limits<float>::infinity(),
                        std::numeric_limits<float>::quiet_NaN()};
  for (int round = 0; round < 2000; ++round) {
    const bool all_common = round % 2 == 0;
    Vector<float, 8> x;
    for (int i = 0; i < 8; ++i)
      x[i] = all_common || random() % 8 != 0 ? static_cast<float>(random() % 100000) * 1e-3f - 50.0f
                                             : rare[random() % std::size(rare)];
    if (round % 3 == 0) {
      for (int i = 0; i < 8; i += 2) x[i] = 0;  // quotients that are exact, though small
    }
    const Vector<float, 8> e = math::exp(x);
    const float sign = round % 7 == 0 ? -1.0f : 1.0f;
    const float extremes[] = {1e-30f, 0x1.8p-25f, 0x1.000002p24f, 1.1e12f, 0x1.fffffep127f};
    const float b =
        sign * (round % 5 == 0 ? extremes[random() % 5] : static_cast<float>(random() % 1000 + 1) * 0.37f);
    const Vector<float, 8> q = x / Divisor(b);
    for (int i = 0; i < 8; ++i) {
      REQUIRE(same(e[i], math::exp(x[i])));
      REQUIRE(same(q[i], x[i] / b));
    }
    Vector<bf16, 8> narrow;
    float top = lowest<float>(), bottom = highest<float>();
    for (int i = 0; i < 8; ++i) {
      narrow.set(i, from_float<bf16>(x[i]));
      top = math::max(top, to_float(narrow[i]));
      bottom = math::min(bottom, to_float(narrow[i]));
    }
    REQUIRE(same(to_float(largest(narrow)), top));
    REQUIRE(same(to_float(smallest(narrow)), bottom));
  }
}

}  // namespace vectors
