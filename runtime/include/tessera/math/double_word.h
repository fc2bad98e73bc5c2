// SPDX-License-Identifier: Apache-2.0
// log2 to nearly twice the working precision, as an unevaluated sum of two words; pow and the f64 log2 need
// it.
#pragma once

#include "tessera/math/bits.h"
#include "tessera/math/coefficients.h"

namespace tessera::math::detail {

/// high + low, with |low| a few units in the last place of high at most.
template <typename T>
struct DoubleWord {
  T high;
  T low;
};

/// 2 / log 2 and a third of it: the first coefficients of log2((1 + s) / (1 - s)) / s in z = s².
template <typename T>
struct Log2Series;

template <>
struct Log2Series<float> {
  static constexpr float kFirstHigh = 0x1.715476p1f, kFirstLow = 0x1.4ae0cp-25f;
  static constexpr float kThirdHigh = 0x1.ec709ep-1f, kThirdLow = -0x1.e2fe02p-28f;
};

template <>
struct Log2Series<double> {
  static constexpr double kFirstHigh = 0x1.71547652b82fep1, kFirstLow = 0x1.777d0ffda0d24p-55;
  static constexpr double kThirdHigh = 0x1.ec709dc3a03fdp-1, kThirdLow = 0x1.d27f05548af0cp-55;
};

/// a + b for |a| >= |b| or a = 0, exactly.
template <typename T>
TESSERA_HD DoubleWord<T> fast_two_sum(T a, T b) {
  const T sum = a + b;
  return {sum, (a - sum) + b};
}

/// a * b to about twice the precision.
template <typename T>
TESSERA_HD DoubleWord<T> multiply(DoubleWord<T> a, DoubleWord<T> b) {
  const T high = a.high * b.high;
  const T low = fma(a.high, b.high, -high) + fma(a.high, b.low, a.low * b.high);
  return {high, low};
}

/// (m - 1) / (m + 1) for m in [2/3, √2]: the quotient of the rounded parts, then what its remainder adds.
template <typename T>
TESSERA_HD DoubleWord<T> atanh_argument(T m) {
  const T numerator = m - T(1);
  const T denominator = m + T(1);
  const T denominator_low = m - (denominator - T(1));
  const T quotient = numerator / denominator;
  const T remainder = fma(-quotient, denominator_low, fma(-quotient, denominator, numerator));
  return {quotient, remainder / denominator};
}

/// exponent + log2(m); relative error about 2^-64 for double and 2^-35 for float.
template <typename T>
TESSERA_HD DoubleWord<T> log2_double_word(T exponent, T m) {
  using K = Log2Series<T>;
  const DoubleWord<T> s = atanh_argument(m);
  const DoubleWord<T> z = multiply(s, s);
  const T tail = z.high * log2_series_tail(z.high);
  const DoubleWord<T> third = fast_two_sum(K::kThirdHigh, tail);
  const DoubleWord<T> rest = multiply(z, DoubleWord<T>{third.high, third.low + K::kThirdLow});
  const DoubleWord<T> first = fast_two_sum(K::kFirstHigh, rest.high);
  const DoubleWord<T> mantissa_log =
      multiply(s, DoubleWord<T>{first.high, first.low + (rest.low + K::kFirstLow)});
  const DoubleWord<T> sum = fast_two_sum(exponent, mantissa_log.high);
  return fast_two_sum(sum.high, sum.low + mantissa_log.low);
}

}  // namespace tessera::math::detail
