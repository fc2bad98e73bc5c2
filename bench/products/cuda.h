// SPDX-License-Identifier: Apache-2.0
// What CUDA hands out, owned; errors as exceptions.
#pragma once

#include <cuda_runtime.h>

#include <cstddef>
#include <stdexcept>
#include <string>
#include <utility>

namespace bench {

inline void check(cudaError_t error, const char* what) {
  if (error != cudaSuccess) throw std::runtime_error(std::string(what) + ": " + cudaGetErrorString(error));
}

/// Memory of the device.
class Buffer {
 public:
  Buffer() = default;
  explicit Buffer(std::size_t bytes) : bytes_(bytes) { check(cudaMalloc(&data_, bytes), "cudaMalloc"); }
  Buffer(Buffer&& other) noexcept
      : data_(std::exchange(other.data_, nullptr)), bytes_(std::exchange(other.bytes_, 0)) {}
  Buffer& operator=(Buffer&& other) noexcept {
    std::swap(data_, other.data_);
    std::swap(bytes_, other.bytes_);
    return *this;
  }
  ~Buffer() { cudaFree(data_); }

  void* data() const { return data_; }
  std::size_t bytes() const { return bytes_; }
  void fill(int byte) const { check(cudaMemset(data_, byte, bytes_), "cudaMemset"); }

 private:
  void* data_ = nullptr;
  std::size_t bytes_ = 0;
};

}  // namespace bench
