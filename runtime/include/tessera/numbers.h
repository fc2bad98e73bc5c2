// SPDX-License-Identifier: Apache-2.0
// Numbers as kernels use them: extremes, maximum and minimum, periodic indices, sizes.
#pragma once

#include <limits>
#include <type_traits>

#include "tessera/math.h"
#include "tessera/view.h"

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

/// The larger and the smaller of two values; NaN if one is NaN, and -0 is smaller than +0.
template <typename T>
TESSERA_HD T maximum(T a, T b) {
  if constexpr (kIsNarrowFloat<T>) {
    return from_float<T>(math::max(to_float(a), to_float(b)));
  } else if constexpr (std::is_floating_point_v<T>) {
    return math::max(a, b);
  } else {
    return a < b ? b : a;
  }
}
template <typename T>
TESSERA_HD T minimum(T a, T b) {
  if constexpr (kIsNarrowFloat<T>) {
    return from_float<T>(math::min(to_float(a), to_float(b)));
  } else if constexpr (std::is_floating_point_v<T>) {
    return math::min(a, b);
  } else {
    return b < a ? b : a;
  }
}

/// A value and where it was found, for ArgMaximum and ArgMinimum.
template <typename T>
struct Indexed {
  T value;
  index position;
};

/// The position of an Indexed that stands for no element yet: any element precedes it.
inline constexpr index kNoPosition = detail::kHighest<index>;

/// a / b rounded up, for a >= 0 and b >= 1.
TESSERA_HD constexpr index ceil_divide(index a, index b) { return a / b + (a % b != 0 ? 1 : 0); }

/// `i` brought into [0, extent) by whole multiples of `extent` (>= 1): an index of a periodic tensor.
TESSERA_HD index wrap(index i, index extent) {
  const auto inside = [extent](index x) {
    return static_cast<std::uint64_t>(x) < static_cast<std::uint64_t>(extent);
  };
  if (inside(i)) return i;
  const index once = i < 0 ? i + extent : i - extent;
  if (inside(once)) return once;
  const index rest = i % extent;
  return rest < 0 ? rest + extent : rest;
}

/// The coordinates of tile number `tile` in a grid of `counts` tiles whose last dimension varies fastest.
/// nvcc divides with 32 bits where both operands have no more.
template <int Rank>
TESSERA_HD Index<Rank> tile_position(index tile, Index<Rank> counts) {
  Index<Rank> position{};
  TESSERA_UNROLL
  for (int dimension = Rank - 1; dimension > 0; --dimension) {
    const index rest = tile / counts[dimension];
    position.at[dimension] = tile - rest * counts[dimension];
    tile = rest;
  }
  position.at[0] = tile;
  return position;
}

}  // namespace tessera
