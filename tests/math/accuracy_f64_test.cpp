// SPDX-License-Identifier: Apache-2.0
// The error bounds of the double functions and of pow against MPFR, on random arguments and on the hard ones.
#include <random>

#include "catch.h"
#include "ulp.h"

namespace {

using math_test::Real;
using math_test::UnaryFunction;
using math_test::Worst;
using tessera::math::from_bits;

constexpr int kSamples = 60000;
constexpr int kPowSamples = 150000;

/// Random doubles for one function: all bit patterns, its own interval, and magnitudes around 1 and below.
class Arguments {
 public:
  Arguments(double low, double high) : low_(low), high_(high) {}

  double next() {
    kind_ = (kind_ + 1) % 3;
    if (kind_ == 0) return from_bits(static_cast<std::uint64_t>(random_()));
    if (kind_ == 1) return low_ + (high_ - low_) * unit();
    const int exponent = static_cast<int>(random_() % 14) - 10;
    return std::ldexp(2 * unit() - 1, exponent);
  }

  /// Uniform in [0, 1).
  double unit() { return static_cast<double>(random_() >> 11) * 0x1p-53; }

 private:
  std::mt19937_64 random_{20240607};
  double low_, high_;
  int kind_ = 0;
};

double error_at(const UnaryFunction& function, double x) {
  Real argument(x), exact;
  function.exact(exact.get(), argument.get());
  return math_test::ulp_error(function.f64(x), exact);
}

TEST_CASE("double functions stay within their documented bound", "[math][f64]") {
  for (const UnaryFunction& function : math_test::kUnaryFunctions) {
    DYNAMIC_SECTION(function.name) {
      Worst<double> worst;
      Arguments arguments(function.low, function.high);
      for (int i = 0; i < kSamples; ++i) {
        const double x = arguments.next();
        if (std::isfinite(x) && std::abs(x) > 0) worst.see(error_at(function, x), x);
      }
      INFO("largest error " << worst.error << " ulp at " << worst.at);
      CHECK(worst.error <= math_test::info_of(function.name).ulp_f64);
    }
  }
}

TEST_CASE("sin and cos are right next to multiples of half pi, however large", "[math][f64]") {
  // 6381956970095103 * 2^797 is the double nearest to a multiple of π/2, relative to its size.
  Worst<double> worst;
  const UnaryFunction *sine = nullptr, *cosine = nullptr;
  for (const UnaryFunction& function : math_test::kUnaryFunctions) {
    if (std::string_view(function.name) == "sin") sine = &function;
    if (std::string_view(function.name) == "cos") cosine = &function;
  }
  const auto visit = [&](double x) {
    worst.see(error_at(*sine, x), x);
    worst.see(error_at(*cosine, x), x);
  };
  visit(6381956970095103.0 * 0x1p797);
  visit(-6381956970095103.0 * 0x1p797);
  for (double turns = 1; turns < 0x1p60; turns = std::floor(turns * 1.01) + 1) {
    const double x = turns * M_PI_2;
    visit(x);
    visit(std::nextafter(x, INFINITY));
    visit(-std::nextafter(x, 0));
  }
  INFO("largest error " << worst.error << " ulp at " << worst.at);
  CHECK(worst.error <= math_test::info_of("sin").ulp_f64);
}

/// An exponent that takes x^y anywhere from underflow to overflow.
double exponent_for(double x, double largest_log, double uniform) {
  return (largest_log / (std::abs(std::log(x)) + 1e-300)) * (2.1 * uniform - 1.05);
}

/// A positive base: near one, moderate, or any.
double base(Arguments& random, int i) {
  if (i % 3 == 0) return 1 + 0.2 * (random.unit() - 0.5);
  const double mantissa = 1 + random.unit();
  return std::ldexp(mantissa,
                    static_cast<int>(random.unit() * (i % 3 == 1 ? 8 : 2000)) - (i % 3 == 1 ? 4 : 1000));
}

TEST_CASE("pow stays within its documented bound", "[math][pow]") {
  Worst<double> worst64, worst32;
  Arguments random(0, 1);
  for (int i = 0; i < kPowSamples; ++i) {
    const double x = base(random, i);
    const double y = exponent_for(x, 745, random.unit());
    Real argument(x), power(y), exact;
    mpfr_pow(exact.get(), argument.get(), power.get(), MPFR_RNDN);
    worst64.see(math_test::ulp_error(tessera::math::pow(x, y), exact), x);
    const float xf = static_cast<float>(x), yf = static_cast<float>(y * (104.0 / 745));
    worst32.see(math_test::ulp_error(tessera::math::pow(xf, yf), std::pow(static_cast<double>(xf), yf)), x);
  }
  INFO("largest errors: f64 " << worst64.error << " at " << worst64.at << ", f32 " << worst32.error << " at "
                              << worst32.at);
  CHECK(worst64.error <= math_test::info_of("pow").ulp_f64);
  CHECK(worst32.error <= math_test::info_of("pow").ulp_f32);
}

}  // namespace
