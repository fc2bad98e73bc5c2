// SPDX-License-Identifier: Apache-2.0
// convert<To>(from): `from as To` of the language, for every pair of element types.
#pragma once

#include "tessera/integer.h"
#include "tessera/numbers.h"

namespace tessera {

/// `from` as a To. Floats round to nearest even, once; narrow floats overflow as from_float says. Float to
/// integer truncates and saturates, NaN gives 0; integer to integer wraps. To bool: whether `from` is not 0
/// (a NaN is not).
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
      return integer::to_float<To>(from);
    }
  } else if constexpr (std::is_floating_point_v<From> && std::is_integral_v<To>) {
    return integer::from_float<To>(from);
  } else if constexpr (std::is_same_v<To, float> && std::is_integral_v<From> && !std::is_same_v<From, bool>) {
    return integer::to_float<float>(from);
  } else {
    return static_cast<To>(from);
  }
}

}  // namespace tessera
