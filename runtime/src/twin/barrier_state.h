// SPDX-License-Identifier: Apache-2.0
// What the machine and asynchronous copies have to do with barriers in shared memory.
#pragma once

#include "clock.h"
#include "tessera/twin/barriers.h"

namespace tessera::twin {

/// One barrier of the running block.
struct Barrier;

/// A launch begins: forgets all barriers.
void begin_barriers();

/// Barrier `i` of the array, for a copy that the current thread starts; null, and reported, if there is none.
Barrier* find_for_copy(BarrierArray& array, int i, Location where);

/// So many bytes of a copy are there: who waits for the phase comes to know what the copy carries.
void complete_transaction(Barrier& barrier, int bytes, const Knowledge& carried, Location where);

/// Nobody can run: reports the barriers at which threads wait for a phase.
void report_endless_waits();

/// The block has ended: reports bytes that were announced and not copied, or copied and not announced.
void check_transactions();

}  // namespace tessera::twin
