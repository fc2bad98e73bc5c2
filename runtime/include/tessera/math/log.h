// SPDX-License-Identifier: Apache-2.0
// log, log2 and log1p: the argument is 2^n m with m near 1, log m a polynomial (f32) or a series in
// s = (m - 1) / (m + 1) (f64).
#pragma once

#include "tessera/math/bits.h"
#include "tessera/math/coefficients.h"
#include "tessera/math/double_word.h"
#include "tessera/math/order.h"

namespace tessera::math {
namespace detail {

/// The smallest m of a split (2/3 for f32, whose polynomial wants a symmetric range; √½ for f64), the factor
/// that lifts denormals, and log 2 in two words, of which the upper times any exponent is exact.
template <typename T>
struct LogConstants;

template <>
struct LogConstants<float> {
  static constexpr std::uint32_t kLowestBits = 0x3f2aaaabu;
  static constexpr float kSmallestNormal = 0x1p-126f;
  static constexpr float kLift = 0x1p23f, kLiftExponent = 23.0f;
  static constexpr float kLn2 = 0x1.62e43p-1f;
};

template <>
struct LogConstants<double> {
  static constexpr std::uint64_t kLowestBits = 0x3fe6a09e667f3bcdu;
  static constexpr double kSmallestNormal = 0x1p-1022;
  static constexpr double kLift = 0x1p52, kLiftExponent = 52.0;
  static constexpr double kLn2High = 0x1.62e42fefa38p-1, kLn2Low = 0x1.ef35793c7673p-45;
};

/// x = 2^exponent mantissa, mantissa in [kLowest, 2 kLowest).
template <typename T>
struct LogSplit {
  T exponent;
  T mantissa;
};

/// The bits of 2^n, less those of 1, for the n that puts x 2^-n into [kLowest, 2 kLowest).
template <typename T>
TESSERA_HD BitsOf<T> exponent_field(T x) {
  return (to_bits(x) - LogConstants<T>::kLowestBits) & (Format<T>::kSignBit | Format<T>::kInfinityBits);
}

/// The integer n of such a field, as a float: it is added to the low bits of kRounder.
template <typename T>
TESSERA_HD T exponent_value(BitsOf<T> field) {
  const IntOf<T> exponent = static_cast<IntOf<T>>(field) >> Format<T>::kMantissaBits;
  const T sum =
      from_bits(static_cast<BitsOf<T>>(to_bits(Format<T>::kRounder) + static_cast<BitsOf<T>>(exponent)));
  return sum - Format<T>::kRounder;
}

/// Splits a positive finite x.
template <typename T>
TESSERA_HD LogSplit<T> split_exponent(T x) {
  using K = LogConstants<T>;
  const bool denormal = x < K::kSmallestNormal;
  const T lifted = denormal ? x * K::kLift : x;
  const BitsOf<T> field = exponent_field(lifted);
  const T mantissa = from_bits(static_cast<BitsOf<T>>(to_bits(lifted) - field));
  return {exponent_value<T>(field) - (denormal ? K::kLiftExponent : T(0)), mantissa};
}

/// True where a logarithm is an ordinary number: x positive and finite.
template <typename T>
TESSERA_HD bool is_positive_finite(T x) {
  return to_bits(x) - 1 < Format<T>::kInfinityBits - 1;
}

/// The logarithm of an x that is zero, negative, infinite or NaN.
template <typename T>
TESSERA_HD T log_special(T x) {
  if (x == T(0)) return -infinity<T>();
  return x < T(0) ? quiet_nan<T>() : x + x;
}

/// exponent log 2 + log(1 + f) for f in the range of the mantissas less 1.
TESSERA_HD float log_of_split(float exponent, float f) {
  return fma(exponent, LogConstants<float>::kLn2, fma(f * f, log1p_tail(f), f));
}

/// As above. With s = f / (2 + f), log(1 + f) = 2 s + s^3 series(s^2) and 2 s = f - f²/2 + s f²/2: f, the
/// largest term, is exact and is added last.
TESSERA_HD double log_of_split(double exponent, double f) {
  using K = LogConstants<double>;
  const double s = f / (2.0 + f);
  const double z = s * s;
  const double half_square = 0.5 * f * f;
  const double correction = fma(s, fma(z, log_series(z), half_square), exponent * K::kLn2Low);
  return fma(exponent, K::kLn2High, f - (half_square - correction));
}

template <typename T>
TESSERA_HD T log_of(T x) {
  if (!is_positive_finite(x)) return log_special(x);
  const LogSplit<T> split = split_exponent(x);
  return log_of_split(split.exponent, split.mantissa - T(1));
}

/// 1 + x = 2^n (1 + f), where f = 2^-n x + (2^-n - 1) is rounded once from x itself. 2^-n is held times 4,
/// since n reaches the largest exponent.
template <typename T>
TESSERA_HD T log1p_of(T x) {
  using Bits = BitsOf<T>;
  if (abs(x) < Format<T>::kTiny) return x;
  if (!(x > T(-1) && x < infinity<T>()))
    return x == T(-1) ? -infinity<T>() : log_special(x < T(-1) ? x : x + x);
  const Bits field = exponent_field(T(1) + x);
  const T four_scale = from_bits(static_cast<Bits>(to_bits(T(4)) - field));
  const T f = fma(T(0.25) * x, four_scale, fma(T(0.25), four_scale, T(-1)));
  return log_of_split(exponent_value<T>(field), f);
}

}  // namespace detail

TESSERA_HD float log(float x) { return detail::log_of(x); }
TESSERA_HD double log(double x) { return detail::log_of(x); }
TESSERA_HD float log1p(float x) { return detail::log1p_of(x); }
TESSERA_HD double log1p(double x) { return detail::log1p_of(x); }

TESSERA_HD float log2(float x) {
  if (!detail::is_positive_finite(x)) return detail::log_special(x);
  const detail::LogSplit<float> split = detail::split_exponent(x);
  const float f = split.mantissa - 1.0f;
  const float sum = fma(f, detail::log2_high(), split.exponent);
  const float lost = fma(f, detail::log2_high(), split.exponent - sum);
  return sum + fma(f, detail::log2_tail(f), lost);
}
TESSERA_HD double log2(double x) {
  if (!detail::is_positive_finite(x)) return detail::log_special(x);
  const detail::LogSplit<double> split = detail::split_exponent(x);
  return detail::log2_double_word(split.exponent, split.mantissa).high;
}

}  // namespace tessera::math
