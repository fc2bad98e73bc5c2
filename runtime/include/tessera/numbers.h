// SPDX-License-Identifier: Apache-2.0
// Numbers as kernels use them: extremes, maximum and minimum.
#pragma once

#include <limits>
#include <type_traits>

#include "tessera/math.h"
#include "tessera/positions.h"

namespace tessera {

template <typename T>
inline constexpr bool kIsNarrowFloat = std::is_same_v<T, bf16> || std::is_same_v<T, f16> ||
                                       std::is_same_v<T, fp8_e4m3> || std::is_same_v<T, fp8_e5m2>;

namespace detail {

/// The ends of a type as constants, which device code may use where it may not call std::numeric_limits.
template <typename T>
inline constexpr T kHighest = std::numeric_limits<T>::has_infinity ? std::numeric_limits<T>::infinity()
                                                                   : std::numeric_limits<T>::max();
template <typename T>
inline constexpr T kLowest = std::numeric_limits<T>::has_infinity ? -std::numeric_limits<T>::infinity()
                                                                  : std::numeric_limits<T>::lowest();

}  // namespace detail

/// The largest T: infinity where T has one.
template <typename T>
TESSERA_HD constexpr T highest() {
  if constexpr (kIsNarrowFloat<T>) {
    return T{static_cast<decltype(T::bits)>(detail::NarrowFormat<T>::kInfinity)};
  } else {
    return detail::kHighest<T>;
  }
}

/// The smallest T: -infinity where T has one.
template <typename T>
TESSERA_HD constexpr T lowest() {
  if constexpr (kIsNarrowFloat<T>) {
    constexpr int kSignBit = 1 << (8 * sizeof(T) - 1);
    return T{static_cast<decltype(T::bits)>(highest<T>().bits | kSignBit)};
  } else {
    return detail::kLowest<T>;
  }
}

/// The NaN that arithmetic on literals gives; T is f32 or f64.
template <typename T>
TESSERA_HD T not_a_number() {
  return math::detail::quiet_nan<T>();
}

/// `c ? a : opaque(b)`: an integer that is looked at in this arm alone, so that nvcc makes no instruction for an extreme of
/// the choice, and a branch instead of a selection, of which ptxas would make one; ptxas turns it into predicated moves.
/// So it stands in the arm, never before the choice. ptxas (12.8 to 13.3) makes one instruction of two signed extremes of
/// at most 32 bits on compute capability 9.0 and 10.0, and loses the sign of an operand that is negated before:
/// max(max(-a, b), c) is that of a, b and c. It is a value that is hidden, never the condition: of `x & (flag ? y : 0)` in
/// a loop, the flag a number of 0 or 1 that came from a comparison, ptxas (13.0) makes a mask that it does not compute on
/// all paths.
template <typename T>
TESSERA_HD T opaque(T value) {
  static_assert(std::is_integral_v<T> && !std::is_same_v<T, bool>);
#ifdef __CUDA_ARCH__
  if constexpr (sizeof(T) == 8)
    value = static_cast<T>(ptx::opaque(static_cast<std::int64_t>(value)));
  else
    value = static_cast<T>(ptx::opaque(static_cast<int>(value)));
#endif
  return value;
}

namespace detail {

/// The second of two values that an extreme chooses from, hidden where ptxas may combine extremes; see opaque().
template <typename T>
TESSERA_HD T second(T value) {
  if constexpr (std::is_integral_v<T> && std::is_signed_v<T> && sizeof(T) <= 4) return opaque(value);
  return value;
}

}  // namespace detail

/// The larger and the smaller of two values; NaN if one is NaN, and -0 is smaller than +0.
template <typename T>
TESSERA_HD T maximum(T a, T b) {
  if constexpr (kIsNarrowFloat<T>) {
    return from_float<T>(math::max(to_float(a), to_float(b)));
  } else if constexpr (std::is_floating_point_v<T>) {
    return math::max(a, b);
  } else {
    return b < a ? a : detail::second(b);
  }
}
template <typename T>
TESSERA_HD T minimum(T a, T b) {
  if constexpr (kIsNarrowFloat<T>) {
    return from_float<T>(math::min(to_float(a), to_float(b)));
  } else if constexpr (std::is_floating_point_v<T>) {
    return math::min(a, b);
  } else {
    return a < b ? a : detail::second(b);
  }
}

/// A value and where it was found, for ArgMaximum and ArgMinimum: in a tensor, or as an int in a tile.
template <typename T, typename Position = index>
struct Indexed {
  T value;
  Position position;
};

/// The position of an Indexed that stands for no element yet, and the same in a tile: any element precedes it.
inline constexpr index kNoPosition = detail::kHighest<index>;
inline constexpr int kNoPlace = detail::kHighest<int>;

}  // namespace tessera
