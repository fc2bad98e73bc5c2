// SPDX-License-Identifier: Apache-2.0
// The activations. Each is a factor times e^-y with y >= 0 on its vanishing side, computed there without
// cancellation down to the denormals: the power of two is kept 2^kHeadroom too large until the last product.
#pragma once

#include "tessera/math/exp.h"

namespace tessera::math {
namespace detail {

/// The headroom, and the magnitude from which each activation is 0 on its vanishing side.
template <typename T>
struct ActivationConstants;

template <>
struct ActivationConstants<float> {
  static constexpr int kHeadroom = 64;
  static constexpr float kUndo = 0x1p-64f;
  static constexpr float kSigmoidReach = 110.0f, kGeluReach = 14.5f, kGeluTanhReach = 11.0f;
  static constexpr float kNormalOffset = 3.5f, kNormalMiddle = 0.171875f;
  // 2 √(2/π) in two words, the leading one a multiple of 2^-20; 0.044715 times it in two words.
  static constexpr float kSlopeHigh = 0x1.98845p0f, kSlopeLow = 0x1.9ea1b2p-23f;
  static constexpr float kCubicHigh = 0x1.2444f2p-4f, kCubicLow = 0x1.49b16ap-29f;
};

template <>
struct ActivationConstants<double> {
  static constexpr int kHeadroom = 128;
  static constexpr double kUndo = 0x1p-128;
  static constexpr double kSigmoidReach = 753.0, kGeluReach = 39.0, kGeluTanhReach = 21.75;
  static constexpr double kNormalOffset = 4.0, kNormalMiddle = 0.125;
  // As above, with a multiple of 2^-46.
  static constexpr double kSlopeHigh = 0x1.9884533d4364p0, kSlopeLow = 0x1.08d0fcb3c500cp-48;
  static constexpr double kCubicHigh = 0x1.2444f2a4d8b4bp-4, kCubicLow = -0x1.6c843a29d1c7p-61;
};

/// e^-(y + y_low) as mantissa * power, where power = 2^(n + kHeadroom) and mantissa is in [0.7, 1.42].
template <typename T>
struct ScaledExp {
  T mantissa;
  T power;
};

template <typename T>
TESSERA_HD ScaledExp<T> scaled_exp_of_minus(T y, T y_low) {
  const ExpSplit<T> split = split_by_ln2(-y);
  return {exp_polynomial(split.rest - y_low), power_of_two(split.sum, ActivationConstants<T>::kHeadroom)};
}

/// x / (1 + e^-y) where x and y have the same sign, given e^-|y| scaled and a = |x| bounded: for negative x,
/// -a e^-|y| / (1 + e^-|y|).
template <typename T>
TESSERA_HD T gated(T x, T a, ScaledExp<T> e) {
  const T large = e.mantissa * e.power;
  const T numerator = x < T(0) ? -(a * large) * ActivationConstants<T>::kUndo : x;
  const T denominator = fma(large, ActivationConstants<T>::kUndo, T(1));
  const bool is_itself = (denominator == T(1)) | (numerator == T(0));  // infinity, and the sign of zero
  return is_itself ? numerator : quotient_by_moderate(numerator, denominator);
}

template <typename T>
TESSERA_HD T sigmoid_of(T x) {
  const ScaledExp<T> scaled = scaled_exp_of_minus(min(abs(x), ActivationConstants<T>::kSigmoidReach), T(0));
  const T e = scaled.mantissa * scaled.power * ActivationConstants<T>::kUndo;
  return quotient_by_moderate(x < T(0) ? e : T(1), T(1) + e);
}

template <typename T>
TESSERA_HD T silu_of(T x) {
  const T a = min(abs(x), ActivationConstants<T>::kSigmoidReach);
  return gated(x, a, scaled_exp_of_minus(a, T(0)));
}

/// x (1 + tanh u) / 2 = x / (1 + e^-2u), with 2u = a (c0 + c1 a²) in two words: an error of 2u is one of the
/// result, as many times larger as 2u is. c0's leading word is short so that subtracting it is exact.
template <typename T>
TESSERA_HD T gelu_tanh_of(T x) {
  using K = ActivationConstants<T>;
  const T a = min(abs(x), K::kGeluTanhReach);
  const T square = a * a;
  const T square_low = fma(a, a, -square);
  const T slope = fma(K::kCubicHigh, square, K::kSlopeHigh);
  const T slope_low = fma(K::kCubicHigh, square, K::kSlopeHigh - slope) +
                      fma(K::kCubicLow, square, fma(K::kCubicHigh, square_low, K::kSlopeLow));
  const T y = a * slope;
  const T y_low = fma(a, slope, -y) + a * slope_low;
  return gated(x, a, scaled_exp_of_minus(y, y_low));
}

/// e^(a²/2) Φ(-a) = r S(r) for a >= 0, where Φ is the normal distribution, r = 1 / (a + offset) and S varies
/// little.
template <typename T>
TESSERA_HD T normal_tail(T a) {
  using K = ActivationConstants<T>;
  const T r = reciprocal_of_moderate(a + K::kNormalOffset);
  return r * normal_tail_polynomial(r - K::kNormalMiddle);
}

/// x Φ(x): with t = a Φ(-a), a = |x|, it is -t for negative x and x - t otherwise. a²/2 is needed to more
/// digits than it has: an error of the exponent is one of the result, as many times larger.
template <typename T>
TESSERA_HD T gelu_of(T x) {
  using K = ActivationConstants<T>;
  const T a = min(abs(x), K::kGeluReach);
  const T square = a * a;
  const T square_low = fma(a, a, -square);
  const ExpSplit<T> split = split_by_ln2(T(-0.5) * square);
  const T e = exp_polynomial(fma(T(-0.5), square_low, split.rest));
  const T t = ((a * power_of_two(split.sum, K::kHeadroom)) * e) * normal_tail(a);
  return fma(-t, K::kUndo, max(x, T(-0.0)));
}

}  // namespace detail

TESSERA_HD float sigmoid(float x) { return detail::sigmoid_of(x); }
TESSERA_HD double sigmoid(double x) { return detail::sigmoid_of(x); }
TESSERA_HD float silu(float x) { return detail::silu_of(x); }
TESSERA_HD double silu(double x) { return detail::silu_of(x); }
TESSERA_HD float relu(float x) { return max(x, 0.0f); }
TESSERA_HD double relu(double x) { return max(x, 0.0); }
TESSERA_HD float gelu(float x) { return detail::gelu_of(x); }
TESSERA_HD double gelu(double x) { return detail::gelu_of(x); }
TESSERA_HD float gelu_tanh(float x) { return detail::gelu_tanh_of(x); }
TESSERA_HD double gelu_tanh(double x) { return detail::gelu_tanh_of(x); }

}  // namespace tessera::math
