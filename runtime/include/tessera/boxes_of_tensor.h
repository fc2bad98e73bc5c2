// SPDX-License-Identifier: Apache-2.0
// BoxesOfTensor: a tensor in global memory and the boxes of it that copies bring.
#pragma once

#include "tessera/tensor.h"

namespace tessera {

/// What the second-level cache does with lines that copies bring. Those that are read once go first where room is wanted;
/// others stay like all that is written, so that blocks which read them a little later find them.
enum class CachePolicy : std::uint64_t { normal = 0x1000000000000000, evict_first = 0x12f0000000000000 };

/// Dimension 0 is the one whose elements are neighbours; there are `rank` of them, and nothing is said of others.
struct BoxesOfTensor {
  static constexpr int kMostDimensions = 5;
  void* data;
  int rank;
  int element_bytes;
  bool rounds_to_tf32;  ///< floats, to 11 significant bits, to nearest, ties to even
  int span_bytes;       ///< of a line of a box, whose chunks of 16 bytes change places
  index extent[kMostDimensions];
  index stride[kMostDimensions];  ///< in bytes; any multiple of 16 where there is one element
  int box[kMostDimensions];

  bool operator==(const BoxesOfTensor& other) const {
    bool same = data == other.data && rank == other.rank && element_bytes == other.element_bytes &&
                rounds_to_tf32 == other.rounds_to_tf32 && span_bytes == other.span_bytes;
    for (int i = 0; same && i < rank; ++i)
      same = extent[i] == other.extent[i] && stride[i] == other.stride[i] && box[i] == other.box[i];
    return same;
  }
};

}  // namespace tessera
