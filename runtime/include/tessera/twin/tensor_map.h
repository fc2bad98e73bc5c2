// SPDX-License-Identifier: Apache-2.0
// The host twin of tensor maps, and of the driver that makes them.
#pragma once

#include "tessera/boxes_of_tensor.h"

namespace tessera::twin {

struct TensorShadow;

struct BoxMap : BoxesOfTensor {
  /// What the twin knows of the tensor; null outside a launch, and of a copy.
  TensorShadow* shadow = nullptr;
};

/// Whether the driver of a GPU would take the boxes.
inline bool is_encodable(const BoxesOfTensor& boxes) {
  constexpr index kMostExtent = index{1} << 32, kStrideEnd = index{1} << 40;
  if (reinterpret_cast<std::uintptr_t>(boxes.data) % 16 != 0 || boxes.data == nullptr) return false;
  const int line_bytes = boxes.box[0] * boxes.element_bytes;
  if (line_bytes % 16 != 0 || line_bytes > boxes.span_bytes) return false;
  for (int i = 0; i < boxes.rank; ++i) {
    if (boxes.extent[i] < 1 || boxes.extent[i] > kMostExtent || boxes.box[i] < 1 || boxes.box[i] > 256)
      return false;
    if (i > 0 && (boxes.stride[i] % 16 != 0 || boxes.stride[i] < 0 || boxes.stride[i] >= kStrideEnd))
      return false;
  }
  return true;
}

}  // namespace tessera::twin

namespace tessera::detail {

inline bool encode(twin::BoxMap& map, const BoxesOfTensor& boxes) {
  map = {boxes};
  return twin::is_encodable(boxes);
}

}  // namespace tessera::detail
