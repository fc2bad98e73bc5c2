// SPDX-License-Identifier: Apache-2.0
// The host twin of the instructions of clusters: their blocks run as one, each with shared memory of its own.
#pragma once

#include "tessera/ptx_cluster.h"
#include "tessera/twin/machine.h"

namespace tessera::ptx {

inline int cluster_ctarank() { return twin::block_rank(); }
inline int cluster_nctaid() { return twin::context.threads / twin::context.block_threads; }
inline int nclusterid() { return static_cast<int>(twin::context.blocks / cluster_nctaid()); }
inline void barrier_cluster(Location where = Location::current()) {
  twin::barrier(0, twin::context.threads, where);
}
/// What a warp has read is known of its first lane, which stands for all of them.
inline void mbarrier_arrive_cluster(const Barriers& barriers, int i, int blocks,
                                    Location where = Location::current()) {
  if (twin::thread_of_block() % 32 != 0) return;
  for (int rank = 0; rank < blocks; ++rank) barriers.arrive_at_block(i, rank, where);
}

}  // namespace tessera::ptx
