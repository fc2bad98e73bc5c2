// SPDX-License-Identifier: Apache-2.0
// What Tensor Cores of compute capability 9.0 make of products of fp8: their sums keep few bits.
#pragma once

#include <algorithm>
#include <cmath>

#include "tessera/convert.h"

namespace tessera::twin {

template <typename T>
inline constexpr bool is_fp8 = std::is_same_v<T, fp8_e4m3> || std::is_same_v<T, fp8_e5m2>;

/// sum + row[0] column[0] + … of one instruction. Of every term 13 bits below the largest one's exponent are kept, as was
/// seen on an H200: 1 counts beside 2^13, and not beside 2^14.
template <int kDepth>
float add_products_of_fp8(float sum, const float (&row)[kDepth], const float (&column)[kDepth]) {
  constexpr int kBits = 13;
  float largest = std::fabs(sum);
  bool is_finite = std::isfinite(sum);
  for (int k = 0; k < kDepth; ++k) {
    const float term = row[k] * column[k];
    largest = std::max(largest, std::fabs(term));
    is_finite &= std::isfinite(term);
  }
  if (!is_finite) {
    for (int k = 0; k < kDepth; ++k) sum += row[k] * column[k];
    return sum;
  }
  if (largest == 0) return sum;
  const double unit = std::ldexp(1.0, std::ilogb(largest) - kBits);
  double total = std::trunc(sum / unit);
  for (int k = 0; k < kDepth; ++k) total += std::trunc(row[k] * column[k] / unit);
  return static_cast<float>(total * unit);
}

}  // namespace tessera::twin
