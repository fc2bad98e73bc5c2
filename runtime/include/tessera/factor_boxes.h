// SPDX-License-Identifier: Apache-2.0
// FactorBoxes: the boxes of a factor of products, of which its last tile along the rows (columns) may have others.
#pragma once

#include "tessera/either_ring.h"
#include "tessera/numbers.h"
#include "tessera/positions.h"
#include "tessera/tensor_map.h"

namespace tessera {

/// Lines along K of the boxes of whole tiles, and of the last tile.
struct BoxLines {
  int whole, last;
};

/// Of tiles of so many lines, which `extent` lines are cut into: the last one has those that are left, by eights, of which
/// each has its chunks in another order. `blocks` of a cluster that share tiles each bring an equal part of any.
TESSERA_HD constexpr BoxLines lines_of_boxes(int tile, index extent, int blocks = 1) {
  const int rest = static_cast<int>(extent % tile);
  if (rest == 0 || blocks > 1) return {tile / blocks, tile / blocks};
  const int last = (rest + 7) / 8 * 8;
  return {extent < tile ? last : tile, last};
}

/// The same where zeros have to stand behind the end: boxes of all tiles have so many lines.
TESSERA_HD constexpr int lines_of_any_box(int tile, index extent, int blocks = 1) {
  return lines_of_boxes(tile, extent, blocks).whole;
}

/// The boxes of a tile of a block that runs alone, as the thread that asks has found them.
struct TileBoxes {
  const BoxMap* which;
  const CachePolicy& policy;
  int lines;  ///< of a box
  int count;  ///< boxes along a line

  TESSERA_HD const BoxMap& map() const { return *which; }
};

/// A kernel takes it as `TESSERA_PARAMETER FactorBoxes`. Lines run along K, or along the rows (columns): then all boxes have as
/// many. What lies outside of a tensor takes the copy engine longer than what is there, so that of the last tile no line is
/// asked for behind the last eight, and no box that has none of its lines: 300 x 4096 x 4096 with lines along K took an H200 33
/// us, and takes 22. A tile that has what whole ones have gets `whole`: an instruction that takes a map from registers of the
/// thread that asks, not from the parameters, comes so much later that products whose rounds have 256 clocks took up to a fifth
/// longer.
struct FactorBoxes {
  TensorMap whole;
  BoxMap last;
  int last_lines;
  Major major;

  /// Whether the tile of a ring that begins at row (column) `first` has the boxes of whole ones; the last row (column) of all
  /// is the one before `end`.
  template <typename Ring>
  TESSERA_DEVICE bool is_whole(const Ring& tiles, index first, index end) const {
    if (tiles.is_along_k()) return first + Ring::kWidth <= end || last_lines == whole.lines;
    const auto tile = tiles.stage(0);
    return first + (tile.boxes() - 1) * tile.span() < end;
  }

  /// The boxes of any tile, where blocks run alone.
  template <typename Ring>
  TESSERA_DEVICE TileBoxes at(const Ring& tiles, index first, index end) const {
    const auto tile = tiles.stage(0);
    if (tiles.is_along_k()) {
      const bool is_last = first + Ring::kWidth > end;
      return {is_last ? &last : &whole.map(), whole.policy, is_last ? last_lines : whole.lines, tile.boxes()};
    }
    const auto width = static_cast<int>(minimum<index>(end - first, Ring::kWidth));
    return {&whole, whole.policy, whole.lines, (width + tile.span() - 1) / tile.span()};
  }
};

namespace detail {

/// How many boxes of so many along a line a tile has.
TESSERA_DEVICE constexpr int boxes_of(const TensorMap&, int all) { return all; }
TESSERA_DEVICE int boxes_of(const TileBoxes& boxes, int) { return boxes.count; }

}  // namespace detail

/// How many bytes boxes bring to a tile of a ring, which so many blocks share.
template <typename T, int kLines, int kLength, int kStages>
TESSERA_DEVICE int bytes_of(const OperandRing<T, kLines, kLength, kStages>&, const TensorMap& boxes,
                            int blocks = 1) {
  return boxes.lines * blocks * OperandTile<T, kLines, kLength>::kLineBytes;
}
template <typename T, int kWidth, int kDepth, int kStages, Order kOrder>
TESSERA_DEVICE int bytes_of(const EitherRing<T, kWidth, kDepth, kStages, kOrder>& ring,
                            const TensorMap& boxes, int blocks = 1) {
  using Tile = EitherTile<T, kWidth, kDepth, kOrder>;
  return ring.is_along_k() ? boxes.lines * blocks * Tile::AlongK::kLineBytes : Tile::AcrossK::kBytes;
}
template <typename Ring>
TESSERA_DEVICE int bytes_of(const Ring& ring, const TileBoxes& boxes, int = 1) {
  return boxes.lines * boxes.count * ring.stage(0).span_bytes();
}

/// The boxes of a tensor that has some, a BoxedTensor or SplitTensor, as a factor with rows (columns) along kWidthDimension
/// and K along kDepthDimension, along which its lines run.
template <int kWidthDimension, int kDepthDimension, typename Boxed>
FactorBoxes factor_boxes(Boxed& tensor, BoxLines along_k) {
  const TensorMap whole = tensor.template map<kWidthDimension, kDepthDimension>(along_k.whole);
  if (along_k.last == along_k.whole) return {whole, whole, whole.lines, Major::k};
  return {whole, tensor.template map<kWidthDimension, kDepthDimension>(along_k.last), along_k.last, Major::k};
}
template <int kWidthDimension, int kDepthDimension, typename Boxed>
FactorBoxes factor_boxes(Boxed& tensor, int along_k) {
  return factor_boxes<kWidthDimension, kDepthDimension>(tensor, BoxLines{along_k, along_k});
}

/// The same of a tensor whose lines may run along its rows (columns), too: boxes bring `across_k` of those.
template <int kWidthDimension, int kDepthDimension, typename Boxed, typename Lines>
FactorBoxes factor_boxes(Boxed& tensor, Lines along_k, int across_k) {
  if (tensor.lie_along(kDepthDimension))
    return factor_boxes<kWidthDimension, kDepthDimension>(tensor, along_k);
  const TensorMap map = tensor.template map<kDepthDimension, kWidthDimension>(across_k);
  return {map, map, across_k, Major::mn};
}

}  // namespace tessera
