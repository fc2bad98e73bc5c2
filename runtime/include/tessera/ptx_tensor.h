// SPDX-License-Identifier: Apache-2.0
// The instructions of the copy engine (TMA), one function each, named after it. From compute capability 9.0 on. One thread
// asks for a copy; the engine computes its addresses from a map and fills with zeros what lies outside.
#pragma once

#include "tessera/barriers.h"
#include "tessera/ptx_copy.h"
#include "tessera/tensor_map.h"

#if TESSERA_TWIN
#include "tessera/twin/ptx_tensor.h"
#else

#include "tessera/ptx_90a.h"
#include "tessera/ptx_barrier.h"

namespace tessera::ptx {

/// prefetch.tensormap: the map is on its way to where copies look for it.
TESSERA_DEVICE void prefetch_tensormap(const BoxMap& map, Location = Location::current()) {
  asm volatile("prefetch.tensormap [%0];" : : "l"(&map) : "memory");
}

/// fence.proxy.async: what this thread stored in shared memory is there for copies and products of warpgroups.
TESSERA_DEVICE void fence_proxy_async(Location = Location::current()) {
  asm volatile("fence.proxy.async.shared::cta;" : : : "memory");
}

/// griddepcontrol.launch_dependents: as far as this block is concerned, the next launch may begin.
TESSERA_DEVICE void griddepcontrol_launch_dependents(Location = Location::current()) {
  asm volatile("griddepcontrol.launch_dependents;" : : : "memory");
}

/// griddepcontrol.wait: until the launches before have ended, and what they wrote is there.
TESSERA_DEVICE void griddepcontrol_wait(Location = Location::current()) {
  asm volatile("griddepcontrol.wait;" : : : "memory");
}

/// cp.async.bulk.tensor, global to shared: the box at `at`, coordinates in the order of the map, to element `i` on. When all
/// of its bytes are there, also those that stand for nothing, barrier number `barrier` has them. With `multicast` to the
/// same places of all blocks of the cluster that have a bit in `blocks`, whose own barriers get the bytes.
#define TESSERA_PTX_LOAD_BOX(rank, coordinates, policy_operand, blocks_operand, ...)                     \
  template <typename T>                                                                                  \
  TESSERA_DEVICE void cp_async_bulk_tensor_load(                                                         \
      const Shared<T>& to, int i, const BoxMap& map, CachePolicy policy, const int(&at)[rank],           \
      const Barriers& barriers, int barrier, Location = Location::current()) {                           \
    asm volatile(                                                                                        \
        "cp.async.bulk.tensor." #rank                                                                    \
        "d.shared::cluster.global.mbarrier::complete_tx::bytes.L2::cache_hint [%0], [%1, {" coordinates  \
        "}], [%2], " policy_operand ";"                                                                  \
        :                                                                                                \
        : "r"(shared_address(to, i)), "l"(&map), "r"(shared_address(barriers, barrier)), __VA_ARGS__,    \
          "l"(policy)                                                                                    \
        : "memory");                                                                                     \
  }                                                                                                      \
  template <typename T>                                                                                  \
  TESSERA_DEVICE void cp_async_bulk_tensor_load_multicast(                                               \
      const Shared<T>& to, int i, const BoxMap& map, CachePolicy policy, const int(&at)[rank],           \
      const Barriers& barriers, int barrier, std::uint32_t blocks, Location = Location::current()) {     \
    TESSERA_ASM_90A(                                                                                     \
        "cp.async.bulk.tensor." #rank                                                                    \
        "d.shared::cluster.global.mbarrier::complete_tx::bytes.multicast::cluster.L2::cache_hint [%0], " \
        "[%1, {" coordinates "}], [%2], " blocks_operand ", " policy_operand ";"                         \
        :                                                                                                \
        : "r"(shared_address(to, i)), "l"(&map), "r"(shared_address(barriers, barrier)), __VA_ARGS__,    \
          "l"(policy), "h"(static_cast<unsigned short>(blocks))                                          \
        : "memory");                                                                                     \
  }
TESSERA_PTX_LOAD_BOX(2, "%3, %4", "%5", "%6", "r"(at[0]), "r"(at[1]))
TESSERA_PTX_LOAD_BOX(3, "%3, %4, %5", "%6", "%7", "r"(at[0]), "r"(at[1]), "r"(at[2]))
TESSERA_PTX_LOAD_BOX(4, "%3, %4, %5, %6", "%7", "%8", "r"(at[0]), "r"(at[1]), "r"(at[2]), "r"(at[3]))
TESSERA_PTX_LOAD_BOX(5, "%3, %4, %5, %6, %7", "%8", "%9", "r"(at[0]), "r"(at[1]), "r"(at[2]), "r"(at[3]),
                     "r"(at[4]))
#undef TESSERA_PTX_LOAD_BOX

/// cp.async.bulk.prefetch.tensor: a hint that the box at `at` will be copied, which brings it into the second-level cache. All
/// multiprocessors write through that cache, so a box may be asked for before it is written.
#define TESSERA_PTX_PREFETCH_BOX(rank, coordinates, policy_operand, ...)                                    \
  TESSERA_DEVICE void cp_async_bulk_prefetch_tensor(const BoxMap& map, CachePolicy policy,                  \
                                                    const int(&at)[rank], Location = Location::current()) { \
    asm volatile("cp.async.bulk.prefetch.tensor." #rank "d.L2.global.L2::cache_hint [%0, {" coordinates     \
                 "}], " policy_operand ";"                                                                  \
                 :                                                                                          \
                 : "l"(&map), __VA_ARGS__, "l"(policy)                                                      \
                 : "memory");                                                                               \
  }
TESSERA_PTX_PREFETCH_BOX(2, "%1, %2", "%3", "r"(at[0]), "r"(at[1]))
TESSERA_PTX_PREFETCH_BOX(3, "%1, %2, %3", "%4", "r"(at[0]), "r"(at[1]), "r"(at[2]))
TESSERA_PTX_PREFETCH_BOX(4, "%1, %2, %3, %4", "%5", "r"(at[0]), "r"(at[1]), "r"(at[2]), "r"(at[3]))
TESSERA_PTX_PREFETCH_BOX(5, "%1, %2, %3, %4, %5", "%6", "r"(at[0]), "r"(at[1]), "r"(at[2]), "r"(at[3]),
                         "r"(at[4]))
#undef TESSERA_PTX_PREFETCH_BOX

/// cp.async.bulk.tensor, shared to global: the box at `at` becomes what stands from element `i` on; of it nothing is written
/// that lies outside of the tensor. Behind fence_proxy_async of those who stored there, and a barrier.
#define TESSERA_PTX_STORE_BOX(rank, coordinates, ...)                                               \
  template <typename T>                                                                             \
  TESSERA_DEVICE void cp_async_bulk_tensor_store(const BoxMap& map, const int(&at)[rank],           \
                                                 const Shared<T>& from, int i,                      \
                                                 Location = Location::current()) {                  \
    asm volatile("cp.async.bulk.tensor." #rank "d.global.shared::cta.bulk_group [%0, {" coordinates \
                 "}], [%1];"                                                                        \
                 :                                                                                  \
                 : "l"(&map), "r"(shared_address(from, i)), __VA_ARGS__                             \
                 : "memory");                                                                       \
  }
TESSERA_PTX_STORE_BOX(2, "%2, %3", "r"(at[0]), "r"(at[1]))
TESSERA_PTX_STORE_BOX(3, "%2, %3, %4", "r"(at[0]), "r"(at[1]), "r"(at[2]))
TESSERA_PTX_STORE_BOX(4, "%2, %3, %4, %5", "r"(at[0]), "r"(at[1]), "r"(at[2]), "r"(at[3]))
TESSERA_PTX_STORE_BOX(5, "%2, %3, %4, %5, %6", "r"(at[0]), "r"(at[1]), "r"(at[2]), "r"(at[3]), "r"(at[4]))
#undef TESSERA_PTX_STORE_BOX

/// cp.async.bulk.commit_group: closes a group of the stores that this thread has asked for.
TESSERA_DEVICE void cp_async_bulk_commit_group(Location = Location::current()) {
  asm volatile("cp.async.bulk.commit_group;" : : : "memory");
}

/// cp.async.bulk.wait_group.read: until all but the newest kPending groups of this thread have read shared memory.
template <int kPending>
TESSERA_DEVICE void cp_async_bulk_wait_group_read(Location = Location::current()) {
  asm volatile("cp.async.bulk.wait_group.read %0;" : : "n"(kPending) : "memory");
}

}  // namespace tessera::ptx
#endif
