// SPDX-License-Identifier: Apache-2.0
// copy_into_lines: a tensor of any strides, written with the elements of one dimension behind each other.
#pragma once

#include "tessera/launch.h"
#include "tessera/positions.h"
#include "tessera/shared.h"
#include "tessera/view.h"

namespace tessera::detail {

inline constexpr int kLineCopyTile = 64, kLineCopyThreads = 256, kLineCopyDimensions = 5;

/// to = from: the last dimension is the one whose elements follow each other in `to`, the one before it the one whose
/// elements do in `from`, if that is another. A tile passes through shared memory, so that both sides move whole lines.
template <typename T>
TESSERA_KERNEL(kLineCopyThreads, 1)
void copy_into_lines(TESSERA_PARAMETER View<const T, kLineCopyDimensions> from,
                     TESSERA_PARAMETER View<T, kLineCopyDimensions> to) {
  constexpr int kTile = kLineCopyTile, kPitch = kTile + (sizeof(T) < 4 ? 4 / static_cast<int>(sizeof(T)) : 1);
  TESSERA_SHARED(T, tile, kTile * kPitch);
  const index lines = to.extent[3], length = to.extent[4];
  const bool is_across = from.stride[4] != 1 && from.stride[3] == 1;
  const Index<5> counts{to.extent[0], to.extent[1], to.extent[2], ceil_divide(lines, kTile),
                        ceil_divide(length, kTile)};
  const index tiles = counts[0] * counts[1] * counts[2] * counts[3] * counts[4];
  for (index number = block_index(); number < tiles; number += block_count()) {
    const Index<5> at = tile_position(number, counts);
    const index first_line = at[3] * kTile, first = at[4] * kTile;
    barrier();  // everyone has written the tile before
    for (int i = thread_index(); i < kTile * kTile; i += kLineCopyThreads) {
      const int line = is_across ? i % kTile : i / kTile, position = is_across ? i / kTile : i % kTile;
      if (first_line + line < lines && first + position < length)
        tile[line * kPitch + position] =
            from.load({at[0], at[1], at[2], first_line + line, first + position});
    }
    barrier();
    for (int i = thread_index(); i < kTile * kTile; i += kLineCopyThreads) {
      const int line = i / kTile, position = i % kTile;
      if (first_line + line >= lines || first + position >= length) continue;
      const T element = tile[line * kPitch + position];
      to.store({at[0], at[1], at[2], first_line + line, first + position}, element);
    }
  }
}

}  // namespace tessera::detail
