// SPDX-License-Identifier: Apache-2.0
// Factors of products for tests on the host twin, as functions of their coordinates.
#pragma once

#include <type_traits>

#include "tessera/convert.h"
#include "tessera/kernel.h"
#include "tessera/warpgroups.h"

namespace factors {

using namespace tessera;

/// Factors of small numbers, which no exchange of rows, columns and steps leaves as they are.
inline int number_of_a(int m, int k) { return (3 * m + 5 * k + m * k) % 7 - 3; }
inline int number_of_b(int k, int n) { return (2 * n + k + n * k) % 5 - 1; }

template <typename T>
T element_of(int x) {
  if constexpr (std::is_integral_v<T> || std::is_same_v<T, double>) {
    return static_cast<T>(x);
  } else if constexpr (std::is_same_v<T, tf32>) {
    return {math::to_bits(static_cast<float>(x))};
  } else {
    return from_float<T>(static_cast<float>(x));
  }
}

}  // namespace factors
