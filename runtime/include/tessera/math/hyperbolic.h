// SPDX-License-Identifier: Apache-2.0
// tanh and erf: both are made of expm1, which keeps them accurate near zero without a second formula.
#pragma once

#include "tessera/math/exp.h"

namespace tessera::math {
namespace detail {

/// Where tanh and erf round to 1, or a little above.
template <typename T>
struct Saturation;

template <>
struct Saturation<float> {
  static constexpr float kTanh = 9.25f, kErf = 3.93f;
};

template <>
struct Saturation<double> {
  static constexpr double kTanh = 19.5, kErf = 5.95;
};

/// tanh |x| = e / (e + 2) with e = e^(2 |x|) - 1.
template <typename T>
TESSERA_HD T tanh_of(T x) {
  const T bounded = min(abs(x), Saturation<T>::kTanh);
  const T e = expm1_moderate(bounded + bounded);
  return with_sign(quotient_by_moderate(e, e + T(2)), x);
}

/// erf |x| = 1 - e^-y with y = |x| p(|x|), the first coefficient of p in two words.
TESSERA_HD float erf_of_positive(float x) {
  const float y = fma(x, erf_high_float(), x * erf_exponent_tail(x));
  return -expm1_moderate(-y);
}

/// From 1 on as for float, with y a polynomial in x - 1; below by a series of its own.
TESSERA_HD double erf_of_positive(double x) {
  if (x < 1.0) {
    const double z = x * x;
    return fma(x, erf_high_double(), x * erf_tail(z));
  }
  return -expm1_moderate(-erf_exponent(x - 1.0));
}

template <typename T>
TESSERA_HD T erf_of(T x) {
  return with_sign(erf_of_positive(min(abs(x), Saturation<T>::kErf)), x);
}

}  // namespace detail

TESSERA_HD float tanh(float x) { return detail::tanh_of(x); }
TESSERA_HD double tanh(double x) { return detail::tanh_of(x); }
TESSERA_HD float erf(float x) { return detail::erf_of(x); }
TESSERA_HD double erf(double x) { return detail::erf_of(x); }

}  // namespace tessera::math
