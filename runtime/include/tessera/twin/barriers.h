// SPDX-License-Identifier: Apache-2.0
// Barriers in shared memory on the host twin: who waits learns what those who arrived did, and nothing of others. So a
// read before the wait, or an arrival before the read, is a race on every schedule.
#pragma once

#include "tessera/twin/fault.h"

namespace tessera::twin {

struct Barrier;
struct BarrierArray;

/// The most arrivals a barrier can take in a phase, and the most bytes that can be awaited.
inline constexpr int kMostArrivals = (1 << 20) - 1;
inline constexpr int kMostBytes = (1 << 20) - 1;

/// Barriers of the running block; see tessera/barriers.h. The functions are the instructions of tessera/ptx_barrier.h.
class Barriers {
 public:
  /// The array that belongs to `key` (one for each declaration), made by the first thread that asks.
  Barriers(const char* name, int count, const void* key, Location where = Location::current());

  void init(int i, int arrivals, Location where) const;
  void arrive(int i, Location where) const;
  /// At the same barrier of another block of the cluster.
  void arrive_at_block(int i, int rank, Location where) const;
  void arrive_expect_tx(int i, int bytes, Location where) const;
  void wait_parity(int i, int parity, Location where) const;

  /// A copy of so many bytes ends that the current thread has started: it tells those who wait what this thread did.
  void complete_transaction(int i, int bytes, Location where) const;

  /// Barrier `i` of a block of the cluster, for a copy that the current thread starts; null, and reported, if there is none.
  Barrier* for_copy(int i, int rank, Location where) const;

 private:
  BarrierArray* array_;
};

/// Makes the barriers that the current thread has initialised visible to asynchronous copies.
void fence_mbarrier_init();

}  // namespace tessera::twin
