// SPDX-License-Identifier: Apache-2.0
// Integer arithmetic of kernels: every operation is defined for every operand. Sums and products wrap,
// division and modulo floor, a divisor of zero gives zero, shifts may exceed the width, conversions from
// floats saturate.
#pragma once

#include <cstdint>
#include <limits>
#include <type_traits>

#include "tessera/config.h"
#include "tessera/narrow.h"

namespace tessera::integer {
namespace detail {

/// The unsigned type in which arithmetic on I wraps: at least 32 bits, so that no promotion to a signed int
/// interferes.
template <typename I>
using Wrapping = std::conditional_t<(sizeof(I) < 4), std::uint32_t, std::make_unsigned_t<I>>;

template <typename I>
constexpr int kWidth = 8 * static_cast<int>(sizeof(I));

template <typename I>
constexpr I kLargest = std::numeric_limits<I>::max();

template <typename I>
constexpr I kSmallest = std::numeric_limits<I>::min();

template <typename I>
TESSERA_HD constexpr bool is_negative(I a) {
  if constexpr (std::is_signed_v<I>) {
    return a < 0;
  } else {
    return false;
  }
}

/// Whether 0 <= count < the width of I.
template <typename I, typename Count>
TESSERA_HD constexpr bool is_within_width(Count count) {
  static_assert(std::is_integral_v<Count>, "a shift count is an integer");
  return static_cast<std::make_unsigned_t<Count>>(count) < static_cast<unsigned>(kWidth<I>);
}

}  // namespace detail

/// a + b, a - b, a * b and -a modulo 2^width.
template <typename I>
TESSERA_HD constexpr I add(I a, I b) {
  using U = detail::Wrapping<I>;
  return static_cast<I>(static_cast<U>(a) + static_cast<U>(b));
}
template <typename I>
TESSERA_HD constexpr I subtract(I a, I b) {
  using U = detail::Wrapping<I>;
  return static_cast<I>(static_cast<U>(a) - static_cast<U>(b));
}
template <typename I>
TESSERA_HD constexpr I multiply(I a, I b) {
  using U = detail::Wrapping<I>;
  return static_cast<I>(static_cast<U>(a) * static_cast<U>(b));
}
template <typename I>
TESSERA_HD constexpr I negate(I a) {
  return subtract(I{0}, a);
}

/// |a|; the smallest signed integer is its own.
template <typename I>
TESSERA_HD constexpr I abs(I a) {
  return detail::is_negative(a) ? negate(a) : a;
}

/// The largest integer not above a / b; 0 where b is 0. The smallest signed integer over -1 wraps to itself.
template <typename I>
TESSERA_HD constexpr I divide(I a, I b) {
  if (b == I{0}) return I{0};
  if constexpr (std::is_signed_v<I>) {
    if (b == I{-1}) return negate(a);
    const I quotient = static_cast<I>(a / b);
    const bool inexact_and_negative = static_cast<I>(a % b) != 0 && (a < 0) != (b < 0);
    return static_cast<I>(quotient - (inexact_and_negative ? 1 : 0));
  } else {
    return static_cast<I>(a / b);
  }
}

/// a - b * floor(a / b), which has the sign of b; 0 where b is 0.
template <typename I>
TESSERA_HD constexpr I modulo(I a, I b) {
  if (b == I{0}) return I{0};
  if constexpr (std::is_signed_v<I>) {
    if (b == I{-1}) return I{0};
    const I remainder = static_cast<I>(a % b);
    return remainder != 0 && (remainder < 0) != (b < 0) ? static_cast<I>(remainder + b) : remainder;
  } else {
    return static_cast<I>(a % b);
  }
}

/// a * 2^count modulo 2^width. A count of the width or more gives 0; so does a negative one, being read as
/// unsigned and therefore huge.
template <typename I, typename Count>
TESSERA_HD constexpr I shift_left(I a, Count count) {
  return detail::is_within_width<I>(count) ? static_cast<I>(static_cast<detail::Wrapping<I>>(a) << count)
                                           : I{0};
}

/// floor(a / 2^count). A count of the width or more, or a negative one, leaves the sign: -1 or 0.
template <typename I, typename Count>
TESSERA_HD constexpr I shift_right(I a, Count count) {
  if (detail::is_within_width<I>(count)) return static_cast<I>(a >> count);
  return detail::is_negative(a) ? static_cast<I>(-1) : I{0};
}

namespace detail {

#if TESSERA_ON_DEVICE
/// `x` truncated to 32 bits: what lies outside saturates, NaN gives 0.
template <typename I>
__device__ __forceinline__ I truncate(float x) {
  if constexpr (std::is_signed_v<I>) {
    return __float2int_rz(x);
  } else {
    return __float2uint_rz(x);
  }
}
template <typename I>
__device__ __forceinline__ I truncate(double x) {
  if constexpr (std::is_signed_v<I>) {
    return x == x ? __double2int_rz(x) : 0;
  } else {
    return x == x ? __double2uint_rz(x) : 0u;
  }
}

/// Two integers saturated to 8 or 16 bits, `low` in the lower byte or half; above two bytes the lower half of `above`.
template <typename I>
__device__ __forceinline__ std::uint32_t pack_saturated(int low, int high,
                                                        [[maybe_unused]] std::uint32_t above = 0) {
  std::uint32_t word;
  if constexpr (std::is_same_v<I, std::int8_t>) {
    asm("cvt.pack.sat.s8.s32.b32 %0, %1, %2, %3;" : "=r"(word) : "r"(high), "r"(low), "r"(above));
  } else if constexpr (std::is_same_v<I, std::uint8_t>) {
    asm("cvt.pack.sat.u8.s32.b32 %0, %1, %2, %3;" : "=r"(word) : "r"(high), "r"(low), "r"(above));
  } else if constexpr (std::is_same_v<I, std::int16_t>) {
    asm("cvt.pack.sat.s16.s32 %0, %1, %2;" : "=r"(word) : "r"(high), "r"(low));
  } else {
    asm("cvt.pack.sat.u16.s32 %0, %1, %2;" : "=r"(word) : "r"(high), "r"(low));
  }
  return word;
}
#endif

}  // namespace detail

/// `x` (float or double) truncated to an integer: what lies outside I saturates, NaN gives 0.
template <typename I, typename F>
TESSERA_HD I from_float(F x) {
  static_assert(std::is_floating_point_v<F>, "converts from float or double");
#if TESSERA_ON_DEVICE
  if constexpr (sizeof(I) < 4) return static_cast<I>(detail::pack_saturated<I>(detail::truncate<int>(x), 0));
  if constexpr (sizeof(I) == 4) return detail::truncate<I>(x);
#endif
  // Both bounds are powers of two or 0, hence exact: I holds what lies strictly between low - 1 and 2^digits.
  constexpr F kPastHigh = static_cast<F>(std::uint64_t{1} << (std::numeric_limits<I>::digits - 1)) * F{2};
  constexpr F kLow = std::is_signed_v<I> ? -kPastHigh : F{0};
  if (x >= kPastHigh) return detail::kLargest<I>;
  if (x <= kLow) return detail::kSmallest<I>;
  return x == x ? static_cast<I>(x) : I{0};
}

namespace detail {

/// An integer of 8 or 16 bits as a float, which is exact. A GPU converts a quarter as often as it adds: there the integer
/// becomes the last bits of 2^23.
template <typename I>
TESSERA_HD float small_to_float(I value) {
#if defined(__CUDA_ARCH__)
  constexpr std::uint32_t kTwoTo23 = 0x4b000000u;
  constexpr std::uint32_t kBias = std::is_signed_v<I> ? 1u << (8 * sizeof(I) - 1) : 0u;
  const std::uint32_t bits = static_cast<std::make_unsigned_t<I>>(value);
  return math::from_bits(kTwoTo23 | (bits ^ kBias)) - (8388608.0f + static_cast<float>(kBias));
#else
  return static_cast<float>(value);
#endif
}

}  // namespace detail

/// The float, double or narrow float nearest to `value`, ties to even; overflow of a narrow float as in
/// narrow.h.
template <typename F, typename I>
TESSERA_HD F to_float(I value) {
  static_assert(std::is_integral_v<I>, "converts from an integer");
  if constexpr (sizeof(I) <= 2 && !std::is_same_v<I, bool> && !std::is_same_v<F, double>) {
    const float exact = detail::small_to_float(value);
    if constexpr (std::is_same_v<F, float>) {
      return exact;
    } else {
      return tessera::from_float<F>(exact);
    }
  } else if constexpr (std::is_floating_point_v<F>) {
    return static_cast<F>(value);
  } else if constexpr (sizeof(I) <= 4) {
    return tessera::from_double<F>(static_cast<double>(value));
  } else {
    // 64 bits do not fit a double: what is dropped leaves a mark in the last bit kept, so that rounding the
    // double to F rounds the integer.
    const bool negative = detail::is_negative(value);
    const std::uint64_t magnitude = static_cast<std::uint64_t>(negative ? negate(value) : value);
    const std::uint64_t mark = (magnitude & 0x7ffu) != 0 ? 0x800u : 0u;
    const std::uint64_t kept = magnitude >> 53 == 0 ? magnitude : (magnitude & ~std::uint64_t{0x7ff}) | mark;
    const double nearby = static_cast<double>(kept);
    return tessera::from_double<F>(negative ? -nearby : nearby);
  }
}

}  // namespace tessera::integer
