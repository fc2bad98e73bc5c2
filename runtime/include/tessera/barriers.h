// SPDX-License-Identifier: Apache-2.0
// Barriers of a block in shared memory (mbarrier objects of PTX), at which some threads arrive and others wait. A phase
// is complete when as many arrivals are there as the barrier takes and all bytes that were announced for it have been
// copied; the next one begins with that. Phases have parities, 0, 1, 0, …; who waits names the parity of the phase.
// `ptx_barrier.h` has what can be done with them.
#pragma once

#include "tessera/device.h"

#if TESSERA_TWIN
#include "tessera/twin/barriers.h"
#endif

namespace tessera {

#if TESSERA_TWIN
using Barriers = twin::Barriers;
#else
/// An array of barriers, by its address in shared memory.
struct Barriers {
  std::uint32_t address;
};

namespace detail {

/// An address that stays in a register: made anew in each round of a loop, from the number of the block in its cluster, it
/// would keep a warp waiting.
TESSERA_DEVICE std::uint32_t kept_shared_address(const void* pointer) {
  std::uint32_t address;
  asm volatile("mov.u32 %0, %1;"
               : "=r"(address)
               : "r"(static_cast<std::uint32_t>(__cvta_generic_to_shared(pointer))));
  return address;
}

}  // namespace detail
#endif

}  // namespace tessera

/// TESSERA_BARRIERS(name, count); declares an array of barriers of the block, which one thread is to initialise before
/// any other uses them.
#if TESSERA_TWIN
#define TESSERA_BARRIERS(name, count)   \
  static constexpr char name##_key = 0; \
  const ::tessera::Barriers name(#name, count, &name##_key)
#else
#define TESSERA_BARRIERS(name, count)                      \
  __shared__ alignas(8) std::uint64_t name##_words[count]; \
  const ::tessera::Barriers name { ::tessera::detail::kept_shared_address(name##_words) }
#endif
