// SPDX-License-Identifier: Apache-2.0
// EitherRing<T, kWidth, kDepth, kStages, kOrder>: tiles of an operand in shared memory, whose lines run as a launch finds
// them in global memory: along K, over which products are summed, or along the rows (columns) of the result.
#pragma once

#include <type_traits>

#include "tessera/operand_tile.h"

namespace tessera {

/// A tile of kWidth rows (columns) and kDepth of K. Along the rows (columns) boxes bring whole panels of lines, of which a
/// product leaves out the rest.
template <typename T, int kWidth, int kDepth, Order kOrder = Order::either>
struct EitherTile {
  using AlongK = OperandTile<T, kWidth, kDepth>;
  using AcrossK = OperandTile<T, kDepth, in_whole_panels<T>(kWidth)>;
  static constexpr bool kHasPanels = kOrder != Order::k && AlongK::kRoom < AcrossK::kRoom;
  static constexpr int kRoom = kHasPanels ? AcrossK::kRoom : AlongK::kRoom;

  Shared<T> elements;
  int first = 0;  ///< where the tile begins among them
  Major major = Major::k;

  TESSERA_DEVICE bool is_along_k() const {
    return kOrder == Order::either ? major == Major::k : kOrder == Order::k;
  }

  /// How many boxes bring a tile, and what each brings of a line, in bytes and in elements.
  TESSERA_DEVICE int boxes() const { return is_along_k() ? AlongK::boxes() : AcrossK::boxes(); }
  TESSERA_DEVICE int span_bytes() const { return is_along_k() ? AlongK::kSpanBytes : AcrossK::kSpanBytes; }
  TESSERA_DEVICE int span() const { return is_along_k() ? AlongK::kSpan : AcrossK::kSpan; }

  /// `use(major, tile)` is called with the tile as it lies, and what its lines run along as a constant.
  template <typename Use>
  TESSERA_DEVICE void as_it_lies(const Use& use) const {
    if constexpr (kOrder != Order::mn) {
      if (kOrder == Order::k || major == Major::k)
        return use(std::integral_constant<Major, Major::k>{}, AlongK{elements, first});
    }
    if constexpr (kOrder != Order::k)
      use(std::integral_constant<Major, Major::mn>{}, AcrossK{elements, first});
  }
};

/// The same of a tile whose lines run along K alone.
template <typename T, int kLines, int kLength, typename Use>
TESSERA_DEVICE void as_it_lies(const OperandTile<T, kLines, kLength>& tile, const Use& use) {
  use(std::integral_constant<Major, Major::k>{}, tile);
}
template <typename T, int kWidth, int kDepth, Order kOrder, typename Use>
TESSERA_DEVICE void as_it_lies(const EitherTile<T, kWidth, kDepth, kOrder>& tile, const Use& use) {
  tile.as_it_lies(use);
}

/// A tile whose lines run along the rows (columns) of the result: as_it_lies says so of it.
template <typename T, int kLines, int kLength>
struct AcrossKTile {
  OperandTile<T, kLines, kLength> tile;
};
template <typename T, int kLines, int kLength>
TESSERA_DEVICE AcrossKTile<T, kLines, kLength> across_k(const OperandTile<T, kLines, kLength>& tile) {
  return {tile};
}
template <typename T, int kLines, int kLength, typename Use>
TESSERA_DEVICE void as_it_lies(const AcrossKTile<T, kLines, kLength>& across, const Use& use) {
  use(std::integral_constant<Major, Major::mn>{}, across.tile);
}

/// kStages tiles, used in turn: while one is read the others are filled. A stage is the same bytes whichever way lines of a
/// launch run.
template <typename T, int kWidth_, int kDepth, int kStages_, Order kOrder = Order::either>
struct EitherRing {
  using Tile = EitherTile<T, kWidth_, kDepth, kOrder>;
  static constexpr int kWidth = kWidth_;
  static constexpr int kStages = kStages_, kRoom = kStages * Tile::kRoom;
  static constexpr int kRoomBytes = kRoom * static_cast<int>(sizeof(T));

  Shared<T> elements;
  Major major = Major::k;

  TESSERA_DEVICE Tile stage(int number) const { return {elements, number * Tile::kRoom, major}; }

  TESSERA_DEVICE bool is_along_k() const { return stage(0).is_along_k(); }
};

}  // namespace tessera
