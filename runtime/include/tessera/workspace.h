// SPDX-License-Identifier: Apache-2.0
// Workspace: memory that one launch needs beside its tensors.
#pragma once

#include "tessera/architecture.h"

#if TESSERA_TWIN
#include <cstring>
#include <new>
#else
#include "tessera/relaxed_capture.h"
#include "tessera/workspace_pool.h"
#endif

namespace tessera {

/// Memory on the current device, taken and given back in the order of a stream: what is queued in between may use it, and
/// no launch waits for it. One piece; it can be captured in a CUDA graph, and taken in one stream while others are captured.
class Workspace {
 public:
  explicit Workspace(void* stream) : stream_(stream) {}
  Workspace(const Workspace&) = delete;
  Workspace& operator=(const Workspace&) = delete;

  ~Workspace() {
    if (memory_ == nullptr) return;
#if TESSERA_TWIN
    ::operator delete(memory_, kAlignment);
#else
    const detail::RelaxedCapture relaxed;
    if (cudaFreeAsync(memory_, static_cast<cudaStream_t>(stream_)) != cudaSuccess) (void)cudaGetLastError();
#endif
  }

  /// So many bytes, which begin at a multiple of 256, once; null where there is no room.
  TESSERA_OUT_OF_LINE void* take(index bytes) {
#if TESSERA_TWIN
    memory_ = ::operator new(static_cast<std::size_t>(bytes), kAlignment, std::nothrow);
    if (memory_ != nullptr) std::memset(memory_, 0xff, static_cast<std::size_t>(bytes));  // nothing of before
#else
    const detail::RelaxedCapture relaxed;  // without it, captures of other streams would be lost
    const cudaMemPool_t pool = detail::workspace_pool();
    const bool is_taken =
        pool != nullptr && cudaMallocFromPoolAsync(&memory_, static_cast<std::size_t>(bytes), pool,
                                                   static_cast<cudaStream_t>(stream_)) == cudaSuccess;
    if (!is_taken) {
      (void)cudaGetLastError();
      memory_ = nullptr;
    }
#endif
    return memory_;
  }

 private:
#if TESSERA_TWIN
  static constexpr std::align_val_t kAlignment{256};
#endif
  [[maybe_unused]] void* stream_;
  void* memory_ = nullptr;
};

}  // namespace tessera
