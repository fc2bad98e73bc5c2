// SPDX-License-Identifier: Apache-2.0
// Where in the generated file a word stands. Each word that the host twin can find fault with takes a
// Location as its last, defaulted argument; on the GPU it is empty and costs nothing.
#pragma once

#include "tessera/config.h"

/// TESSERA_TWIN is 1 when the file is compiled for the host twin, 0 when nvcc compiles it (host and device
/// pass).
#if defined(__CUDACC__)
#define TESSERA_TWIN 0
#else
#define TESSERA_TWIN 1
#endif

namespace tessera {

#if TESSERA_TWIN
struct Location {
  const char* file;
  int line;

  static constexpr Location current(const char* file = __builtin_FILE(), int line = __builtin_LINE()) {
    return {file, line};
  }
};
#else
struct Location {
  __host__ __device__ static constexpr Location current() { return {}; }
};
#endif

}  // namespace tessera
