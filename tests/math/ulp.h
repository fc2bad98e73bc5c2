// SPDX-License-Identifier: Apache-2.0
// How far a result is from the exact one, in units in the last place of the exact one.
#pragma once

#include <mpfr.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <stdexcept>
#include <string>
#include <string_view>

#include "functions.h"

namespace math_test {

/// The error of a result that is wrong in kind: NaN for a number, a number for infinity, the wrong sign of
/// zero.
constexpr double kWrong = std::numeric_limits<double>::infinity();

/// The exponent e of the format's unit 2^e in the last place of a number in [2^(exponent - 1), 2^exponent).
template <typename T>
long unit_exponent(long exponent) {
  using Limits = std::numeric_limits<T>;
  return std::max<long>(exponent, Limits::min_exponent) - Limits::digits;
}

/// Error of the float `got`, given the exact result to the precision of a double.
inline double ulp_error(float got, double exact) {
  constexpr double kOverflow = 0x1.ffffffp127;  // from here on the exact result rounds to infinity
  if (std::isnan(exact)) return std::isnan(got) ? 0 : kWrong;
  if (std::isnan(got)) return kWrong;
  if (got == exact) return std::signbit(got) == std::signbit(exact) ? 0 : kWrong;
  if (std::isinf(exact)) return kWrong;
  if (std::isinf(got)) return std::abs(exact) >= kOverflow * (1 - 0x1p-23) && got * exact > 0 ? 0 : kWrong;
  if (std::signbit(got) != std::signbit(exact)) return kWrong;
  int exponent;
  std::frexp(exact, &exponent);
  return std::ldexp(std::abs(got - exact), -static_cast<int>(unit_exponent<float>(exponent)));
}

/// Error of the double `got`; destroys `exact`.
inline double ulp_error(double got, Real& exact) {
  if (mpfr_nan_p(exact.get())) return std::isnan(got) ? 0 : kWrong;
  if (std::isnan(got)) return kWrong;
  const double nearest = mpfr_get_d(exact.get(), MPFR_RNDN);
  if (std::signbit(got) != std::signbit(nearest)) return kWrong;
  if (got == nearest && (std::isinf(nearest) || mpfr_zero_p(exact.get()))) return 0;
  if (std::isinf(got)) return std::abs(nearest) >= 0x1.ffffffffffffep1023 ? 0 : kWrong;
  if (std::isinf(nearest)) return std::abs(got) >= 0x1.ffffffffffffep1023 ? 0 : kWrong;
  if (mpfr_zero_p(exact.get())) return kWrong;
  const long unit = unit_exponent<double>(mpfr_get_exp(exact.get()));
  mpfr_sub_d(exact.get(), exact.get(), got, MPFR_RNDN);
  mpfr_mul_2si(exact.get(), exact.get(), -unit, MPFR_RNDN);
  return std::abs(mpfr_get_d(exact.get(), MPFR_RNDN));
}

/// The largest error seen and where.
template <typename T>
struct Worst {
  double error = -1;
  T at = 0;

  void see(double candidate, T x) {
    if (candidate > error) {
      error = candidate;
      at = x;
    }
  }
};

/// The row of kMathInfo for `name`; every function under test has one.
inline const tessera::math::MathInfo& info_of(const char* name) {
  for (const auto& row : tessera::math::kMathInfo) {
    if (std::string_view(row.name) == name) return row;
  }
  throw std::logic_error(std::string("no row in kMathInfo for ") + name);
}

}  // namespace math_test
