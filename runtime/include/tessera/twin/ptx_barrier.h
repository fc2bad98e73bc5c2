// SPDX-License-Identifier: Apache-2.0
// The host twin of the instructions of barriers in shared memory.
#pragma once

#include "tessera/ptx_barrier.h"

namespace tessera::ptx {

inline void mbarrier_init(const Barriers& barriers, int i, int arrivals,
                          Location where = Location::current()) {
  barriers.init(i, arrivals, where);
}
inline void fence_mbarrier_init(Location = Location::current()) { twin::fence_mbarrier_init(); }
inline void mbarrier_arrive(const Barriers& barriers, int i, Location where = Location::current()) {
  barriers.arrive(i, where);
}
inline void mbarrier_arrive_expect_tx(const Barriers& barriers, int i, int bytes,
                                      Location where = Location::current()) {
  barriers.arrive_expect_tx(i, bytes, where);
}
inline void mbarrier_wait_parity(const Barriers& barriers, int i, int parity,
                                 Location where = Location::current()) {
  barriers.wait_parity(i, parity, where);
}

}  // namespace tessera::ptx
