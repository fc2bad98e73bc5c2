// SPDX-License-Identifier: Apache-2.0
// The GPUs of this machine, asked of the driver directly: the compiler links no CUDA.
#pragma once

#include <string>
#include <vector>

namespace tessera::commands {

struct Device {
  std::string name;
  int major = 0, minor = 0;  // compute capability
};

struct DeviceList {
  std::vector<Device> devices;
  std::string driver;   // newest CUDA version it takes: "13.0"; empty without a driver
  std::string problem;  // why there is no device, when there is none
};

/// Loads libcuda at the first call and keeps it.
const DeviceList& find_devices();

}  // namespace tessera::commands
