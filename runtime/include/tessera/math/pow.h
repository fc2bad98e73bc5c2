// SPDX-License-Identifier: Apache-2.0
// pow: 2^(y log2 x) with the logarithm and the product in two words, and the special cases of IEEE 754.
#pragma once

#include "tessera/math/double_word.h"
#include "tessera/math/exp.h"
#include "tessera/math/log.h"

namespace tessera::math {
namespace detail {

template <typename T>
TESSERA_HD bool is_odd_integer(T y) {
  return trunc(y) == y && trunc(y * T(0.5)) != y * T(0.5);
}

/// 2^(p.high + p.low); p.high may be infinite.
template <typename T>
TESSERA_HD T exp2_double_word(DoubleWord<T> p) {
  using K = ExpConstants<T>;
  const T bounded = clamp(p.high, K::kExp2Low, K::kExp2High);
  const T low = bounded == p.high ? p.low : T(0);
  const T sum = bounded + Format<T>::kRounder;
  const T rest = (bounded - (sum - Format<T>::kRounder)) + low;
  return scale_by_power(exp2_polynomial(rest), sum);
}

/// x^y for positive finite x and finite y.
template <typename T>
TESSERA_HD T pow_of_positive(T x, T y) {
  const LogSplit<T> split = split_exponent(x);
  const DoubleWord<T> log2_x = log2_double_word(split.exponent, split.mantissa);
  const T high = y * log2_x.high;
  const T low = fma(y, log2_x.high, -high) + y * log2_x.low;
  return exp2_double_word(DoubleWord<T>{high, low});
}

/// |x|^y where x is 0 or infinite or y is infinite.
template <typename T>
TESSERA_HD T pow_at_limit(T magnitude, T y) {
  if (magnitude == T(1)) return T(1);
  return (magnitude < T(1)) == (y > T(0)) ? T(0) : infinity<T>();
}

template <typename T>
TESSERA_HD T pow_of(T x, T y) {
  if (x == T(1) || y == T(0)) return T(1);
  if (x != x || y != y) return x + y;
  const T magnitude = abs(x);
  const bool at_limit = !is_positive_finite(magnitude) || abs(y) == infinity<T>();
  if (x < T(0) && !at_limit && trunc(y) != y) return quiet_nan<T>();
  const T result = at_limit ? pow_at_limit(magnitude, y) : pow_of_positive(magnitude, y);
  return is_odd_integer(y) ? with_sign(result, x) : result;
}

}  // namespace detail

TESSERA_HD float pow(float x, float y) { return detail::pow_of(x, y); }
TESSERA_HD double pow(double x, double y) { return detail::pow_of(x, y); }

}  // namespace tessera::math
