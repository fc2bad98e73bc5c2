// SPDX-License-Identifier: Apache-2.0
// Which architecture the current device has, for dispatchers.
#pragma once

#include "tessera/launch.h"

namespace tessera {

/// 10 * major + minor of the current device's compute capability, asked for once per device; 0 when there is no device.
/// The host twin runs the code of every architecture and says so with a number above all of them.
inline int device_architecture() {
#if TESSERA_TWIN
  return 1 << 20;
#else
  constexpr int kDevices = 64;
  static int known[kDevices] = {};
  const int device = detail::current_device();
  if (device < 0 || device >= kDevices) return 0;
  if (known[device] == 0) {
    int major = 0, minor = 0;
    if (cudaDeviceGetAttribute(&major, cudaDevAttrComputeCapabilityMajor, device) != cudaSuccess) return 0;
    if (cudaDeviceGetAttribute(&minor, cudaDevAttrComputeCapabilityMinor, device) != cudaSuccess) return 0;
    known[device] = 10 * major + minor;
  }
  return known[device];
#endif
}

}  // namespace tessera
