// SPDX-License-Identifier: Apache-2.0
// Which device is the current one, and its architecture.
#pragma once

#include "tessera/device_numbers.h"
#include "tessera/location.h"
#include "tessera/tensor.h"

#if !TESSERA_TWIN
#include <cuda_runtime.h>
#endif

namespace tessera {

namespace detail {

#if TESSERA_TWIN
inline int current_device() { return TESSERA_HOST; }
#else
inline int current_device() {
  int device = -2;
  return cudaGetDevice(&device) == cudaSuccess ? device : -2;
}
inline int device_count() {
  int count = 0;
  return cudaGetDeviceCount(&count) == cudaSuccess ? count : 0;
}
#endif

}  // namespace detail

/// 10 * major + minor of the current device's compute capability, asked for once per device; 0 when there is no device.
/// The host twin runs the code of every architecture and says so with a number above all of them.
inline int device_architecture() {
#if TESSERA_TWIN
  return 1 << 20;
#else
  static detail::DeviceNumbers architectures;
  return architectures.of_current(detail::device_count, detail::current_device, [](int device) {
    int major = 0, minor = 0;
    if (cudaDeviceGetAttribute(&major, cudaDevAttrComputeCapabilityMajor, device) != cudaSuccess) return 0;
    if (cudaDeviceGetAttribute(&minor, cudaDevAttrComputeCapabilityMinor, device) != cudaSuccess) return 0;
    return 10 * major + minor;
  });
#endif
}

}  // namespace tessera
