// SPDX-License-Identifier: Apache-2.0
// convert<To>(from): `from as To` of the language, for every pair of element types.
#pragma once

#include "tessera/numbers.h"

namespace tessera {

namespace detail {

/// `x` truncated; saturates at the ends of To, and NaN gives 0.
template <typename To, typename From>
TESSERA_HD To truncate_to_integer(From x) {
  constexpr To kSmallest = kLowest<To>, kLargest = kHighest<To>;
  constexpr From kEnd = static_cast<From>(kLargest / 2 + 1) * 2;  // one past the largest To, a power of two
  if (x != x) return 0;
  if (x >= kEnd) return kLargest;
  if (x <= static_cast<From>(kSmallest)) return kSmallest;
  return static_cast<To>(x);
}

/// A double that rounds to the same narrow float as the integer does: exact up to 53 bits, rounded to odd beyond.
template <typename From>
TESSERA_HD double integer_for_rounding(From x) {
  if constexpr (sizeof(From) < 8) {
    return static_cast<double>(x);
  } else {
    const bool negative = x < 0;
    std::uint64_t magnitude = negative ? ~static_cast<std::uint64_t>(x) + 1u : static_cast<std::uint64_t>(x);
    if ((magnitude >> 53) != 0) magnitude = (magnitude & ~std::uint64_t{0x7ff}) | ((magnitude & 0x7ff) != 0 ? 0x800u : 0u);
    return negative ? -static_cast<double>(magnitude) : static_cast<double>(magnitude);
  }
}

}  // namespace detail

/// `from` as a To. Floats round to nearest even, once; narrow floats overflow as from_float says. Float to integer
/// truncates and saturates, NaN gives 0; integer to integer wraps. To bool: whether `from` is not 0 (a NaN is not).
template <typename To, typename From>
TESSERA_HD To convert(From from) {
  if constexpr (std::is_same_v<To, From>) {
    return from;
  } else if constexpr (kIsNarrowFloat<From>) {
    return convert<To>(to_float(from));
  } else if constexpr (std::is_same_v<To, bool>) {
    return from != 0;
  } else if constexpr (kIsNarrowFloat<To>) {
    if constexpr (std::is_same_v<From, float>) {
      return from_float<To>(from);
    } else if constexpr (std::is_same_v<From, double>) {
      return from_double<To>(from);
    } else {
      return from_double<To>(detail::integer_for_rounding(from));
    }
  } else if constexpr (std::is_floating_point_v<From> && std::is_integral_v<To>) {
    return detail::truncate_to_integer<To>(from);
  } else {
    return static_cast<To>(from);
  }
}

}  // namespace tessera
