// SPDX-License-Identifier: Apache-2.0
// The instructions of barriers in shared memory, one function each, named after it. From sm_90 on.
#pragma once

#include "tessera/barriers.h"

#if TESSERA_TWIN
#include "tessera/twin/ptx_barrier.h"
#else

namespace tessera::ptx {

/// The address of barrier `i`.
TESSERA_DEVICE std::uint32_t shared_address(const Barriers& barriers, int i) {
  return barriers.address + static_cast<std::uint32_t>(i) * 8u;
}

/// mbarrier.init: barrier `i` takes `arrivals` of them in each phase, at least 1. Once for each barrier; a barrier of
/// the block follows before another thread uses it.
TESSERA_DEVICE void mbarrier_init(const Barriers& barriers, int i, int arrivals,
                                  Location = Location::current()) {
  asm volatile("mbarrier.init.shared::cta.b64 [%0], %1;"
               :
               : "r"(shared_address(barriers, i)), "r"(arrivals)
               : "memory");
}

/// fence.mbarrier_init: makes the barriers that this thread has initialised visible to asynchronous copies. A barrier
/// of the block follows.
TESSERA_DEVICE void fence_mbarrier_init(Location = Location::current()) {
  asm volatile("fence.mbarrier_init.release.cluster;" : : : "memory");
}

/// mbarrier.arrive: one arrival in the running phase. What this thread did before is visible to who waits for the phase.
TESSERA_DEVICE void mbarrier_arrive(const Barriers& barriers, int i, Location = Location::current()) {
  asm volatile("mbarrier.arrive.shared::cta.b64 _, [%0];" : : "r"(shared_address(barriers, i)) : "memory");
}

/// mbarrier.arrive.expect_tx: the same, after announcing so many bytes, which asynchronous copies bring in this phase.
TESSERA_DEVICE void mbarrier_arrive_expect_tx(const Barriers& barriers, int i, int bytes,
                                              Location = Location::current()) {
  asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;"
               :
               : "r"(shared_address(barriers, i)), "r"(bytes)
               : "memory");
}

/// mbarrier.try_wait.parity: whether the phase of that parity is complete, after waiting for it for some time.
TESSERA_DEVICE bool mbarrier_try_wait_parity(const Barriers& barriers, int i, int parity,
                                             Location = Location::current()) {
  int complete;
  asm volatile("{ .reg .pred p; mbarrier.try_wait.parity.shared::cta.b64 p, [%1], %2; selp.s32 %0, 1, 0, p; }"
               : "=r"(complete)
               : "r"(shared_address(barriers, i)), "r"(parity)
               : "memory");
  return complete != 0;
}

/// Waits until the phase of that parity is complete: the running one or the one before, which is complete. So parity 1
/// of a barrier that has just been initialised is complete. What arrived threads and copies did is then visible.
TESSERA_DEVICE void mbarrier_wait_parity(const Barriers& barriers, int i, int parity,
                                         Location = Location::current()) {
  while (!mbarrier_try_wait_parity(barriers, i, parity)) {
  }
}

}  // namespace tessera::ptx
#endif
