// SPDX-License-Identifier: Apache-2.0
// TileRing: stages of shared memory that one thread has filled and warps read, one after another.
#pragma once

#include "tessera/early_launch.h"
#include "tessera/ptx_barrier.h"
#include "tessera/ptx_cluster.h"

namespace tessera {

/// Where a thread is in a ring of kStages stages: which is next, and the parity of the phase in which it is filled.
template <int kStages>
struct RingPlace {
  int stage = 0;
  int parity = 0;

  TESSERA_DEVICE void advance() {
    if (++stage == kStages) {
      stage = 0;
      parity ^= 1;
    }
  }
};

/// In place of a ring, for a thread that brings the boxes of its first rounds into the second-level cache alone: nothing is
/// waited for, and nothing arrives.
template <int kStages>
struct LookAhead {
  int blocks = 1;

  /// Whether a round is one of these: as many as there are stages, from a place of parity 0 on.
  TESSERA_DEVICE bool begin_fill(const RingPlace<kStages>& at, int) const { return at.parity == 0; }
  TESSERA_DEVICE void wait_for_launch_before() const {}  // boxes for the cache need not
  TESSERA_DEVICE void drain(const RingPlace<kStages>&) const {}
};

/// The barriers of a ring of tiles: one thread asks for the copies to a stage, `readers` warps read it. What a block of a
/// cluster copies goes to all of its `blocks`, so that all have to have read a stage.
template <int kStages>
struct TileRing {
  using Place = RingPlace<kStages>;

  Barriers full, empty;
  int blocks = 1;

  /// By all threads of the block, before a barrier. One makes all stages ready: lanes of a warp would take turns.
  TESSERA_DEVICE void initialize(int readers, Location where = Location::current()) const {
    if (thread_index() != 0) return;
    TESSERA_UNROLL
    for (int stage = 0; stage < kStages; ++stage) {
      ptx::mbarrier_init(full, stage, 1, where);
      ptx::mbarrier_init(empty, stage, readers * blocks, where);
    }
    ptx::fence_mbarrier_init(where);
  }

  /// By the thread that copies: waits until the stage is read, and announces so many bytes for it. There always is a next
  /// round, other than of LookAhead.
  TESSERA_DEVICE bool begin_fill(const Place& at, int bytes, Location where = Location::current()) const {
    ptx::mbarrier_wait_parity(empty, at.stage, at.parity ^ 1, where);
    ptx::mbarrier_arrive_expect_tx(full, at.stage, bytes, where);
    return true;
  }

  /// By the thread that copies, before the boxes of a tile: the first call waits, later ones return at once.
  TESSERA_DEVICE void wait_for_launch_before(Location where = Location::current()) const {
    tessera::wait_for_launch_before(where);
  }

  TESSERA_DEVICE LookAhead<kStages> look_ahead() const { return {blocks}; }

  /// By the thread that copies, when it has nothing more to copy: waits until all is read. Before that a block of a cluster
  /// may not end, since others copy to it and arrive at its barriers.
  TESSERA_DEVICE void drain(Place at, Location where = Location::current()) const {
    if (blocks == 1) return;
    TESSERA_NO_UNROLL
    for (int stage = 0; stage < kStages; ++stage) {
      ptx::mbarrier_wait_parity(empty, at.stage, at.parity ^ 1, where);
      at.advance();
    }
  }

  /// By those who read: waits until the stage is filled.
  TESSERA_DEVICE void wait(const Place& at, Location where = Location::current()) const {
    ptx::mbarrier_wait_parity(full, at.stage, at.parity, where);
  }

  /// By those who read: this warp has read the stage.
  TESSERA_DEVICE void release(int stage, Location where = Location::current()) const {
    ptx::mbarrier_arrive_cluster(empty, stage, blocks, where);
  }

  /// The same of a ring that this block alone fills, whether or not it runs in a cluster.
  TESSERA_DEVICE void release_own(int stage, Location where = Location::current()) const {
    if (thread_index() % kWarpThreads == 0) ptx::mbarrier_arrive(empty, stage, where);
  }
};

}  // namespace tessera
