// SPDX-License-Identifier: Apache-2.0
// Which device is the current one, and its architecture.
#pragma once

#include <atomic>

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
#endif

}  // namespace detail

/// 10 * major + minor of the current device's compute capability, asked for once per device; 0 when there is no device.
/// The host twin runs the code of every architecture and says so with a number above all of them.
inline int device_architecture() {
#if TESSERA_TWIN
  return 1 << 20;
#else
  constexpr int kDevices = 64;
  static std::atomic<int> architectures[kDevices] = {};  // launches come from any host thread
  const int device = detail::current_device();
  if (device < 0 || device >= kDevices) return 0;
  int architecture = architectures[device];
  if (architecture == 0) {
    int major = 0, minor = 0;
    if (cudaDeviceGetAttribute(&major, cudaDevAttrComputeCapabilityMajor, device) != cudaSuccess) return 0;
    if (cudaDeviceGetAttribute(&minor, cudaDevAttrComputeCapabilityMinor, device) != cudaSuccess) return 0;
    architectures[device] = architecture = 10 * major + minor;
  }
  return architecture;
#endif
}

}  // namespace tessera
