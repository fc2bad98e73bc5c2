// SPDX-License-Identifier: Apache-2.0
// Constant tables of kernels, and the test that keeps an index inside.
#pragma once

#include "tessera/device.h"

/// `TESSERA_TABLE(float, weights, 3) = {…};` at namespace scope: an array that kernels read.
#if TESSERA_TWIN
#define TESSERA_TABLE(type, name, count) static constexpr type name[count]
#else
#define TESSERA_TABLE(type, name, count) static __device__ __constant__ const type name[count]
#endif

namespace tessera {

/// 0 <= i < extent, in one comparison.
TESSERA_HD constexpr bool inside(index i, index extent) {
  return static_cast<std::uint64_t>(i) < static_cast<std::uint64_t>(extent);
}

/// What a register might hold that nobody has initialised: the value that a planted fault leaves in its place.
template <typename T>
TESSERA_HD T poison() {
  T value;
  auto* bytes = reinterpret_cast<unsigned char*>(&value);
  for (std::size_t k = 0; k < sizeof value; ++k) bytes[k] = 0x7f;
  return value;
}

}  // namespace tessera
