// SPDX-License-Identifier: Apache-2.0
// The host twin of the instructions of clusters: their blocks run as one, each with shared memory of its own.
#pragma once

#include "tessera/ptx_cluster.h"
#include "tessera/twin/machine.h"

namespace tessera::ptx {

inline int cluster_ctarank() { return twin::block_rank(); }
inline void barrier_cluster(Location where = Location::current()) {
  twin::barrier(0, twin::context.threads, where);
}
inline void mbarrier_arrive_cluster(const Barriers& barriers, int i, int rank,
                                    Location where = Location::current()) {
  barriers.arrive_at_block(i, rank, where);
}

}  // namespace tessera::ptx
