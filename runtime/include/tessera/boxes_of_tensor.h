// SPDX-License-Identifier: Apache-2.0
// BoxesOfTensor: a tensor in global memory and the boxes of it that copies bring.
#pragma once

#include "tessera/tensor.h"

namespace tessera {

/// What the second-level cache does with lines that copies bring. Those that are read once go first where room is wanted;
/// others stay like all that is written, so that blocks which read them a little later find them.
enum class CachePolicy : std::uint64_t { normal = 0x1000000000000000, evict_first = 0x12f0000000000000 };

/// Dimension 0 is the one whose elements are neighbours.
struct BoxesOfTensor {
  static constexpr int kMostDimensions = 5;
  void* data = nullptr;
  int rank = 0;
  int element_bytes = 0;
  bool rounds_to_tf32 = false;  ///< floats, to 11 significant bits, to nearest, ties to even
  int span_bytes = 0;           ///< of a line of a box, whose chunks of 16 bytes change places
  index extent[kMostDimensions] = {};
  index stride[kMostDimensions] = {};  ///< in bytes; any multiple of 16 where there is one element
  int box[kMostDimensions] = {};

  bool operator==(const BoxesOfTensor&) const = default;
};

}  // namespace tessera
