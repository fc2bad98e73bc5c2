// SPDX-License-Identifier: Apache-2.0
// What the host twin knows of a tensor that boxes are copied from.
#pragma once

#include <cstdint>

namespace tessera::twin {

/// Dimension 0 is the one whose elements are neighbours.
struct TensorMap {
  static constexpr int kMostDimensions = 5;
  const unsigned char* data = nullptr;
  int rank = 0;
  int element_bytes = 0;
  int span_bytes = 0;  ///< whose chunks of 16 bytes change places
  std::int64_t extent[kMostDimensions] = {};
  std::int64_t stride[kMostDimensions] = {};  ///< in bytes
  int box[kMostDimensions] = {};
};

/// Whether the driver of a GPU would take the map.
inline bool is_encodable(const TensorMap& map) {
  constexpr std::int64_t kMostExtent = std::int64_t{1} << 32, kStrideEnd = std::int64_t{1} << 40;
  if (reinterpret_cast<std::uintptr_t>(map.data) % 16 != 0 || map.data == nullptr) return false;
  if (map.box[0] * map.element_bytes % 16 != 0 || map.box[0] * map.element_bytes > map.span_bytes)
    return false;
  for (int i = 0; i < map.rank; ++i) {
    if (map.extent[i] < 1 || map.extent[i] > kMostExtent || map.box[i] < 1 || map.box[i] > 256) return false;
    if (i > 0 && (map.stride[i] % 16 != 0 || map.stride[i] < 0 || map.stride[i] >= kStrideEnd)) return false;
  }
  return true;
}

}  // namespace tessera::twin
