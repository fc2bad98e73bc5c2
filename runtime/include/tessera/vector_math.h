// SPDX-License-Identifier: Apache-2.0
// Functions of whole vectors. Where the scalar function branches for rare arguments, these branch once for all
// elements, which then overlap in the pipelines of a GPU. Bits are those of the scalar function.
#pragma once

#include "tessera/convert.h"
#include "tessera/divisor.h"
#include "tessera/numbers.h"
#include "tessera/ptx_mma.h"
#include "tessera/vector.h"

namespace tessera {

namespace math {

/// e^x of each element.
template <int N>
TESSERA_HD Vector<float, N> exp(const Vector<float, N>& x) {
  bool moderate = true;
  TESSERA_UNROLL
  for (int i = 0; i < N; ++i) moderate = moderate & detail::is_moderate_exponent(x[i]);
  Vector<float, N> result;
  if (moderate) {
    TESSERA_UNROLL
    for (int i = 0; i < N; ++i) result[i] = detail::exp_moderate(x[i]);
  } else {
    TESSERA_UNROLL
    for (int i = 0; i < N; ++i) result[i] = detail::exp_of(x[i]);
  }
  return result;
}

}  // namespace math

namespace detail {

/// Four bytes as floats, exact: each becomes the last byte of 2^23 + byte, and those of signed bytes count from -128.
template <typename T>
TESSERA_DEVICE void bytes_to_floats(std::uint32_t bytes, float* floats) {
  constexpr bool kIsSigned = static_cast<T>(-1) < 0;
  constexpr std::uint32_t kPower = 0x4b000000u;  // 2^23
  const std::uint32_t shifted = kIsSigned ? bytes ^ 0x80808080u : bytes;
  TESSERA_UNROLL
  for (std::uint32_t i = 0; i < 4; ++i) {
#if TESSERA_ON_DEVICE
    const std::uint32_t bits = __byte_perm(shifted, kPower, 0x7440u + i);
#else
    const std::uint32_t bits = kPower | (shifted >> 8 * i & 0xffu);
#endif
    floats[i] = math::from_bits(bits) - (kIsSigned ? 8388736.0f : 8388608.0f);
  }
}

}  // namespace detail

/// The value of each element as a float, for types that float holds exactly.
template <typename T, int N>
TESSERA_DEVICE Vector<float, N> to_floats(const Vector<T, N>& x) {
  Vector<float, N> result;
  if constexpr (std::is_integral_v<T> && sizeof(T) == 1 && N % 4 == 0) {
    TESSERA_UNROLL
    for (int i = 0; i < N / 4; ++i) detail::bytes_to_floats<T>(x.unit[i], &result[4 * i]);
#if TESSERA_DEVICE_ARCH >= 890
  } else if constexpr ((std::is_same_v<T, fp8_e4m3> || std::is_same_v<T, fp8_e5m2>)&&N % 2 == 0) {
    constexpr int kPerUnit = static_cast<int>(sizeof(typename Vector<T, N>::Unit));
    TESSERA_UNROLL
    for (int i = 0; i < N; i += 2)
      detail::widen_pair<T>(x.unit[i / kPerUnit] >> i % kPerUnit * 8, result[i], result[i + 1]);
#endif
  } else {
    TESSERA_UNROLL
    for (int i = 0; i < N; ++i) {
      if constexpr (kIsNarrowFloat<T>) {
        result[i] = to_float(x[i]);
      } else {
        result[i] = static_cast<float>(x[i]);
      }
    }
  }
  return result;
}

#if TESSERA_ON_DEVICE
namespace detail {

/// Floats as integers of one or two bytes.
template <typename T, int N>
__device__ __forceinline__ void truncate_in_pairs(const Vector<float, N>& x, Vector<T, N>& result) {
  using Unit = typename Vector<T, N>::Unit;
  constexpr int kPerUnit = static_cast<int>(sizeof(Unit) / sizeof(T));
  TESSERA_UNROLL
  for (int first = 0; first < N; first += kPerUnit) {
    std::uint32_t word = 0;
    TESSERA_UNROLL
    for (int i = first + kPerUnit - 2; i >= first; i -= 2)
      word = integer::detail::pack_saturated<T>(integer::detail::truncate<int>(x[i]),
                                                integer::detail::truncate<int>(x[i + 1]), word);
    result.unit[first / kPerUnit] = static_cast<Unit>(word);
  }
}

#if TESSERA_DEVICE_ARCH >= 890
/// Floats as numbers of fp8; whether all of them are such that the device rounds two at once.
template <typename T, int N>
__device__ __forceinline__ bool round_in_pairs(const Vector<float, N>& x, Vector<T, N>& result) {
  using Unit = typename Vector<T, N>::Unit;
  constexpr int kPerUnit = static_cast<int>(sizeof(Unit));
  bool is_fixed = true;
  TESSERA_UNROLL
  for (int i = 0; i < N; ++i) is_fixed = is_fixed & is_fixed_by_device<T>(x[i]);
  TESSERA_UNROLL
  for (int first = 0; first < N; first += kPerUnit) {
    std::uint32_t word = 0;
    TESSERA_UNROLL
    for (int i = 0; i < kPerUnit; i += 2) word |= convert_pair<T>(x[first + i], x[first + i + 1]) << 8 * i;
    result.unit[first / kPerUnit] = static_cast<Unit>(word);
  }
  return is_fixed;
}
#endif

}  // namespace detail
#endif

/// Each float as a T, as `convert` has it: two in one instruction where the device has one.
template <typename T, int N>
TESSERA_DEVICE Vector<T, N> from_floats(const Vector<float, N>& x) {
  Vector<T, N> result;
#if TESSERA_ON_DEVICE
  if constexpr (std::is_integral_v<T> && sizeof(T) <= 2 && N % 2 == 0) {
    detail::truncate_in_pairs(x, result);
    return result;
  }
#endif
#if TESSERA_DEVICE_ARCH >= 890
  if constexpr ((std::is_same_v<T, fp8_e4m3> || std::is_same_v<T, fp8_e5m2>)&&N % 2 == 0) {
    if (detail::round_in_pairs(x, result)) return result;
  }
#endif
  if constexpr ((std::is_same_v<T, bf16> || std::is_same_v<T, f16>)&&N % 2 == 0) {
    TESSERA_UNROLL
    for (int i = 0; i < N / 2; ++i) {
      if constexpr (std::is_same_v<T, bf16>) {
        result.unit[i] = ptx::cvt_rn_bf16x2(x[2 * i], x[2 * i + 1]);
      } else {
        result.unit[i] = ptx::cvt_rn_f16x2(x[2 * i], x[2 * i + 1]);
      }
    }
  } else {
    TESSERA_UNROLL
    for (int i = 0; i < N; ++i) result.set(i, convert<T>(x[i]));
  }
  return result;
}

/// The quotients of all elements by one number.
template <int N>
TESSERA_HD Vector<float, N> operator/(const Vector<float, N>& a, const Divisor& b) {
  Vector<float, N> result;
  bool exact = b.is_moderate();
  TESSERA_UNROLL
  for (int i = 0; i < N; ++i) {
    result[i] = b.quotient(a[i]);
    exact = exact & Divisor::is_safe(result[i]);
  }
  if (exact) return result;
  bool zeros = b.is_moderate();  // are all that is not safe
  TESSERA_UNROLL
  for (int i = 0; i < N; ++i) zeros = zeros & (Divisor::is_safe(result[i]) | b.is_zero_exact(a[i]));
  if (zeros) return result;
  TESSERA_UNROLL
  for (int i = 0; i < N; ++i)
    result[i] = a[i] / b.value();  // some of them again, which is cheaper than telling which
  return result;
}

namespace detail {

#if TESSERA_DEVICE_ARCH >= 800
/// The larger (smaller) elements of two packed pairs, NaN if one is NaN.
template <typename T, bool kMaximum>
__device__ __forceinline__ std::uint32_t extreme_of_pairs(std::uint32_t a, std::uint32_t b) {
  if constexpr (std::is_same_v<T, bf16>)
    return kMaximum ? ptx::max_nan_bf16x2(a, b) : ptx::min_nan_bf16x2(a, b);
  return kMaximum ? ptx::max_nan_f16x2(a, b) : ptx::min_nan_f16x2(a, b);
}
#endif

/// The largest (smallest) element; NaN if one is NaN, and -0 is smaller than +0.
template <bool kMaximum, typename T, int N>
TESSERA_HD T extreme(const Vector<T, N>& x) {
#if TESSERA_DEVICE_ARCH >= 800
  if constexpr ((std::is_same_v<T, bf16> || std::is_same_v<T, f16>)&&N >= 2) {
    std::uint32_t words[N / 2];
    std::memcpy(words, &x, sizeof words);
    TESSERA_UNROLL
    for (int i = 1; i < N / 2; ++i) words[0] = extreme_of_pairs<T, kMaximum>(words[0], words[i]);
    const std::uint32_t word = extreme_of_pairs<T, kMaximum>(words[0], words[0] >> 16);
    return T{static_cast<std::uint16_t>(word)};
  }
#endif
  T result = x[0];
  TESSERA_UNROLL
  for (int i = 1; i < N; ++i) result = kMaximum ? maximum(result, x[i]) : minimum(result, x[i]);
  return result;
}

}  // namespace detail

/// The largest and the smallest element of a vector; NaN if one is NaN, and -0 is smaller than +0.
template <typename T, int N>
TESSERA_HD T largest(const Vector<T, N>& x) {
  return detail::extreme<true>(x);
}
template <typename T, int N>
TESSERA_HD T smallest(const Vector<T, N>& x) {
  return detail::extreme<false>(x);
}

}  // namespace tessera
