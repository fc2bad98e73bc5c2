// SPDX-License-Identifier: Apache-2.0
// The narrow floats: storage types without arithmetic, and their conversions from and to float and double.
// Conversions round to nearest even and keep denormals; host and device give the same bits.
#pragma once

#include <cstdint>
#include <type_traits>

#include "tessera/config.h"
#include "tessera/math/bits.h"

namespace tessera {

/// 1 sign, 8 exponent, 7 mantissa bits: the upper half of a float.
struct bf16 {
  std::uint16_t bits;
};

/// IEEE binary16: 1 sign, 5 exponent, 10 mantissa bits.
struct f16 {
  std::uint16_t bits;
};

/// 1 sign, 4 exponent, 3 mantissa bits, no infinities; the largest value is 448, NaN is S.1111.111.
struct fp8_e4m3 {
  std::uint8_t bits;
};

/// 1 sign, 5 exponent, 2 mantissa bits, IEEE-like; the largest finite value is 57344.
struct fp8_e5m2 {
  std::uint8_t bits;
};

namespace detail {

enum class Overflow { kToInfinity, kSaturates };

/// What the bit code of a conversion needs to know about a narrow format.
template <typename T>
struct NarrowFormat;

template <>
struct NarrowFormat<bf16> {
  using Bits = std::uint16_t;
  static constexpr int kMantissaBits = 7, kBias = 127;
  static constexpr std::uint32_t kNan = 0x7fff, kInfinity = 0x7f80, kLargest = 0x7f7f;
  static constexpr Overflow kOverflow = Overflow::kToInfinity;
  static constexpr bool kHasInfinity = true;
};

template <>
struct NarrowFormat<f16> {
  using Bits = std::uint16_t;
  static constexpr int kMantissaBits = 10, kBias = 15;
  static constexpr std::uint32_t kNan = 0x7fff, kInfinity = 0x7c00, kLargest = 0x7bff;
  static constexpr Overflow kOverflow = Overflow::kToInfinity;
  static constexpr bool kHasInfinity = true;
};

template <>
struct NarrowFormat<fp8_e4m3> {
  using Bits = std::uint8_t;
  static constexpr int kMantissaBits = 3, kBias = 7;
  static constexpr std::uint32_t kNan = 0x7f, kInfinity = 0x7e, kLargest = 0x7e;
  static constexpr Overflow kOverflow = Overflow::kSaturates;
  static constexpr bool kHasInfinity = false;
};

template <>
struct NarrowFormat<fp8_e5m2> {
  using Bits = std::uint8_t;
  static constexpr int kMantissaBits = 2, kBias = 15;
  static constexpr std::uint32_t kNan = 0x7f, kInfinity = 0x7c, kLargest = 0x7b;
  static constexpr Overflow kOverflow = Overflow::kSaturates;
  static constexpr bool kHasInfinity = true;
};

/// The magnitude bits of T nearest to the finite float with magnitude bits `magnitude`, before overflow is
/// looked at: the result counts on past the largest finite value.
template <typename T>
TESSERA_HD std::uint32_t round_magnitude(std::uint32_t magnitude) {
  using Narrow = NarrowFormat<T>;
  constexpr int kDropped = 23 - Narrow::kMantissaBits;
  constexpr std::uint32_t kSmallestNormal = static_cast<std::uint32_t>(127 - Narrow::kBias + 1) << 23;
  if (magnitude >= kSmallestNormal) {
    const std::uint32_t rebiased = magnitude - (static_cast<std::uint32_t>(127 - Narrow::kBias) << 23);
    return (rebiased + ((1u << (kDropped - 1)) - 1) + ((rebiased >> kDropped) & 1)) >> kDropped;
  }
  // A denormal of T: the float addition aligns it at the last mantissa bit of the sum, rounding to nearest
  // even.
  constexpr std::uint32_t kAlignerBits =
      static_cast<std::uint32_t>(127 + 23 + 1 - Narrow::kBias - Narrow::kMantissaBits) << 23;
  const float sum = math::from_bits(magnitude) + math::from_bits(kAlignerBits);
  return math::to_bits(sum) - kAlignerBits;
}

/// The bits of T nearest to `x`, by integer code.
template <typename T>
TESSERA_HD std::uint32_t round_to_narrow(float x) {
  using Narrow = NarrowFormat<T>;
  const std::uint32_t bits = math::to_bits(x);
  const std::uint32_t magnitude = bits & 0x7fffffffu;
  if (magnitude > 0x7f800000u) return Narrow::kNan;
  const std::uint32_t sign = (bits >> 31) << (8 * sizeof(T) - 1);
  if (magnitude == 0x7f800000u) return sign | Narrow::kInfinity;
  const std::uint32_t rounded = round_magnitude<T>(magnitude);
  if (rounded <= Narrow::kLargest) return sign | rounded;
  return sign | (Narrow::kOverflow == Overflow::kSaturates ? Narrow::kLargest : Narrow::kInfinity);
}

/// The float with the value of `bits` in format T; exact.
template <typename T>
TESSERA_HD float widen(std::uint32_t bits) {
  using Narrow = NarrowFormat<T>;
  constexpr int kSignShift = 8 * sizeof(T) - 1;
  const std::uint32_t magnitude = bits & ((1u << kSignShift) - 1);
  const std::uint32_t sign = (bits >> kSignShift) << 31;
  if (magnitude > (Narrow::kHasInfinity ? Narrow::kInfinity : Narrow::kLargest))
    return math::from_bits(0x7fc00000u | sign);
  if (Narrow::kHasInfinity && magnitude == Narrow::kInfinity) return math::from_bits(0x7f800000u | sign);
  // Placed at the mantissa's upper end the bits are the value times 2^(kBias - 127), denormals included.
  const float scaled = math::from_bits(magnitude << (23 - Narrow::kMantissaBits));
  constexpr std::uint32_t kScaleBits = static_cast<std::uint32_t>(127 + 127 - Narrow::kBias) << 23;
  return math::from_bits(math::to_bits(scaled * math::from_bits(kScaleBits)) | sign);
}

/// `x` rounded to odd: truncated, with the last bit set where that was inexact. A narrow float rounded from
/// it is the one rounded from `x` itself, because a float has at least two bits more than any of them.
TESSERA_HD float round_to_odd(double x) {
  const float nearest = static_cast<float>(x);
  const double back = static_cast<double>(nearest);
  if (!(back != x) || x != x) return nearest;
  const double magnitude = x < 0 ? -x : x;
  const double back_magnitude = back < 0 ? -back : back;
  const std::uint32_t truncated = math::to_bits(nearest) - (back_magnitude > magnitude ? 1u : 0u);
  return math::from_bits(truncated | 1u);
}

#if TESSERA_ON_DEVICE
/// cvt.rn.f16.f32
__device__ inline std::uint32_t convert_rn_f16(float x) {
  std::uint16_t bits;
  asm("cvt.rn.f16.f32 %0, %1;" : "=h"(bits) : "f"(x));
  return bits;
}

/// cvt.f32.f16
__device__ inline float convert_f32(f16 x) {
  float result;
  asm("cvt.f32.f16 %0, %1;" : "=f"(result) : "h"(x.bits));
  return result;
}

#if TESSERA_DEVICE_ARCH >= 800
/// cvt.rn.bf16.f32
__device__ inline std::uint32_t convert_rn_bf16(float x) {
  std::uint16_t bits;
  asm("cvt.rn.bf16.f32 %0, %1;" : "=h"(bits) : "f"(x));
  return bits;
}
#endif

#if TESSERA_DEVICE_ARCH >= 890
/// cvt.rn.f16x2.e4m3x2, one lane
__device__ inline f16 convert_f16(fp8_e4m3 x) {
  std::uint32_t pair;
  asm("cvt.rn.f16x2.e4m3x2 %0, %1;" : "=r"(pair) : "h"(static_cast<std::uint16_t>(x.bits)));
  return f16{static_cast<std::uint16_t>(pair)};
}

/// cvt.rn.satfinite.e4m3x2.f32, one lane
__device__ inline std::uint32_t convert_rn_e4m3(float x) {
  std::uint16_t pair;
  asm("cvt.rn.satfinite.e4m3x2.f32 %0, %1, %2;" : "=h"(pair) : "f"(0.0f), "f"(x));
  return pair & 0xffu;
}

/// cvt.rn.satfinite.e5m2x2.f32, one lane; it saturates infinities too.
__device__ inline std::uint32_t convert_rn_e5m2(float x) {
  std::uint16_t pair;
  asm("cvt.rn.satfinite.e5m2x2.f32 %0, %1, %2;" : "=h"(pair) : "f"(0.0f), "f"(x));
  return pair & 0xffu;
}
#endif
#endif

/// The bits of T nearest to `x`, by the device's instruction where there is one.
template <typename T>
struct Narrower {
  TESSERA_HD static std::uint32_t convert(float x) { return round_to_narrow<T>(x); }
};

#if TESSERA_ON_DEVICE
template <>
struct Narrower<f16> {
  __host__ __device__ static std::uint32_t convert(float x) { return convert_rn_f16(x); }
};
#endif
#if TESSERA_DEVICE_ARCH >= 800
template <>
struct Narrower<bf16> {
  __host__ __device__ static std::uint32_t convert(float x) { return convert_rn_bf16(x); }
};
#endif
#if TESSERA_DEVICE_ARCH >= 890
// The instructions fix neither the bits of NaN nor the infinities of e5m2 as we want them.
template <>
struct Narrower<fp8_e4m3> {
  __host__ __device__ static std::uint32_t convert(float x) { return x != x ? 0x7fu : convert_rn_e4m3(x); }
};
template <>
struct Narrower<fp8_e5m2> {
  __host__ __device__ static std::uint32_t convert(float x) {
    const std::uint32_t bits = math::to_bits(x);
    const std::uint32_t magnitude = bits & 0x7fffffffu;
    if (magnitude < 0x7f800000u) return convert_rn_e5m2(x);
    return magnitude == 0x7f800000u ? (bits >> 24 & 0x80u) | 0x7cu : 0x7fu;
  }
};
#endif

#if TESSERA_DEVICE_ARCH >= 890
/// Whether cvt.rn.satfinite has the bits that we want of `x`.
template <typename T>
__device__ __forceinline__ bool is_fixed_by_device(float x) {
  return std::is_same_v<T, fp8_e4m3> ? x == x : (math::to_bits(x) & 0x7fffffffu) < 0x7f800000u;
}
/// The bits of two such floats, the first one's low.
template <typename T>
__device__ __forceinline__ std::uint32_t convert_pair(float low, float high) {
  std::uint16_t pair;
  if constexpr (std::is_same_v<T, fp8_e4m3>) {
    asm("cvt.rn.satfinite.e4m3x2.f32 %0, %1, %2;" : "=h"(pair) : "f"(high), "f"(low));
  } else {
    asm("cvt.rn.satfinite.e5m2x2.f32 %0, %1, %2;" : "=h"(pair) : "f"(high), "f"(low));
  }
  return pair;
}
/// Two floats with the values of two numbers of fp8, exact.
template <typename T>
__device__ __forceinline__ void widen_pair(std::uint32_t bits, float& low, float& high) {
  std::uint32_t halves;
  if constexpr (std::is_same_v<T, fp8_e4m3>) {
    asm("cvt.rn.f16x2.e4m3x2 %0, %1;" : "=r"(halves) : "h"(static_cast<std::uint16_t>(bits)));
  } else {
    asm("cvt.rn.f16x2.e5m2x2 %0, %1;" : "=r"(halves) : "h"(static_cast<std::uint16_t>(bits)));
  }
  low = convert_f32(f16{static_cast<std::uint16_t>(halves)});
  high = convert_f32(f16{static_cast<std::uint16_t>(halves >> 16)});
}
#endif

}  // namespace detail

/// The value of `x`, exact; a NaN stays a NaN.
TESSERA_HD float to_float(bf16 x) { return math::from_bits(static_cast<std::uint32_t>(x.bits) << 16); }
TESSERA_HD float to_float(f16 x) {
#if TESSERA_ON_DEVICE
  return detail::convert_f32(x);
#else
  return detail::widen<f16>(x.bits);
#endif
}
TESSERA_HD float to_float(fp8_e4m3 x) {
#if TESSERA_DEVICE_ARCH >= 890
  return detail::convert_f32(detail::convert_f16(x));
#else
  return detail::widen<fp8_e4m3>(x.bits);
#endif
}
TESSERA_HD float to_float(fp8_e5m2 x) {
#if TESSERA_ON_DEVICE
  return detail::convert_f32(f16{static_cast<std::uint16_t>(x.bits << 8)});  // the upper half of an f16
#else
  return detail::widen<fp8_e5m2>(x.bits);
#endif
}

/// The T nearest to `x`, ties to even; denormals are kept. NaN gives the NaN of T with every magnitude bit
/// set and a clear sign. Overflow gives infinity in `bf16` and `f16`; in the fp8 types it saturates to the
/// largest finite value (448, 57344). Infinities stay infinite where T has them and saturate in `fp8_e4m3`.
template <typename T>
TESSERA_HD T from_float(float x) {
  return T{static_cast<typename detail::NarrowFormat<T>::Bits>(detail::Narrower<T>::convert(x))};
}

/// The T nearest to `x` as from_float has it, rounded once from the double.
template <typename T>
TESSERA_HD T from_double(double x) {
  return from_float<T>(detail::round_to_odd(x));
}

}  // namespace tessera
