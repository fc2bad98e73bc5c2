// SPDX-License-Identifier: Apache-2.0
// The instructions that multiply small matrices, one function each, named after it. `sums` (the 16 x 8 accumulators)
// are added to; a thread's words of A and B are consecutive elements along K. Every lane of the warp must be here.
#pragma once

#include "tessera/device.h"

namespace tessera {

/// A float whose low 13 mantissa bits are zero, as products of matrices take them.
struct tf32 {
  std::uint32_t bits;
};

/// What becomes of a product: it is added to sums, or subtracted from them. Subtracted is the product of A's negated
/// numbers, which is exact, or what threads would add up.
enum class Sign { plus, minus };

}  // namespace tessera

#if TESSERA_TWIN
#include "tessera/twin/ptx_mma.h"
#else

namespace tessera::ptx {

/// An mma.sync.aligned with four words of A, two of B and four sums, held in registers of the given kind.
#define TESSERA_PTX_MMA(name, instruction, Sum, kind)                                                     \
  __device__ __forceinline__ void name(Sum* sums, const std::uint32_t(&a)[4], const std::uint32_t(&b)[2], \
                                       Location = Location::current()) {                                  \
    asm volatile("mma.sync.aligned." instruction                                                          \
                 " {%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, {%0, %1, %2, %3};"                       \
                 : "+" kind(sums[0]), "+" kind(sums[1]), "+" kind(sums[2]), "+" kind(sums[3])             \
                 : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]), "r"(b[1]));                     \
  }
TESSERA_PTX_MMA(mma_m16n8k16_f16, "m16n8k16.row.col.f32.f16.f16.f32", float, "f")
TESSERA_PTX_MMA(mma_m16n8k16_bf16, "m16n8k16.row.col.f32.bf16.bf16.f32", float, "f")
TESSERA_PTX_MMA(mma_m16n8k8_tf32, "m16n8k8.row.col.f32.tf32.tf32.f32", float, "f")
TESSERA_PTX_MMA(mma_m16n8k32_s8, "m16n8k32.row.col.s32.s8.s8.s32", std::int32_t, "r")
TESSERA_PTX_MMA(mma_m16n8k32_u8, "m16n8k32.row.col.s32.u8.u8.s32", std::int32_t, "r")
#undef TESSERA_PTX_MMA

/// The same with 8 x 8 sums, of which a thread has two neighbours in one row.
__device__ __forceinline__ void mma_m8n8k4_f64(double* sums, double a, double b,
                                               Location = Location::current()) {
  asm volatile("mma.sync.aligned.m8n8k4.row.col.f64.f64.f64.f64 {%0, %1}, {%2}, {%3}, {%0, %1};"
               : "+d"(sums[0]), "+d"(sums[1])
               : "d"(a), "d"(b));
}

/// 16 x 8 sums; of A a thread has elements i of row lane / 4 + 8 (i % 2), of B of column lane / 4, both at lane % 4 + 4 j
/// of K, j the number of the pair of A and of the element of B. From sm_90 on.
__device__ __forceinline__ void mma_m16n8k8_f64(double* sums, const double (&a)[4], const double (&b)[2],
                                                Location = Location::current()) {
  asm volatile(
      "mma.sync.aligned.m16n8k8.row.col.f64.f64.f64.f64 {%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, "
      "{%0, %1, %2, %3};"
      : "+d"(sums[0]), "+d"(sums[1]), "+d"(sums[2]), "+d"(sums[3])
      : "d"(a[0]), "d"(a[1]), "d"(a[2]), "d"(a[3]), "d"(b[0]), "d"(b[1]));
}

/// cvt.rn.tf32.f32: to nearest, ties to even. From sm_90 on.
__device__ __forceinline__ tf32 cvt_rn_tf32(float x) {
  tf32 result;
  asm("cvt.rn.tf32.f32 %0, %1;" : "=r"(result.bits) : "f"(x));
  return result;
}

/// cvt.rn.bf16x2.f32, cvt.rn.f16x2.f32: two floats in one word, the first in its lower half.
__device__ __forceinline__ std::uint32_t cvt_rn_bf16x2(float low, float high) {
  std::uint32_t word;
  asm("cvt.rn.bf16x2.f32 %0, %1, %2;" : "=r"(word) : "f"(high), "f"(low));
  return word;
}
__device__ __forceinline__ std::uint32_t cvt_rn_f16x2(float low, float high) {
  std::uint32_t word;
  asm("cvt.rn.f16x2.f32 %0, %1, %2;" : "=r"(word) : "f"(high), "f"(low));
  return word;
}

}  // namespace tessera::ptx
#endif
