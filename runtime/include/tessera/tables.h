// SPDX-License-Identifier: Apache-2.0
// Constant tables of kernels.
#pragma once

#include "tessera/device.h"

/// `TESSERA_TABLE(float, weights, 3) = {…};` at namespace scope: an array that kernels read.
#if TESSERA_TWIN
#define TESSERA_TABLE(type, name, count) static constexpr type name[count]
#else
#define TESSERA_TABLE(type, name, count) static __device__ __constant__ const type name[count]
#endif

namespace tessera {

/// What a register might hold that nobody has initialised: the value that a planted fault leaves in its place.
template <typename T>
TESSERA_HD T poison() {
  T value;
  auto* bytes = reinterpret_cast<unsigned char*>(&value);
  for (std::size_t k = 0; k < sizeof value; ++k) bytes[k] = 0x7f;
  return value;
}

}  // namespace tessera
