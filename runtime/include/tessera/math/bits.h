// SPDX-License-Identifier: Apache-2.0
// Floats as bit patterns, and the few exactly rounded operations that the elementary functions are made of.
#pragma once

#include <cstdint>
#include <cstring>

#include "tessera/config.h"

namespace tessera::math {

/// The bits of `x`.
TESSERA_HD std::uint32_t to_bits(float x) {
  std::uint32_t bits;
  std::memcpy(&bits, &x, sizeof bits);
  return bits;
}
TESSERA_HD std::uint64_t to_bits(double x) {
  std::uint64_t bits;
  std::memcpy(&bits, &x, sizeof bits);
  return bits;
}

/// The float (or double) whose bits these are.
TESSERA_HD float from_bits(std::uint32_t bits) {
  float x;
  std::memcpy(&x, &bits, sizeof x);
  return x;
}
TESSERA_HD double from_bits(std::uint64_t bits) {
  double x;
  std::memcpy(&x, &bits, sizeof x);
  return x;
}

/// a * b + c, rounded once.
TESSERA_HD float fma(float a, float b, float c) {
#if TESSERA_ON_DEVICE
  return __fmaf_rn(a, b, c);
#else
  return __builtin_fmaf(a, b, c);
#endif
}
TESSERA_HD double fma(double a, double b, double c) {
#if TESSERA_ON_DEVICE
  return __fma_rn(a, b, c);
#else
  return __builtin_fma(a, b, c);
#endif
}

/// The square root, correctly rounded; NaN below zero, sqrt(-0) = -0.
TESSERA_HD float sqrt(float x) {
#if TESSERA_ON_DEVICE
  return __fsqrt_rn(x);
#else
  return __builtin_sqrtf(x);
#endif
}
TESSERA_HD double sqrt(double x) {
#if TESSERA_ON_DEVICE
  return __dsqrt_rn(x);
#else
  return __builtin_sqrt(x);
#endif
}

namespace detail {

/// 1 / x, correctly rounded, for 2^-100 <= |x| <= 2^100. On the device an approximation and one Newton step:
/// what a division does once it has seen that its operands are moderate, without looking.
TESSERA_HD float reciprocal_of_moderate(float x) {
#if TESSERA_ON_DEVICE
  float near;
  asm("rcp.approx.ftz.f32 %0, %1;" : "=f"(near) : "f"(x));
  return fma(near, fma(-x, near, 1.0f), near);
#else
  return 1.0f / x;
#endif
}
TESSERA_HD double reciprocal_of_moderate(double x) { return 1.0 / x; }

/// x / y for finite x and y as above: correctly rounded by the remainder of a first quotient (Markstein 1990) where that is no
/// denormal, |x| >= 2^-100; within one unit of the last place below, and +0 for -0. The same bits on every machine.
TESSERA_HD float quotient_by_moderate(float x, float y) {
  const float reciprocal = reciprocal_of_moderate(y);
  const float near = x * reciprocal;
  return fma(fma(-near, y, x), reciprocal, near);
}
TESSERA_HD double quotient_by_moderate(double x, double y) { return x / y; }

/// The parameters of a binary format that the algorithms below need, for float and double.
template <typename T>
struct Format;

template <>
struct Format<float> {
  using Bits = std::uint32_t;
  using Int = std::int32_t;
  static constexpr int kMantissaBits = 23;
  static constexpr int kBias = 127;
  static constexpr Bits kSignBit = 0x80000000u;
  static constexpr Bits kInfinityBits = 0x7f800000u;
  static constexpr Bits kOneBits = 0x3f800000u;
  /// 1.5 * 2^23: adding it rounds to an integer, which then stands in the low bits of the sum.
  static constexpr float kRounder = 0x1.8p23f;
  /// Below it an odd function with slope 1 at zero, and expm1 and log1p, round to their argument.
  static constexpr float kTiny = 0x1p-40f;
};

template <>
struct Format<double> {
  using Bits = std::uint64_t;
  using Int = std::int64_t;
  static constexpr int kMantissaBits = 52;
  static constexpr int kBias = 1023;
  static constexpr Bits kSignBit = 0x8000000000000000u;
  static constexpr Bits kInfinityBits = 0x7ff0000000000000u;
  static constexpr Bits kOneBits = 0x3ff0000000000000u;
  static constexpr double kRounder = 0x1.8p52;
  static constexpr double kTiny = 0x1p-80;
};

template <typename T>
using BitsOf = typename Format<T>::Bits;
template <typename T>
using IntOf = typename Format<T>::Int;

template <typename T>
TESSERA_HD T infinity() {
  return from_bits(Format<T>::kInfinityBits);
}

/// The quiet NaN with a clear sign, 0x7fc00000 or 0x7ff8000000000000.
template <typename T>
TESSERA_HD T quiet_nan() {
  return from_bits(static_cast<BitsOf<T>>(Format<T>::kInfinityBits | (Format<T>::kInfinityBits >> 1)));
}

/// `x` with the sign bit of `sign` in place of its own.
template <typename T>
TESSERA_HD T with_sign(T x, T sign) {
  constexpr BitsOf<T> kSign = Format<T>::kSignBit;
  return from_bits(static_cast<BitsOf<T>>((to_bits(x) & ~kSign) | (to_bits(sign) & kSign)));
}

/// c0 + x * (c1 + x * (c2 + …)), each step one fma.
template <typename T>
TESSERA_HD T horner(T, T c0) {
  return c0;
}
template <typename T, typename... Rest>
TESSERA_HD T horner(T x, T c0, T c1, Rest... rest) {
  return fma(horner(x, c1, rest...), x, c0);
}

/// 2^n from a sum with Format::kRounder, whose low bits hold n: the bits above fall off the left end. `shift`
/// is added to n. For n + shift outside the normal exponents the result is not a power of two (one below
/// gives 0, one above infinity).
template <typename T>
TESSERA_HD T power_of_two(T sum_with_rounder, int shift) {
  using Bits = BitsOf<T>;
  return from_bits(
      static_cast<Bits>((to_bits(sum_with_rounder) << Format<T>::kMantissaBits) +
                        (static_cast<Bits>(Format<T>::kBias + shift) << Format<T>::kMantissaBits)));
}

}  // namespace detail
}  // namespace tessera::math
