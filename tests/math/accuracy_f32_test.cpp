// SPDX-License-Identifier: Apache-2.0
// The error bounds of the float functions, over all floats at a stride; the largest errors are printed with
// -s.
#include <cstdint>

#include "catch.h"
#include "ulp.h"

namespace {

using math_test::UnaryFunction;
using math_test::Worst;
using tessera::math::from_bits;

constexpr std::uint64_t kStride = 1009;
constexpr std::uint64_t kAllFloats = std::uint64_t{1} << 32;

/// Applies `visit` to every kStride-th float, whatever its kind.
template <typename Visit>
void for_strided_floats(Visit visit) {
  for (std::uint64_t bits = 0; bits < kAllFloats; bits += kStride)
    visit(from_bits(static_cast<std::uint32_t>(bits)));
}

/// Applies `visit` to the 2001 floats around `center`.
template <typename Visit>
void for_neighbours(float center, Visit visit) {
  const std::uint32_t bits = tessera::math::to_bits(center);
  for (std::uint32_t i = 0; i <= 2000; ++i) visit(from_bits(bits - 1000 + i));
}

// Zero and its denormals (by wrapping), one, thresholds of the functions, largest values.
constexpr float kCenters[] = {0.0f,         -0.0f,       0x1p-126f,  1.0f,        -1.0f,          0.34657359f,
                              -0.34657359f, 0.70710678f, 1.5707964f, 3.14159265f, 65536.0f,       88.72284f,
                              -87.33655f,   -103.97208f, 128.0f,     -126.0f,     -149.0f,        9.25f,
                              3.93f,        -14.5f,      -11.0f,     -110.0f,     0x1.fffffep127f};

TEST_CASE("float functions stay within their documented bound", "[math][f32]") {
  for (const UnaryFunction& function : math_test::kUnaryFunctions) {
    DYNAMIC_SECTION(function.name) {
      Worst<float> worst;
      const auto visit = [&](float x) {
        worst.see(math_test::ulp_error(function.f32(x), function.libm(x)), x);
      };
      for_strided_floats(visit);
      for (const float center : kCenters) for_neighbours(center, visit);
      INFO("largest error " << worst.error << " ulp at " << worst.at);
      CHECK(worst.error <= math_test::info_of(function.name).ulp_f32);
    }
  }
}

TEST_CASE("the libm reference of the float sweeps agrees with MPFR", "[math][f32]") {
  for (const UnaryFunction& function : math_test::kUnaryFunctions) {
    DYNAMIC_SECTION(function.name) {
      for (std::uint64_t bits = 0; bits < kAllFloats; bits += 1000003) {
        const float x = from_bits(static_cast<std::uint32_t>(bits));
        if (!std::isfinite(x)) continue;
        math_test::Real argument(static_cast<double>(x)), exact;
        function.exact(exact.get(), argument.get());
        const double nearest = mpfr_get_d(exact.get(), MPFR_RNDN);
        const double libm = function.libm(x);
        const bool agrees = (std::isnan(nearest) && std::isnan(libm)) || nearest == libm ||
                            std::abs(nearest - libm) <= 1e-12 * std::abs(nearest) ||
                            std::abs(nearest) < 0x1p-200;
        if (!agrees) FAIL("at " << x << ": " << libm << " for " << nearest);
      }
    }
  }
}

TEST_CASE("fast exponentials stay within 2^-20 (1 + |x|) and reach 0 and infinity", "[math][f32][fast]") {
  const auto relative = [](float got, double exact, float x) {
    const double floor = 0x1p-125;  // what lies below becomes 0
    if (exact < floor) return got >= 0 && got <= 2 * floor ? 0.0 : math_test::kWrong;
    if (exact >= 0x1.ffffffp127) return got == INFINITY ? 0.0 : math_test::kWrong;
    if (std::isinf(got)) return exact > 0x1.fffp127 ? 0.0 : math_test::kWrong;
    return std::abs(got - exact) / exact / (1 + std::abs(static_cast<double>(x)));
  };
  Worst<float> exp_worst, exp2_worst;
  for_strided_floats([&](float x) {
    if (std::isnan(x)) return;
    exp_worst.see(relative(tessera::math::exp_fast(x), std::exp(static_cast<double>(x)), x), x);
    exp2_worst.see(relative(tessera::math::exp2_fast(x), std::exp2(static_cast<double>(x)), x), x);
  });
  INFO("exp_fast " << exp_worst.error << " at " << exp_worst.at << ", exp2_fast " << exp2_worst.error
                   << " at " << exp2_worst.at);
  CHECK(exp_worst.error <= math_test::info_of("exp_fast").fast_relative);
  CHECK(exp2_worst.error <= math_test::info_of("exp2_fast").fast_relative);
}

TEST_CASE("div_fast stays within its bound while the reciprocal is normal", "[math][f32][fast]") {
  Worst<float> worst;
  for (std::uint32_t i = 0; i < 4000000; ++i) {
    const float a = from_bits(0x30000000u + i * 211u % 0x1f000000u);  // 2^-31 to 2^31
    const float b = from_bits(0x30000000u + i * 65537u % 0x1f000000u);
    const double exact = static_cast<double>(a) / b;
    worst.see(math_test::ulp_error(tessera::math::div_fast(a, b), exact), a);
  }
  INFO("largest error " << worst.error << " at " << worst.at);
  CHECK(worst.error <= math_test::info_of("div_fast").ulp_f32);
}

}  // namespace
