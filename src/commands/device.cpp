// SPDX-License-Identifier: Apache-2.0
// Asks libcuda for devices; see device.h.
#include "commands/device.h"

#include <dlfcn.h>
#include <fmt/format.h>

namespace tessera::commands {

namespace {

// The few words of the driver's C interface (cuda.h) that are needed, so that the header is not.
using CuResult = int;
using CuDevice = int;
constexpr int kComputeCapabilityMajor = 75;
constexpr int kComputeCapabilityMinor = 76;

struct Driver {
  CuResult (*init)(unsigned) = nullptr;
  CuResult (*version)(int*) = nullptr;
  CuResult (*count)(int*) = nullptr;
  CuResult (*get)(CuDevice*, int) = nullptr;
  CuResult (*name)(char*, int, CuDevice) = nullptr;
  CuResult (*attribute)(int*, int, CuDevice) = nullptr;
  CuResult (*error_name)(CuResult, const char**) = nullptr;

  bool load(void* library) {
    const auto resolve = [&](auto& function, const char* symbol) {
      function = reinterpret_cast<std::remove_reference_t<decltype(function)>>(::dlsym(library, symbol));
      return function != nullptr;
    };
    return resolve(init, "cuInit") && resolve(version, "cuDriverGetVersion") &&
           resolve(count, "cuDeviceGetCount") && resolve(get, "cuDeviceGet") &&
           resolve(name, "cuDeviceGetName") && resolve(attribute, "cuDeviceGetAttribute") &&
           resolve(error_name, "cuGetErrorName");
  }
  std::string error(CuResult result) const {
    const char* text = nullptr;
    return error_name(result, &text) == 0 && text != nullptr ? text : fmt::format("error {}", result);
  }
};

DeviceList ask_driver() {
  DeviceList list;
  void* library = ::dlopen("libcuda.so.1", RTLD_NOW | RTLD_LOCAL);
  if (library == nullptr) {
    list.problem = "the NVIDIA driver is not installed (libcuda.so.1 is missing)";
    return list;
  }
  Driver driver;
  if (!driver.load(library)) {
    list.problem = "libcuda.so.1 lacks functions that every driver has";
    return list;
  }
  if (int version = 0; driver.version(&version) == 0) {
    list.driver = fmt::format("{}.{}", version / 1000, version % 1000 / 10);
  }
  int count = 0;
  CuResult result = driver.init(0);
  if (result == 0) result = driver.count(&count);
  if (result != 0 || count == 0) {
    list.problem =
        result != 0 ? fmt::format("the driver answers {}", driver.error(result)) : "the driver knows no GPU";
    return list;
  }
  for (int i = 0; i < count; ++i) {
    CuDevice handle = 0;
    char name[256] = "";
    Device device;
    if (driver.get(&handle, i) != 0 || driver.name(name, sizeof name, handle) != 0) continue;
    driver.attribute(&device.major, kComputeCapabilityMajor, handle);
    driver.attribute(&device.minor, kComputeCapabilityMinor, handle);
    device.name = name;
    list.devices.push_back(device);
  }
  return list;
}

}  // namespace

const DeviceList& find_devices() {
  static const DeviceList list = ask_driver();
  return list;
}

}  // namespace tessera::commands
