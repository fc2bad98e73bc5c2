// SPDX-License-Identifier: Apache-2.0
// Which vectors of a tile a thread computes.
#pragma once

#include "tessera/device.h"

namespace tessera {

/// The vectors of N elements of a tile, shared out among kThreads threads. Those of a thread lie at the same position
/// of several lines, so that what depends on the position alone is read and computed once for all of them.
template <typename Tile, int N, int kThreads>
struct VectorShare {
  static_assert(Tile::kLength % N == 0, "lines are whole vectors");
  static constexpr int kPerLine = Tile::kLength / N;
  static constexpr int kAlong = kPerLine < kThreads ? kPerLine : kThreads;
  static constexpr int kAcross = kThreads / kAlong;  ///< lines at once
  static constexpr int kAlongRounds = (kPerLine + kAlong - 1) / kAlong;
  static constexpr int kAcrossRounds = (Tile::kLines + kAcross - 1) / kAcross;
  /// Every thread has a vector in every round.
  static constexpr bool kIsEven = kAlong * kAlongRounds == kPerLine &&
                                  kAcross * kAcrossRounds == Tile::kLines && kAlong * kAcross == kThreads;

  static TESSERA_DEVICE int position(int round) {
    return (round * kAlong + static_cast<int>(static_cast<unsigned>(thread_index()) % kAlong)) * N;
  }
  static TESSERA_DEVICE int line(int round) {
    return round * kAcross + static_cast<int>(static_cast<unsigned>(thread_index()) / kAlong);
  }
  static TESSERA_DEVICE bool has_position(int round) {
    return kIsEven ? round < kAlongRounds : position(round) < Tile::kLength;
  }
  static TESSERA_DEVICE bool has_line(int round) {
    return kIsEven ? round < kAcrossRounds
                   : line(round) < Tile::kLines &&
                         (kAlong * kAcross == kThreads || thread_index() < kAlong * kAcross);
  }
};

}  // namespace tessera
