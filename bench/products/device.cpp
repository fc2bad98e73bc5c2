// SPDX-License-Identifier: Apache-2.0
#include "device.h"

#include <algorithm>

#include "cuda.h"
#include "operands.h"
#include "timing.h"

namespace bench {
namespace {

int attribute(cudaDeviceAttr which) {
  int value = 0;
  check(cudaDeviceGetAttribute(&value, which, 0), "attribute of the device");
  return value;
}

}  // namespace

Device current_device() {
  cudaDeviceProp properties{};
  check(cudaGetDeviceProperties(&properties, 0), "device");
  const double transfers = 2e3 * attribute(cudaDevAttrMemoryClockRate);  // kHz; both edges of the clock
  return {.name = properties.name,
          .major = properties.major,
          .minor = properties.minor,
          .multiprocessors = properties.multiProcessorCount,
          .cache_bytes = properties.l2CacheSize,
          .memory_bytes_per_second = transfers * attribute(cudaDevAttrGlobalMemoryBusWidth) / 8};
}

double copy_bytes_per_second() {
  constexpr std::size_t kBytes = std::size_t{1} << 30;
  const Buffer from(kBytes), to(kBytes);
  from.fill(1);
  cudaStream_t stream = nullptr;
  check(cudaStreamCreate(&stream), "stream");
  double seconds = 0;
  {
    const Graph copies(stream, 4, [&](int) {
      check(cudaMemcpyAsync(to.data(), from.data(), kBytes, cudaMemcpyDeviceToDevice, stream), "copy");
    });
    seconds = median_seconds({&copies}, 5)[0];
  }
  cudaStreamDestroy(stream);
  return 2 * static_cast<double>(kBytes) / seconds;
}

double least_seconds(const Device& device, const Case& product) {
  const bool is_80 = device.major == 8 && device.minor == 0, is_90 = device.major == 9 && device.minor == 0;
  const double peak = (is_80 ? product.type.peak_80 : is_90 ? product.type.peak_90 : 0) * 1e12;
  if (peak == 0) return 0;
  const Shape& shape = product.shape;
  const double operations =
      2 * static_cast<double>(shape.m) * static_cast<double>(shape.n) * static_cast<double>(shape.k);
  const auto bytes = static_cast<double>(bytes_of(product.type, shape));
  return std::max(operations / peak, bytes / device.memory_bytes_per_second);
}

}  // namespace bench
