// SPDX-License-Identifier: Apache-2.0
// sin and cos: the argument is reduced to a quarter turn around zero, where both are short polynomials.
#pragma once

#include "tessera/math/bits.h"
#include "tessera/math/coefficients.h"
#include "tessera/math/order.h"
#include "tessera/math/trig_reduction.h"

namespace tessera::math {
namespace detail {

TESSERA_HD float sin_near_zero(DoubleWord<float> r) {
  const float z = r.high * r.high;
  return fma(r.high * z, sin_tail(z), r.high);
}
TESSERA_HD double sin_near_zero(DoubleWord<double> r) {
  const double z = r.high * r.high;
  const double low = fma(-0.5 * z, r.low, r.low);
  return r.high + fma(r.high * z, sin_tail(z), low);
}

TESSERA_HD float cos_near_zero(DoubleWord<float> r) {
  const float z = r.high * r.high;
  return fma(z, fma(z, cos_tail(z), -0.5f), 1.0f);
}
TESSERA_HD double cos_near_zero(DoubleWord<double> r) {
  const double z = r.high * r.high;
  const double half_square = 0.5 * z;
  const double leading = 1.0 - half_square;
  const double lost = (1.0 - leading) - half_square;
  return leading + (lost + fma(z * z, cos_tail(z), -r.high * r.low));
}

/// The sine of x plus `quarters` quarter turns.
template <typename T>
TESSERA_HD T sine(T x, int quarters) {
  if (!(abs(x) < infinity<T>())) return x - x;
  const QuarterTurns<T> reduced = reduce_to_quarter_turn(x);
  const int turns = reduced.turns + quarters;
  const T value = (turns & 1) != 0 ? cos_near_zero(reduced.rest) : sin_near_zero(reduced.rest);
  return (turns & 2) != 0 ? -value : value;
}

}  // namespace detail

TESSERA_HD float sin(float x) { return abs(x) < detail::Format<float>::kTiny ? x : detail::sine(x, 0); }
TESSERA_HD double sin(double x) { return abs(x) < detail::Format<double>::kTiny ? x : detail::sine(x, 0); }
TESSERA_HD float cos(float x) { return detail::sine(x, 1); }
TESSERA_HD double cos(double x) { return detail::sine(x, 1); }

}  // namespace tessera::math
