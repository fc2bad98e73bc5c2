// SPDX-License-Identifier: Apache-2.0
// Boxes that are on their way: what files of copies and stores have in common, and what the machine has to do with them.
#pragma once

#include "tessera/tensor_map.h"
#include "tessera/twin/shared_memory.h"

namespace tessera::twin {

/// Where byte number `byte` of shared memory stands once chunks of 16 bytes have changed places in spans of so many.
inline int swizzled(int byte, int span_bytes) { return byte ^ (byte >> 7 & (span_bytes / 16 - 1)) << 4; }

/// Whether a box may begin at an element of shared memory; reports it if not.
bool begins_box(const SharedArray& array, int i, Location where);

/// The same of a line in global memory: on a GPU the instruction would be an illegal one.
bool begins_at_chunk(const BoxMap& map, const int* at, Location where);

/// A block begins: no box is on its way.
void begin_boxes();

/// Nobody can go on: one box more arrives, if there is one. The last first: who waits for one knows nothing of another.
bool land_next_box();

/// All threads of a cluster have ended: what they asked for ahead, one of them has copied.
void check_boxes_ahead();

/// All threads of a block have ended, which is to be the case of its stores too.
void check_stores();

}  // namespace tessera::twin
