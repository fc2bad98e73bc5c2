// SPDX-License-Identifier: Apache-2.0
// Exact functions: magnitude, minimum and maximum that propagate NaN, rounding to integers.
#pragma once

#include "tessera/math/bits.h"

namespace tessera::math {
namespace detail {

template <typename T>
TESSERA_HD T magnitude(T x) {
  return from_bits(static_cast<BitsOf<T>>(to_bits(x) & ~Format<T>::kSignBit));
}

/// Equal arguments have equal bits or are zeros; and-ing them prefers +0, or-ing them -0.
template <typename T>
TESSERA_HD T larger(T a, T b) {
  if (a == b) return from_bits(static_cast<BitsOf<T>>(to_bits(a) & to_bits(b)));
  return a > b ? a : b > a ? b : a + b;
}
template <typename T>
TESSERA_HD T smaller(T a, T b) {
  if (a == b) return from_bits(static_cast<BitsOf<T>>(to_bits(a) | to_bits(b)));
  return a < b ? a : b < a ? b : a + b;
}

#if TESSERA_DEVICE_ARCH >= 800
/// max.NaN.f32
__device__ inline float max_nan(float a, float b) {
  float result;
  asm("max.NaN.f32 %0, %1, %2;" : "=f"(result) : "f"(a), "f"(b));
  return result;
}

/// min.NaN.f32
__device__ inline float min_nan(float a, float b) {
  float result;
  asm("min.NaN.f32 %0, %1, %2;" : "=f"(result) : "f"(a), "f"(b));
  return result;
}
#endif

}  // namespace detail

/// On the device the compiler's own, which most instructions take as a modifier of an operand.
TESSERA_HD float abs(float x) {
#if TESSERA_ON_DEVICE
  return ::fabsf(x);
#else
  return detail::magnitude(x);
#endif
}
TESSERA_HD double abs(double x) { return detail::magnitude(x); }

TESSERA_HD float max(float a, float b) {
#if TESSERA_DEVICE_ARCH >= 800
  return detail::max_nan(a, b);
#else
  return detail::larger(a, b);
#endif
}
TESSERA_HD double max(double a, double b) { return detail::larger(a, b); }

TESSERA_HD float min(float a, float b) {
#if TESSERA_DEVICE_ARCH >= 800
  return detail::min_nan(a, b);
#else
  return detail::smaller(a, b);
#endif
}
TESSERA_HD double min(double a, double b) { return detail::smaller(a, b); }

TESSERA_HD float clamp(float x, float low, float high) { return min(max(x, low), high); }
TESSERA_HD double clamp(double x, double low, double high) { return min(max(x, low), high); }

TESSERA_HD float round_tf32(float x) {
  const std::uint32_t bits = to_bits(x);
  const bool is_finite = (bits & 0x7f800000u) != 0x7f800000u;
  return is_finite ? from_bits((bits + 0xfffu + (bits >> 13 & 1u)) & ~0x1fffu) : x;
}

// Each of the following is one instruction on the device and exact everywhere, so the compiler's own may
// serve.
#if TESSERA_ON_DEVICE
TESSERA_HD float floor(float x) { return ::floorf(x); }
TESSERA_HD double floor(double x) { return ::floor(x); }
TESSERA_HD float ceil(float x) { return ::ceilf(x); }
TESSERA_HD double ceil(double x) { return ::ceil(x); }
TESSERA_HD float round(float x) { return ::rintf(x); }
TESSERA_HD double round(double x) { return ::rint(x); }
TESSERA_HD float trunc(float x) { return ::truncf(x); }
TESSERA_HD double trunc(double x) { return ::trunc(x); }
#else
TESSERA_HD float floor(float x) { return __builtin_floorf(x); }
TESSERA_HD double floor(double x) { return __builtin_floor(x); }
TESSERA_HD float ceil(float x) { return __builtin_ceilf(x); }
TESSERA_HD double ceil(double x) { return __builtin_ceil(x); }
TESSERA_HD float round(float x) { return __builtin_rintf(x); }
TESSERA_HD double round(double x) { return __builtin_rint(x); }
TESSERA_HD float trunc(float x) { return __builtin_truncf(x); }
TESSERA_HD double trunc(double x) { return __builtin_trunc(x); }
#endif

}  // namespace tessera::math
