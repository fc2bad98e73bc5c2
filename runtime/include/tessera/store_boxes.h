// SPDX-License-Identifier: Apache-2.0
// StoreBoxes: the boxes of an output that warps store.
#pragma once

#include "tessera/tensor_map.h"

namespace tessera {

/// What lines of an output are in a tile of it: rows, or columns.
enum class StoredLine { row, column };

/// Rows that a warp stores at once, and bytes of each: of elements of a byte fewer, since a thread has no more registers for
/// the values of so many columns.
inline constexpr int kStoredRows = 16;
template <typename T>
inline constexpr int kStoredBytes = sizeof(T) == 1 ? 64 : 128;
template <typename T>
inline constexpr int kStoredColumns = kStoredBytes<T> / static_cast<int>(sizeof(T));

/// Where an output has no boxes, elements are stored one way or another instead.
struct StoreBoxes {
  TensorMap map;
  bool are_there;
};

/// Of an output whose tiles have lines along its last dimension, rows or columns of them, which follow each other along
/// kLineDimension. The copy engine writes whole chunks of 16 bytes: there are no boxes where lines end within one.
template <typename T, int Rank, int kLineDimension, StoredLine kLine = StoredLine::row>
TESSERA_OUT_OF_LINE StoreBoxes boxes_for_stores(const Tensor& output) {
  constexpr bool kAreRows = kLine == StoredLine::row;
  constexpr int kLines = kAreRows ? kStoredRows : kStoredColumns<T>;
  constexpr int kSpanBytes = (kAreRows ? kStoredColumns<T> : kStoredRows) * static_cast<int>(sizeof(T));
  StoreBoxes boxes;
  boxes.are_there =
      output.extent[Rank - 1] * static_cast<index>(sizeof(T)) % 16 == 0 && has_boxes(output, Rank - 1) &&
      make_tensor_map<T, Rank, kSpanBytes>(boxes.map, output, TensorBox<kLineDimension, Rank - 1>{kLines});
  if (!boxes.are_there) boxes.map = {};
  return boxes;
}

}  // namespace tessera
