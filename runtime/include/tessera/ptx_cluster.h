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

/// %cluster_nctaid.x: the blocks of a cluster; 1 where a launch asks for none.
TESSERA_DEVICE int cluster_nctaid() {
  int blocks;
  asm("mov.u32 %0, %%cluster_nctaid.x;" : "=r"(blocks));
  return blocks;
}

/// %nclusterid.x: the clusters of the grid.
TESSERA_DEVICE int nclusterid() {
  int count;
  asm("mov.u32 %0, %%nclusterid.x;" : "=r"(count));
  return count;
}

/// barrier.cluster.arrive.relaxed and .wait: until all threads of the cluster are here. It orders nothing but what a fence
/// before it does.
TESSERA_DEVICE void barrier_cluster(Location = Location::current()) {
  asm volatile("barrier.cluster.arrive.relaxed.aligned;" : : : "memory");
  asm volatile("barrier.cluster.wait.aligned;" : : : "memory");
}

/// mapa, mbarrier.arrive.shared::cluster by a warp: as mbarrier_arrive, by lane i at the same barrier of block i of the
/// cluster, which has so many. Without a branch, behind which a warp would have to meet again.
TESSERA_DEVICE void mbarrier_arrive_cluster(const Barriers& barriers, int i, int blocks,
                                            Location = Location::current()) {
  asm volatile(
      "{ .reg .pred arrives; .reg .b32 remote; setp.lt.s32 arrives, %1, %2; "
      "@arrives mapa.shared::cluster.u32 remote, %0, %1; "
      "@arrives mbarrier.arrive.shared::cluster.b64 _, [remote]; }"
      :
      : "r"(shared_address(barriers, i)), "r"(thread_index() % kWarpThreads), "r"(blocks)
      : "memory");
}

}  // namespace tessera::ptx
#endif
