// SPDX-License-Identifier: Apache-2.0
// The instructions of clusters, blocks that run together and reach each other's shared memory, one function each, named
// after it. From sm_90 on.
#pragma once

#include "tessera/ptx_barrier.h"

#if TESSERA_TWIN
#include "tessera/twin/ptx_cluster.h"
#else

namespace tessera::ptx {

/// %cluster_ctarank: the number of this block in its cluster.
TESSERA_DEVICE int cluster_ctarank() {
  int rank;
  asm("mov.u32 %0, %%cluster_ctarank;" : "=r"(rank));
  return rank;
}

/// barrier.cluster.arrive and .wait: until all threads of the cluster are here; what they did in shared memory of any of its
/// blocks is then visible to all.
TESSERA_DEVICE void barrier_cluster(Location = Location::current()) {
  asm volatile("barrier.cluster.arrive.aligned;" : : : "memory");
  asm volatile("barrier.cluster.wait.aligned;" : : : "memory");
}

/// mapa, mbarrier.arrive.shared::cluster: as mbarrier_arrive, at the same barrier of block number `rank` of the cluster.
TESSERA_DEVICE void mbarrier_arrive_cluster(const Barriers& barriers, int i, int rank,
                                            Location = Location::current()) {
  asm volatile(
      "{ .reg .b32 remote; mapa.shared::cluster.u32 remote, %0, %1; "
      "mbarrier.arrive.shared::cluster.b64 _, [remote]; }"
      :
      : "r"(shared_address(barriers, i)), "r"(rank)
      : "memory");
}

}  // namespace tessera::ptx
#endif
