// SPDX-License-Identifier: Apache-2.0
// StoreBoxes: the boxes of an output that warps store.
#pragma once

#include "tessera/tensor_map.h"

namespace tessera {

/// Rows of a box that a warp stores at once, and bytes of each: of elements of a byte fewer, since a thread has no more
/// registers for the values of so many columns.
inline constexpr int kStoredRows = 16;
template <typename T>
inline constexpr int kStoredBytes = sizeof(T) == 1 ? 64 : 128;

/// Where an output has no boxes, elements are stored one way or another instead.
struct StoreBoxes {
  TensorMap map;
  bool are_there;
};

/// Of an output whose tiles have columns along its last dimension and rows along kRowDimension. The copy engine writes whole
/// chunks of 16 bytes: there are no boxes where lines end within one.
template <typename T, int Rank, int kRowDimension>
TESSERA_OUT_OF_LINE StoreBoxes boxes_for_stores(const Tensor& output) {
  StoreBoxes boxes{};
  boxes.are_there = output.extent[Rank - 1] * static_cast<index>(sizeof(T)) % 16 == 0 &&
                    has_boxes(output, Rank - 1) &&
                    make_tensor_map<T, Rank, kStoredBytes<T>>(
                        boxes.map, output, TensorBox<kRowDimension, Rank - 1>{kStoredRows});
  return boxes;
}

}  // namespace tessera
