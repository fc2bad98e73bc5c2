// SPDX-License-Identifier: Apache-2.0
// exp, exp2, expm1 and the fast forms: the argument is split into n log 2 + r, e^r is a polynomial, 2^n an
// exponent.
#pragma once

#include "tessera/math/bits.h"
#include "tessera/math/coefficients.h"
#include "tessera/math/order.h"

namespace tessera::math {
namespace detail {

/// log 2 in two words, and where exp and its relatives reach 0, infinity or -1.
template <typename T>
struct ExpConstants;

template <>
struct ExpConstants<float> {
  static constexpr float kLog2E = 0x1.715476p0f;
  static constexpr float kLn2High = 0x1.62e43p-1f, kLn2Low = -0x1.05c61p-29f;
  static constexpr float kExpLow = -104.0f, kExpHigh = 89.0f;
  static constexpr float kExp2Low = -151.0f, kExp2High = 129.0f;
  static constexpr float kExpm1Low = -18.0f;
};

template <>
struct ExpConstants<double> {
  static constexpr double kLog2E = 0x1.71547652b82fep0;
  static constexpr double kLn2High = 0x1.62e42fefa39efp-1, kLn2Low = 0x1.abc9e3b39803fp-56;
  static constexpr double kExpLow = -746.0, kExpHigh = 710.0;
  static constexpr double kExp2Low = -1076.0, kExp2High = 1025.0;
  static constexpr double kExpm1Low = -38.0;
};

/// x = count log 2 + rest with |rest| at most half of log 2; `sum` holds count as power_of_two wants it.
template <typename T>
struct ExpSplit {
  T sum;
  T rest;
};

template <typename T>
TESSERA_HD ExpSplit<T> split_by_ln2(T x) {
  using K = ExpConstants<T>;
  const T sum = fma(x, K::kLog2E, Format<T>::kRounder);
  const T count = sum - Format<T>::kRounder;
  const T rest = fma(count, -K::kLn2Low, fma(count, -K::kLn2High, x));
  return {sum, rest};
}

/// value * 2^n, n taken from `sum` as power_of_two takes it, rounded once even where the result is denormal.
/// In two steps because n may be twice as large as an exponent.
template <typename T>
TESSERA_HD T scale_by_power(T value, T sum) {
  using Bits = BitsOf<T>;
  constexpr int kShift = Format<T>::kMantissaBits;
  constexpr Bits kUpper = Format<T>::kSignBit | Format<T>::kInfinityBits;
  const Bits whole = to_bits(sum) << kShift;
  const Bits half = (to_bits(sum) << (kShift - 1)) & kUpper;
  const T first = from_bits(static_cast<Bits>(half + Format<T>::kOneBits));
  const T second = from_bits(static_cast<Bits>(whole - half + Format<T>::kOneBits));
  return value * first * second;
}

/// The same for a result that is a normal number: the count goes into the exponent at once, with the same bits.
TESSERA_HD float scale_normal(float value, float sum) {
  return from_bits(to_bits(value) + (to_bits(sum) << Format<float>::kMantissaBits));
}

template <typename T>
TESSERA_HD T exp_of(T x) {
  const ExpSplit<T> split = split_by_ln2(clamp(x, ExpConstants<T>::kExpLow, ExpConstants<T>::kExpHigh));
  return scale_by_power(exp_polynomial(split.rest), split.sum);
}

template <typename T>
TESSERA_HD T exp2_of(T x) {
  const T bounded = clamp(x, ExpConstants<T>::kExp2Low, ExpConstants<T>::kExp2High);
  const T sum = bounded + Format<T>::kRounder;
  const T rest = bounded - (sum - Format<T>::kRounder);
  return scale_by_power(exp2_polynomial(rest), sum);
}

/// e^rest - 1 of a rest left by split_by_ln2.
template <typename T>
TESSERA_HD T expm1_near_zero(T rest) {
  return fma(rest * rest, expm1_tail(rest), rest);
}

/// e^x - 1 where 2^count is a normal number, that is for moderate x; keeps no sign of zero.
template <typename T>
TESSERA_HD T expm1_moderate(T x) {
  const ExpSplit<T> split = split_by_ln2(x);
  const T power = power_of_two(split.sum, 0);
  return fma(power, expm1_near_zero(split.rest), power - T(1));
}

/// Computes half the result, because 2^count may overflow before it does; tiny arguments, which are their own
/// result, could not be halved.
template <typename T>
TESSERA_HD T expm1_of(T x) {
  using K = ExpConstants<T>;
  const ExpSplit<T> split = split_by_ln2(clamp(x, K::kExpm1Low, K::kExpHigh));
  const T half_power = power_of_two(split.sum, -1);
  const T half = fma(half_power, expm1_near_zero(split.rest), half_power - T(0.5));
  return abs(x) < Format<T>::kTiny ? x : half + half;
}

/// Nearly every argument: e^x is far from both ends of the range, so the bounds and the second step of scaling
/// are not needed. NaN fails the test.
TESSERA_HD bool is_moderate_exponent(float x) { return abs(x) < 86.0f; }

TESSERA_HD float exp_moderate(float x) {
  const ExpSplit<float> split = split_by_ln2(x);
  return scale_normal(exp_polynomial(split.rest), split.sum);
}

}  // namespace detail

TESSERA_HD float exp(float x) {
  return detail::is_moderate_exponent(x) ? detail::exp_moderate(x) : detail::exp_of(x);
}
TESSERA_HD double exp(double x) { return detail::exp_of(x); }
TESSERA_HD float exp2(float x) { return detail::exp2_of(x); }
TESSERA_HD double exp2(double x) { return detail::exp2_of(x); }
TESSERA_HD float expm1(float x) { return detail::expm1_of(x); }
TESSERA_HD double expm1(double x) { return detail::expm1_of(x); }

/// On a GPU one instruction, whose last bits are its own: at most 2 ulp, denormals become 0. Elsewhere one step of
/// scaling: 2^(n - 1) is 0 for n <= -126, and twice the polynomial lets n reach 128.
TESSERA_HD float exp2_fast(float x) {
#if defined(__CUDA_ARCH__)
  float result;
  asm("ex2.approx.ftz.f32 %0, %1;" : "=f"(result) : "f"(x));
  return result;
#else
  const float bounded = clamp(x, -126.0f, 129.0f);
  const float sum = bounded + detail::Format<float>::kRounder;
  const float rest = bounded - (sum - detail::Format<float>::kRounder);
  return detail::twice_exp2_fast_polynomial(rest) * detail::power_of_two(sum, -1);
#endif
}
TESSERA_HD float exp_fast(float x) { return exp2_fast(x * detail::ExpConstants<float>::kLog2E); }

TESSERA_HD float div_fast(float a, float b) { return a * (1.0f / b); }

}  // namespace tessera::math
