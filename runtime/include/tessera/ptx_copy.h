// SPDX-License-Identifier: Apache-2.0
// The instructions that bring operands of products from global to shared memory and on into registers, and tiles back,
// one function each, named after it.
#pragma once

#include "tessera/shared.h"

#if TESSERA_TWIN
#include "tessera/twin/ptx_copy.h"
#else

namespace tessera::ptx {

/// The address of element `i`.
template <typename T>
TESSERA_DEVICE std::uint32_t shared_address(const Shared<T>& array, int i) {
  return shared_address(array.data) + static_cast<std::uint32_t>(i) * static_cast<std::uint32_t>(sizeof(T));
}

/// ldmatrix: 8 x 8 matrices of 16-bit elements, or what has their bytes. Lane 8 m + r names the 16 bytes of row r of
/// matrix m (element `i` of the array on); of matrix m each lane gets two elements in words[m]: those at columns
/// 2 (lane % 4) on of row lane / 4, with .trans those at rows 2 (lane % 4) on of column lane / 4. All lanes name rows,
/// also where only 16 are asked for.
#define TESSERA_PTX_LDMATRIX(name, instruction, count, registers, address, ...)                        \
  template <typename T>                                                                                \
  TESSERA_DEVICE void name(std::uint32_t(&words)[count], const Shared<T>& array, int i,                \
                           Location = Location::current()) {                                           \
    asm volatile("ldmatrix.sync.aligned.m8n8." instruction ".shared.b16 " registers ", [" address "];" \
                 : __VA_ARGS__                                                                         \
                 : "r"(shared_address(array, i))                                                       \
                 : "memory");                                                                          \
  }
#define TESSERA_PTX_TWO "=r"(words[0]), "=r"(words[1])
#define TESSERA_PTX_FOUR TESSERA_PTX_TWO, "=r"(words[2]), "=r"(words[3])
TESSERA_PTX_LDMATRIX(ldmatrix_x4, "x4", 4, "{%0, %1, %2, %3}", "%4", TESSERA_PTX_FOUR)
TESSERA_PTX_LDMATRIX(ldmatrix_x4_trans, "x4.trans", 4, "{%0, %1, %2, %3}", "%4", TESSERA_PTX_FOUR)
TESSERA_PTX_LDMATRIX(ldmatrix_x2, "x2", 2, "{%0, %1}", "%2", TESSERA_PTX_TWO)
TESSERA_PTX_LDMATRIX(ldmatrix_x2_trans, "x2.trans", 2, "{%0, %1}", "%2", TESSERA_PTX_TWO)
#undef TESSERA_PTX_FOUR
#undef TESSERA_PTX_TWO
#undef TESSERA_PTX_LDMATRIX

/// prmt: byte i of the result is that of the eight of `a` and `b` whose number is digit i of `selector`.
TESSERA_DEVICE std::uint32_t prmt(std::uint32_t a, std::uint32_t b, std::uint32_t selector) {
  return __byte_perm(a, b, selector);
}

/// shfl.sync.idx: what another lane of the warp brought.
TESSERA_DEVICE std::uint32_t shfl_sync(std::uint32_t value, int lane, Location = Location::current()) {
  return __shfl_sync(0xffffffffu, value, lane);
}

/// stmatrix: the way back. words[m] of each lane holds two elements of matrix m, those that ldmatrix gives; lane 8 m + r names
/// the 16 bytes where row r of matrix m goes. From compute capability 9.0 on.
#define TESSERA_PTX_STMATRIX(name, instruction)                                                              \
  template <typename T>                                                                                      \
  TESSERA_DEVICE void name(const Shared<T>& array, int i, const std::uint32_t(&words)[4],                    \
                           Location = Location::current()) {                                                 \
    asm volatile("stmatrix.sync.aligned.m8n8." instruction ".shared.b16 [%0], {%1, %2, %3, %4};"             \
                 :                                                                                           \
                 : "r"(shared_address(array, i)), "r"(words[0]), "r"(words[1]), "r"(words[2]), "r"(words[3]) \
                 : "memory");                                                                                \
  }
TESSERA_PTX_STMATRIX(stmatrix_x4, "x4")
TESSERA_PTX_STMATRIX(stmatrix_x4_trans, "x4.trans")
#undef TESSERA_PTX_STMATRIX

/// cp.async: the first `bytes` bytes at `from` and zeros behind them to element `i` on, 4, 8 or 16 in all. Both
/// addresses are multiples of that; nothing is read where `bytes` is 0. The copy is under way until the wait for its
/// group.
template <typename T>
TESSERA_DEVICE void cp_async_4(const Shared<T>& to, int i, const T* from, int bytes,
                               Location = Location::current()) {
  asm volatile("cp.async.ca.shared.global [%0], [%1], 4, %2;"
               :
               : "r"(shared_address(to, i)), "l"(global_address(from)), "r"(bytes)
               : "memory");
}
template <typename T>
TESSERA_DEVICE void cp_async_8(const Shared<T>& to, int i, const T* from, int bytes,
                               Location = Location::current()) {
  asm volatile("cp.async.ca.shared.global [%0], [%1], 8, %2;"
               :
               : "r"(shared_address(to, i)), "l"(global_address(from)), "r"(bytes)
               : "memory");
}
template <typename T>
TESSERA_DEVICE void cp_async_16(const Shared<T>& to, int i, const T* from, int bytes,
                                Location = Location::current()) {
  asm volatile("cp.async.cg.shared.global.L2::128B [%0], [%1], 16, %2;"
               :
               : "r"(shared_address(to, i)), "l"(global_address(from)), "r"(bytes)
               : "memory");
}

/// cp.async.commit_group: closes a group of this thread's copies, which may be empty.
TESSERA_DEVICE void cp_async_commit_group(Location = Location::current()) {
  asm volatile("cp.async.commit_group;" : : : "memory");
}

/// cp.async.wait_group kPending: until at most the newest kPending of this thread's groups are under way.
template <int kPending>
TESSERA_DEVICE void cp_async_wait_group(Location = Location::current()) {
  asm volatile("cp.async.wait_group %0;" : : "n"(kPending) : "memory");
}

}  // namespace tessera::ptx
#endif
