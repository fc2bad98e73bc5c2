// SPDX-License-Identifier: Apache-2.0
// The pools that memory beside tensors comes from. For CUDA alone.
#pragma once

#include <cuda_runtime.h>

#include <cstdint>

#include "tessera/architecture.h"
#include "tessera/relaxed_capture.h"

namespace tessera::detail {

/// A new pool that keeps what is given back, or null.
inline cudaMemPool_t make_workspace_pool(int device) {
  cudaMemPoolProps properties{};
  properties.allocType = cudaMemAllocationTypePinned;
  properties.location.type = cudaMemLocationTypeDevice;
  properties.location.id = device;
  std::uint64_t kept = UINT64_MAX;
  cudaMemPool_t pool = nullptr;
  const RelaxedCapture relaxed;
  if (relaxed.ok() && cudaMemPoolCreate(&pool, &properties) == cudaSuccess) {
    if (cudaMemPoolSetAttribute(pool, cudaMemPoolAttrReleaseThreshold, &kept) == cudaSuccess) return pool;
    (void)cudaMemPoolDestroy(pool);
  }
  (void)cudaGetLastError();
  return nullptr;
}

/// The pool of the current device that workspaces come from; null where it has none. What is given back stays in the pool,
/// so that only the first launches wait for memory.
TESSERA_OUT_OF_LINE inline cudaMemPool_t workspace_pool() {
  static cudaMemPool_t pools[DeviceNumbers::kDevices] = {};
  const int device = current_device();
  if (device < 0 || device >= DeviceNumbers::kDevices) return nullptr;
  cudaMemPool_t pool = __atomic_load_n(&pools[device], __ATOMIC_ACQUIRE);
  if (pool != nullptr) return pool;
  pool = make_workspace_pool(device);
  if (pool == nullptr) return nullptr;
  cudaMemPool_t known = nullptr;
  if (__atomic_compare_exchange_n(&pools[device], &known, pool, false, __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE))
    return pool;
  (void)cudaMemPoolDestroy(pool);  // another thread was first
  return known;
}

}  // namespace tessera::detail
