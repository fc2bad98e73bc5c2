// SPDX-License-Identifier: Apache-2.0
// LastingCounts: pieces of device memory that are zero whenever nobody uses them. For CUDA alone.
#pragma once

#include <cuda_runtime.h>

#include <cstdint>
#include <new>

#include "tessera/config.h"
#include "tessera/device_numbers.h"
#include "tessera/relaxed_capture.h"
#include "tessera/workspace_pool.h"

namespace tessera::detail {

/// Counts of one size, of those that there are.
struct PieceOfCounts {
  std::uint32_t* counts;
  int device;
  int size;
  PieceOfCounts* next;  // of those of its size that nobody has
};

/// Whoever takes a piece leaves zeros in it, so that it need not be cleared for the next. Memory comes in chunks of 256 KiB,
/// which stay as long as the process does, even if the device is reset; the host waits once for each.
class LastingCounts {
 public:
  static constexpr std::int64_t kFewest = 64, kMost = 4096;  // in a piece

  /// A piece of at least `count` counts, `kMost` at most, of the current device, whose number `device` is one that
  /// DeviceNumbers has room for; null where there is no memory.
  TESSERA_OUT_OF_LINE static PieceOfCounts* take(int device, std::int64_t count) {
    int size = 0;
    while (kFewest << size < count) ++size;
    PieceOfCounts* piece = of_device(device).take_free(size);
    if (piece != nullptr) return piece;
    piece = new (std::nothrow) PieceOfCounts{nullptr, device, size, nullptr};
    if (piece == nullptr) return nullptr;
    piece->counts = of_device(device).cut(device, kFewest << size);
    if (piece->counts != nullptr) return piece;
    delete piece;
    return nullptr;
  }

  /// Puts it on the free list of its size. Calls nothing of CUDA, which calls this when it destroys a graph.
  static void give_back(PieceOfCounts* piece) { of_device(piece->device).keep(piece); }

 private:
  static constexpr std::int64_t kChunk = 16 * kMost;
  static constexpr int kSizes = 7;
  static_assert(kFewest << (kSizes - 1) == kMost, "a list for each size");

  /// Held for some instructions, never while CUDA is called.
  class Lock {
   public:
    explicit Lock(bool& flag) : flag_(flag) {
      while (__atomic_test_and_set(&flag_, __ATOMIC_ACQUIRE)) {
      }
    }
    ~Lock() { __atomic_clear(&flag_, __ATOMIC_RELEASE); }
    Lock(const Lock&) = delete;
    Lock& operator=(const Lock&) = delete;

   private:
    bool& flag_;
  };

  static LastingCounts& of_device(int device) {
    static LastingCounts counts[DeviceNumbers::kDevices] = {};
    return counts[device];
  }

  PieceOfCounts* take_free(int size) {
    const Lock lock(is_locked_);
    PieceOfCounts* const piece = free_[size];
    if (piece != nullptr) free_[size] = piece->next;
    return piece;
  }

  void keep(PieceOfCounts* piece) {
    const Lock lock(is_locked_);
    piece->next = free_[piece->size];
    free_[piece->size] = piece;
  }

  /// From the chunk at hand, or from a new one. What is left of the other is lost: too little, or that of a thread that was as
  /// quick.
  std::uint32_t* cut(int device, std::int64_t count) {
    std::uint32_t* counts = cut_from_chunk(count);
    if (counts != nullptr) return counts;
    std::uint32_t* const chunk = make_chunk(device);
    if (chunk == nullptr) return nullptr;
    const Lock lock(is_locked_);
    if (kChunk - count > left_) {
      chunk_ = chunk + count;
      left_ = kChunk - count;
    }
    return chunk;
  }

  std::uint32_t* cut_from_chunk(std::int64_t count) {
    const Lock lock(is_locked_);
    if (left_ < count) return nullptr;
    std::uint32_t* const counts = chunk_;
    chunk_ += count;
    left_ -= count;
    return counts;
  }

  /// Zeros that are there when this returns, so that launches of any stream and any graph find them. From a pool of its own: in
  /// that of workspaces a stream may have to wait for what another gives back.
  TESSERA_OUT_OF_LINE static std::uint32_t* make_chunk(int device) {
    constexpr std::size_t kBytes = kChunk * sizeof(std::uint32_t);
    const RelaxedCapture relaxed;
    const cudaMemPool_t pool = relaxed.ok() ? make_workspace_pool(device) : nullptr;
    if (pool == nullptr) return nullptr;
    void* memory = nullptr;
    cudaStream_t stream = nullptr;
    const bool is_made = cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking) == cudaSuccess &&
                         cudaMallocFromPoolAsync(&memory, kBytes, pool, stream) == cudaSuccess &&
                         cudaMemsetAsync(memory, 0, kBytes, stream) == cudaSuccess &&
                         cudaStreamSynchronize(stream) == cudaSuccess;
    if (!is_made && memory != nullptr) (void)cudaFreeAsync(memory, stream);
    if (stream != nullptr) (void)cudaStreamDestroy(stream);
    if (is_made) return static_cast<std::uint32_t*>(memory);
    (void)cudaMemPoolDestroy(pool);
    (void)cudaGetLastError();
    return nullptr;
  }

  bool is_locked_ = false;
  PieceOfCounts* free_[kSizes] = {};
  std::uint32_t* chunk_ = nullptr;
  std::int64_t left_ = 0;
};

}  // namespace tessera::detail
