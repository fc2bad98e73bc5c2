// SPDX-License-Identifier: Apache-2.0
// PTX instructions as functions, one each, named after it. Only for nvcc; words choose among them.
#pragma once

#include <cuda_runtime.h>
#include <cstdint>

namespace tessera::ptx {

/// The address of a generic pointer within its space.
__device__ __forceinline__ std::size_t global_address(const void* pointer) {
  return __cvta_generic_to_global(pointer);
}
__device__ __forceinline__ std::uint32_t shared_address(const void* pointer) {
  return static_cast<std::uint32_t>(__cvta_generic_to_shared(pointer));
}

/// st.global.v2.b32, st.global.v4.b32: `to` is a multiple of the size. Written as C++ the compiler may split them.
__device__ __forceinline__ void st_global_v2(void* to, uint2 words) {
  asm volatile("st.global.v2.b32 [%0], {%1, %2};"
               :
               : "l"(global_address(to)), "r"(words.x), "r"(words.y)
               : "memory");
}
__device__ __forceinline__ void st_global_v4(void* to, uint4 words) {
  asm volatile("st.global.v4.b32 [%0], {%1, %2, %3, %4};"
               :
               : "l"(global_address(to)), "r"(words.x), "r"(words.y), "r"(words.z), "r"(words.w)
               : "memory");
}

/// @condition st.global: without a branch, so that many results are written in a row.
__device__ __forceinline__ void st_global_if(void* to, std::uint8_t word, bool condition) {
  asm volatile("{ .reg .pred p; setp.ne.b32 p, %2, 0; @p st.global.b8 [%0], %1; }"
               :
               : "l"(global_address(to)), "r"(static_cast<std::uint32_t>(word)),
                 "r"(static_cast<int>(condition))
               : "memory");
}
__device__ __forceinline__ void st_global_if(void* to, std::uint16_t word, bool condition) {
  asm volatile("{ .reg .pred p; setp.ne.b32 p, %2, 0; @p st.global.b16 [%0], %1; }"
               :
               : "l"(global_address(to)), "h"(word), "r"(static_cast<int>(condition))
               : "memory");
}
__device__ __forceinline__ void st_global_if(void* to, std::uint32_t word, bool condition) {
  asm volatile("{ .reg .pred p; setp.ne.b32 p, %2, 0; @p st.global.b32 [%0], %1; }"
               :
               : "l"(global_address(to)), "r"(word), "r"(static_cast<int>(condition))
               : "memory");
}
__device__ __forceinline__ void st_global_if(void* to, uint2 words, bool condition) {
  asm volatile("{ .reg .pred p; setp.ne.b32 p, %3, 0; @p st.global.v2.b32 [%0], {%1, %2}; }"
               :
               : "l"(global_address(to)), "r"(words.x), "r"(words.y), "r"(static_cast<int>(condition))
               : "memory");
}
__device__ __forceinline__ void st_global_if(void* to, uint4 words, bool condition) {
  asm volatile("{ .reg .pred p; setp.ne.b32 p, %5, 0; @p st.global.v4.b32 [%0], {%1, %2, %3, %4}; }"
               :
               : "l"(global_address(to)), "r"(words.x), "r"(words.y), "r"(words.z), "r"(words.w),
                 "r"(static_cast<int>(condition))
               : "memory");
}

/// @condition ld.global.nc: without a branch, so that many are under way at once. Any words where it does not hold.
__device__ __forceinline__ std::uint16_t ld_global_nc_if(const std::uint16_t* from, bool condition) {
  std::uint16_t word;
  asm("{ .reg .pred p; setp.ne.b32 p, %2, 0; @p ld.global.nc.b16 %0, [%1]; }"
      : "=h"(word)
      : "l"(global_address(from)), "r"(static_cast<int>(condition)));
  return word;
}
__device__ __forceinline__ std::uint32_t ld_global_nc_if(const std::uint32_t* from, bool condition) {
  std::uint32_t word;
  asm("{ .reg .pred p; setp.ne.b32 p, %2, 0; @p ld.global.nc.b32 %0, [%1]; }"
      : "=r"(word)
      : "l"(global_address(from)), "r"(static_cast<int>(condition)));
  return word;
}
__device__ __forceinline__ uint2 ld_global_nc_if(const uint2* from, bool condition) {
  uint2 words;
  asm("{ .reg .pred p; setp.ne.b32 p, %3, 0; @p ld.global.nc.v2.b32 {%0, %1}, [%2]; }"
      : "=r"(words.x), "=r"(words.y)
      : "l"(global_address(from)), "r"(static_cast<int>(condition)));
  return words;
}
__device__ __forceinline__ uint4 ld_global_nc_if(const uint4* from, bool condition) {
  uint4 words;
  asm("{ .reg .pred p; setp.ne.b32 p, %5, 0; @p ld.global.nc.v4.b32 {%0, %1, %2, %3}, [%4]; }"
      : "=r"(words.x), "=r"(words.y), "=r"(words.z), "=r"(words.w)
      : "l"(global_address(from)), "r"(static_cast<int>(condition)));
  return words;
}

/// st.shared.v2.b32, st.shared.v4.b32
__device__ __forceinline__ void st_shared_v2(void* to, uint2 words) {
  asm volatile("st.shared.v2.b32 [%0], {%1, %2};"
               :
               : "r"(shared_address(to)), "r"(words.x), "r"(words.y)
               : "memory");
}
__device__ __forceinline__ void st_shared_v4(void* to, uint4 words) {
  asm volatile("st.shared.v4.b32 [%0], {%1, %2, %3, %4};"
               :
               : "r"(shared_address(to)), "r"(words.x), "r"(words.y), "r"(words.z), "r"(words.w)
               : "memory");
}

/// A value whose origin nvcc does not see; ptxas does, and drops the move. Without one, as `asm("" : "+r"(x))`, nvcc (13.0) may
/// give the result a register that nothing writes, where branches meet.
__device__ __forceinline__ int opaque(int x) {
  int same;
  asm("mov.b32 %0, %1;" : "=r"(same) : "r"(x));
  return same;
}
__device__ __forceinline__ std::int64_t opaque(std::int64_t x) {
  std::int64_t same;
  asm("mov.b64 %0, %1;" : "=l"(same) : "l"(x));
  return same;
}
/// The same, which is not moved out of a loop.
__device__ __forceinline__ int opaque_here(int x) {
  int same;
  asm volatile("mov.b32 %0, %1;" : "=r"(same) : "r"(x));
  return same;
}
__device__ __forceinline__ std::int64_t opaque_here(std::int64_t x) {
  std::int64_t same;
  asm volatile("mov.b64 %0, %1;" : "=l"(same) : "l"(x));
  return same;
}

/// bar.sync barrier, threads
template <int kThreads>
__device__ __forceinline__ void bar_sync(int barrier) {
  asm volatile("bar.sync %0, %1;" : : "r"(barrier), "n"(kThreads) : "memory");
}

/// An instruction that takes two packed pairs and gives one.
#define TESSERA_PTX_OF_PAIRS(name, instruction)                                     \
  __device__ __forceinline__ std::uint32_t name(std::uint32_t a, std::uint32_t b) { \
    std::uint32_t result;                                                           \
    asm(instruction " %0, %1, %2;" : "=r"(result) : "r"(a), "r"(b));                \
    return result;                                                                  \
  }
/// The larger (smaller) of each half, NaN if one is NaN, -0 below +0.
TESSERA_PTX_OF_PAIRS(max_nan_bf16x2, "max.NaN.bf16x2")
TESSERA_PTX_OF_PAIRS(min_nan_bf16x2, "min.NaN.bf16x2")
TESSERA_PTX_OF_PAIRS(max_nan_f16x2, "max.NaN.f16x2")
TESSERA_PTX_OF_PAIRS(min_nan_f16x2, "min.NaN.f16x2")
#undef TESSERA_PTX_OF_PAIRS

}  // namespace tessera::ptx
