// SPDX-License-Identifier: Apache-2.0
// The machine as kernels see it: how to declare one, block and thread indices, barriers, shuffles between
// lanes. The host twin gives the same words a meaning on the CPU.
#pragma once

#include <bit>
#include <cstdint>
#include <cstring>
#include <type_traits>

#include "tessera/location.h"
#include "tessera/tensor.h"

#if TESSERA_TWIN
#include "tessera/twin/machine.h"
#else
#include "tessera/ptx.h"
#endif

/// TESSERA_KERNEL(threads) or TESSERA_KERNEL(threads, blocks an SM must hold) declares a kernel of at most
/// that many threads a block. TESSERA_PARAMETER stands before each View parameter: it is read from constant
/// memory, never copied. TESSERA_DEVICE marks a function of kernels, TESSERA_UNROLL a loop whose trip count
/// is a constant, TESSERA_UNROLL_BY(n) one of which n rounds are to be under way together, TESSERA_NO_UNROLL one that is
/// to stay a loop. TESSERA_DEVICE_CALL marks a function that stays one, and is called: long, and seldom run.
/// Such a function belongs to its file: where nvcc compiles parts of a file side by side (--split-compile), another would be
/// called like one of somebody else's, for which setmaxnreg is left out and products of warpgroups wait for each other.
#if TESSERA_TWIN
#define TESSERA_KERNEL(...)
#define TESSERA_PARAMETER const
#define TESSERA_DEVICE inline
#define TESSERA_DEVICE_CALL inline
#else
#define TESSERA_KERNEL(...) __global__ __launch_bounds__(__VA_ARGS__)
#define TESSERA_PARAMETER const __grid_constant__
#define TESSERA_DEVICE __device__ __forceinline__
#define TESSERA_DEVICE_CALL static __device__ __noinline__
#endif
#ifdef __CUDA_ARCH__  // host compilers warn of pragmas that they do not know
#define TESSERA_UNROLL _Pragma("unroll")
#define TESSERA_UNROLL_BY(n) TESSERA_PRAGMA(unroll n)
#define TESSERA_PRAGMA(text) _Pragma(#text)
#define TESSERA_NO_UNROLL _Pragma("unroll 1")
#else
#define TESSERA_UNROLL
#define TESSERA_UNROLL_BY(n)
#define TESSERA_NO_UNROLL
#endif

namespace tessera {

inline constexpr int kWarpThreads = 32;

/// The number of this block in its grid, the number of blocks, and the number of this thread in its block.
TESSERA_DEVICE index block_index() {
#if TESSERA_TWIN
  return twin::context.block + twin::block_rank();
#else
  return static_cast<index>(blockIdx.x);
#endif
}
TESSERA_DEVICE index block_count() {
#if TESSERA_TWIN
  return twin::context.blocks;
#else
  return static_cast<index>(gridDim.x);
#endif
}
TESSERA_DEVICE int thread_index() {
#if TESSERA_TWIN
  return twin::thread_of_block();
#else
  return static_cast<int>(threadIdx.x);
#endif
}

/// Waits until all threads of the block are here; what they wrote to shared memory is then visible to all.
TESSERA_DEVICE void barrier([[maybe_unused]] Location where = Location::current()) {
#if TESSERA_TWIN
  twin::barrier(twin::block_rank() * twin::context.block_threads, twin::context.block_threads, where);
#else
  __syncthreads();
#endif
}

/// The same for threads of a warp: all 32, or consecutive ones with a bit each in `lanes`.
TESSERA_DEVICE void warp_barrier(std::uint32_t lanes = 0xffffffffu,
                                 [[maybe_unused]] Location where = Location::current()) {
#if TESSERA_TWIN
  const int warp = twin::context.thread / kWarpThreads;
  twin::barrier(warp * kWarpThreads + std::countr_zero(lanes), std::popcount(lanes), where);
#else
  __syncwarp(lanes);
#endif
}

/// The same for `kThreads` consecutive threads of the block, a multiple of the warp: the part number `part`
/// of it. At most 15 parts, which may be at different places of the kernel.
template <int kThreads>
TESSERA_DEVICE void part_barrier(int part, [[maybe_unused]] Location where = Location::current()) {
  static_assert(kThreads % kWarpThreads == 0, "a part of a block is a whole number of warps");
#if TESSERA_TWIN
  twin::barrier(twin::block_rank() * twin::context.block_threads + part * kThreads, kThreads, where);
#else
  ptx::bar_sync<kThreads>(part + 1);  // barrier 0 is that of the block
#endif
}

/// The value that the lane with number (own lane xor `lane_mask`) holds. `lanes` has a bit for each lane of
/// the warp that takes part; all of them must be here. T is trivially copyable.
template <typename T>
TESSERA_DEVICE T shuffle_xor(T value, int lane_mask, std::uint32_t lanes,
                             [[maybe_unused]] Location where = Location::current()) {
  static_assert(std::is_trivially_copyable_v<T>, "only plain values travel between lanes");
  constexpr int kWords = (sizeof(T) + 3) / 4;
  std::uint32_t words[kWords] = {};
  std::memcpy(words, &value, sizeof(T));
#if TESSERA_TWIN
  twin::check_initialised(value, where);
  twin::shuffle_xor(words, kWords, lane_mask, lanes, where);
#else
  TESSERA_UNROLL
  for (int i = 0; i < kWords; ++i) words[i] = __shfl_xor_sync(lanes, words[i], lane_mask);
#endif
  std::memcpy(&value, words, sizeof(T));
  return value;
}

/// `x`, an int or an index, which the compiler knows nothing of: what follows from it is computed here, in each turn of a loop
/// around, not before the loop, where a thread has no registers to hold so much of it.
template <typename T>
TESSERA_DEVICE T computed_here(T x) {
#if !TESSERA_TWIN
  x = ptx::opaque_here(x);
#endif
  return x;
}

}  // namespace tessera
