// SPDX-License-Identifier: Apache-2.0
// CopyOrder: which copies of a tile each thread of a block makes.
#pragma once

#include "tessera/operand_tile.h"

namespace tessera::detail {

struct CopyPlace {
  int line, position;
};

/// The copies of a tile, of kStep elements each, are numbered along a span, then line by line, then panel by panel:
/// threads write shared memory in its own order. Thread t makes copies t, t + kThreads, …
template <typename Tile, int kStep, int kThreads>
struct CopyOrder {
  static constexpr int kPerSpan = Tile::kSpan / kStep, kPerPanel = kPerSpan * Tile::kLines;
  static constexpr int kCopies = Tile::kCount / kStep, kEach = (kCopies + kThreads - 1) / kThreads;

  static TESSERA_HD constexpr CopyPlace place(int copy) {
    const auto c = static_cast<unsigned>(copy);
    return {static_cast<int>(c / kPerSpan % Tile::kLines),
            static_cast<int>(c / kPerPanel * Tile::kSpan + c % kPerSpan * kStep)};
  }

  /// Whether copies t + i * kThreads stand as far from copy t as copy i * kThreads does from copy 0, whatever t is; and
  /// whether they do in shared memory: chunks of lines a multiple of 8 apart stand in the same order.
  static constexpr bool kIsRegular = kCopies % kThreads == 0 && kThreads % kPerSpan == 0 &&
                                     (kPerPanel % kThreads == 0 || kThreads % kPerPanel == 0);
  static constexpr bool kKeepsChunks = kIsRegular && kThreads / kPerSpan % 8 == 0;
};

}  // namespace tessera::detail
