// SPDX-License-Identifier: Apache-2.0
// The instructions by which a warpgroup (four warps, the first a multiple of four) multiplies matrices, and by which warps
// take their roles, on compute capability 9.0 alone, one function each, named after it. All threads of the warpgroup (of
// the warp, where a warp elects or shares) must be here.
//
// 64 x kColumns sums lie in a thread as its elements of a FragmentLayout of 64 rows over four warps: registers that are
// written when the group of products has been waited for, and not touched before.
#pragma once

#include "tessera/matrix_descriptor.h"
#include "tessera/ptx_mma.h"

#if TESSERA_TWIN
#include "tessera/twin/ptx_wgmma.h"
#else

#include "tessera/ptx_90a.h"

namespace tessera::ptx {

/// elect.sync: true in one lane of the warp.
TESSERA_DEVICE bool elect_sync(Location = Location::current()) {
  int elected;
  asm volatile("{ .reg .pred p; elect.sync _|p, 0xffffffff; selp.s32 %0, 1, 0, p; }" : "=r"(elected));
  return elected != 0;
}

/// shfl.sync.idx: the value of lane 0.
TESSERA_DEVICE int shfl_sync_first(int value, Location = Location::current()) {
  return __shfl_sync(0xffffffffu, value, 0);
}

/// setmaxnreg: from here on threads of the warpgroup have so many registers. Of a block with a known number of threads.
template <int kRegisters>
TESSERA_DEVICE void setmaxnreg_dec(Location = Location::current()) {
  TESSERA_ASM_90A("setmaxnreg.dec.sync.aligned.u32 %0;" : : "n"(kRegisters));
}
template <int kRegisters>
TESSERA_DEVICE void setmaxnreg_inc(Location = Location::current()) {
  TESSERA_ASM_90A("setmaxnreg.inc.sync.aligned.u32 %0;" : : "n"(kRegisters));
}

/// No instruction: the four values are in their registers here. By fours, since compilers take their time with each.
TESSERA_DEVICE void keep_in_registers(float* v) {
  asm volatile("" : "+f"(v[0]), "+f"(v[1]), "+f"(v[2]), "+f"(v[3]) : : "memory");
}
TESSERA_DEVICE void keep_in_registers(std::int32_t* v) {
  asm volatile("" : "+r"(v[0]), "+r"(v[1]), "+r"(v[2]), "+r"(v[3]) : : "memory");
}

/// wgmma.fence: what threads did to registers comes before the products behind it.
TESSERA_DEVICE void wgmma_fence(Location = Location::current()) {
  TESSERA_ASM_90A("wgmma.fence.sync.aligned;" : : : "memory");
}

/// wgmma.commit_group: closes a group of products.
TESSERA_DEVICE void wgmma_commit_group(Location = Location::current()) {
  TESSERA_ASM_90A("wgmma.commit_group.sync.aligned;" : : : "memory");
}

/// wgmma.wait_group kPending: until at most the newest kPending groups are under way.
template <int kPending>
TESSERA_DEVICE void wgmma_wait_group(Location = Location::current()) {
  static_assert(kPending >= 0 && kPending < 8, "at most seven groups stay under way");
  TESSERA_ASM_90A("wgmma.wait_group.sync.aligned %0;" : : "n"(kPending) : "memory");
}

namespace detail {

/// wgmma.mma_async of 64 rows, by types and number of columns: d (+)= a * b, A in shared memory or four words of each
/// thread. The old sums count where `adds` holds. Those of a type are in a header of their own (wgmma/bf16.h, …), since
/// compilers take their time with each.
template <typename A, typename B, int kColumns>
struct Wgmma;

/// By which the instruction multiplies A's elements: imm-scale-a. Those of integers have none.
template <typename A, Sign kSign>
TESSERA_HD constexpr int scale_of() {
  static_assert(kSign == Sign::plus || !std::is_integral_v<A>, "products of integers are only added");
  return kSign == Sign::plus ? 1 : -1;
}

}  // namespace detail

/// d[64][kColumns] = a * b, or += where `adds` holds: 32 bytes along K of operands in shared memory, whose elements are
/// of types A and B. With Sign::minus -(a * b) stands for the product.
template <typename A, typename B, int kColumns, Major kMajorA, Major kMajorB, Sign kSign = Sign::plus,
          typename Sum, int kSums>
TESSERA_DEVICE void wgmma_mma_async(Sum (&d)[kSums], MatrixDescriptor a, MatrixDescriptor b, bool adds,
                                    Location = Location::current()) {
  using Instruction = detail::Wgmma<A, B, kColumns>;
  constexpr int kScale = detail::scale_of<A, kSign>();
  if constexpr (sizeof(A) == 2) {
    Instruction::template multiply<kScale, kMajorA == Major::mn, kMajorB == Major::mn>(d, a, b, adds);
  } else {
    static_assert(kMajorA == Major::k && kMajorB == Major::k, "only 16-bit elements may lie across K");
    Instruction::template multiply<kScale>(d, a, b, adds);
  }
}

/// The same with A in registers: the words of its 16 rows that an mma.sync takes.
template <typename A, typename B, int kColumns, Major kMajorB, Sign kSign = Sign::plus, typename Sum,
          int kSums>
TESSERA_DEVICE void wgmma_mma_async(Sum (&d)[kSums], const std::uint32_t (&a)[4], MatrixDescriptor b,
                                    bool adds, Location = Location::current()) {
  using Instruction = detail::Wgmma<A, B, kColumns>;
  constexpr int kScale = detail::scale_of<A, kSign>();
  if constexpr (sizeof(A) == 2) {
    Instruction::template multiply<kScale, kMajorB == Major::mn>(d, a, b, adds);
  } else {
    static_assert(kMajorB == Major::k, "only 16-bit elements may lie across K");
    Instruction::template multiply<kScale>(d, a, b, adds);
  }
}

/// Two of them, one behind the other, as one statement. The second has other words of A; of B it begins kStepB bytes behind the
/// first, and it adds.
template <typename A, typename B, int kColumns, Sign kSign, int kStepB, typename Sum, int kSums>
TESSERA_DEVICE void wgmma_mma_async_two(Sum (&d)[kSums], const std::uint32_t (&a)[4],
                                        const std::uint32_t (&other_a)[4], MatrixDescriptor b, bool adds,
                                        Location = Location::current()) {
  constexpr int kScale = detail::scale_of<A, kSign>();
  static_assert(kStepB % 16 == 0, "descriptors count by 16 bytes");
  detail::Wgmma<A, B, kColumns>::template multiply_two<kScale, kStepB / 16>(d, a, other_a, b, adds);
}

/// Four products of operands in shared memory, one behind the other, as one statement: a compiler takes its time with each
/// list of sums. The operands of the next begin kStepA, kStepB bytes behind those of the one before; `adds` is the first's,
/// the others do.
template <typename A, typename B, int kColumns, Major kMajorA, Major kMajorB, Sign kSign, int kStepA,
          int kStepB, typename Sum, int kSums>
TESSERA_DEVICE void wgmma_mma_async_four(Sum (&d)[kSums], MatrixDescriptor a, MatrixDescriptor b, bool adds,
                                         Location = Location::current()) {
  using Instruction = detail::Wgmma<A, B, kColumns>;
  constexpr int kScale = detail::scale_of<A, kSign>();
  static_assert(kStepA % 16 == 0 && kStepB % 16 == 0, "descriptors count by 16 bytes");
  if constexpr (sizeof(A) == 2) {
    Instruction::template multiply_four<kScale, kMajorA == Major::mn, kMajorB == Major::mn, kStepA / 16,
                                        kStepB / 16>(d, a, b, adds);
  } else {
    static_assert(kMajorA == Major::k && kMajorB == Major::k, "only 16-bit elements may lie across K");
    Instruction::template multiply_four<kScale, kStepA / 16, kStepB / 16>(d, a, b, adds);
  }
}

}  // namespace tessera::ptx

#endif
