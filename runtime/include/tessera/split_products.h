// SPDX-License-Identifier: Apache-2.0
// Products of floats by warpgroups, from the parts of both factors.
#pragma once

#include "tessera/split_tensor.h"
#include "tessera/warpgroups.h"

namespace tessera {

/// The places of the parts of one tile in a ring: stages that follow each other.
template <int kStages>
struct PartPlaces {
  static_assert(kStages >= kSplitParts, "a ring holds the parts of a tile");
  RingPlace<kStages> place[kSplitParts];

  TESSERA_DEVICE int stage(int part) const { return place[part].stage; }
};

/// The places from `at` on, which is moved behind them.
template <int kStages>
TESSERA_DEVICE PartPlaces<kStages> take_parts(RingPlace<kStages>& at) {
  PartPlaces<kStages> parts;
  TESSERA_UNROLL
  for (int part = 0; part < kSplitParts; ++part) {
    parts.place[part] = at;
    at.advance();
  }
  return parts;
}

/// By those who read: waits until all parts have arrived; gives them back.
template <int kStages>
TESSERA_DEVICE void wait_for_parts(const TileRing<kStages>& ring, const PartPlaces<kStages>& parts,
                                   Location where = Location::current()) {
  TESSERA_UNROLL
  for (int part = 0; part < kSplitParts; ++part) ring.wait(parts.place[part], where);
}
template <int kStages>
TESSERA_DEVICE void release_parts(const TileRing<kStages>& ring, const PartPlaces<kStages>& parts,
                                  Location where = Location::current()) {
  TESSERA_UNROLL
  for (int part = 0; part < kSplitParts; ++part) ring.release(parts.stage(part), where);
}

/// The parts of a tile of a factor.
template <typename Tile_>
struct SplitTile {
  using Tile = Tile_;
  Tile part[kSplitParts];
};
template <typename Ring, int kStages>
TESSERA_DEVICE SplitTile<typename Ring::Tile> split_tile(const Ring& ring, const PartPlaces<kStages>& parts) {
  return {{ring.stage(parts.stage(0)), ring.stage(parts.stage(1)), ring.stage(parts.stage(2))}};
}

/// `use(major, parts)` is called with the parts as they lie, all of which lie alike.
template <typename T, int kWidth, int kDepth, Order kOrder, typename Use>
TESSERA_DEVICE void as_it_lies(const SplitTile<EitherTile<T, kWidth, kDepth, kOrder>>& tile, const Use& use) {
  tile.part[0].as_it_lies([&](auto major, const auto& first) {
    using Lines = std::decay_t<decltype(first)>;
    use(major, SplitTile<Lines>{{first,
                                 {tile.part[1].elements, tile.part[1].first},
                                 {tile.part[2].elements, tile.part[2].first}}});
  });
}

/// sums += a * b (sums -= a * b) for floats in parts, by the warpgroups of the sums, of which this is number `group`.
/// Of the products of parts the six largest are summed, the smallest of them first; those left out are below 2^-21 of a
/// term together. Tensor Cores cut off what their sums do not hold, so what they make of the K of these tiles is added
/// by the threads, which round. The product is done when this returns; `read(part)` is called when a part of both tiles
/// is read.
template <Major kMajorA, Major kMajorB, Sign kSign = Sign::plus, typename Layout, typename TileA,
          typename TileB, typename Read>
TESSERA_DEVICE void multiply_split(Fragment<float, Layout>& sums, const SplitTile<TileA>& a,
                                   const SplitTile<TileB>& b, int group, Read read,
                                   Location where = Location::current()) {
  Fragment<float, Layout> terms;
  const auto add = [&](SplitPart of_a, SplitPart of_b, bool adds) {
    multiply_async<kMajorA, kMajorB>(terms, a.part[of_a], b.part[of_b], group, adds, where);
  };
  add(kLowPart, kHighPart, false);
  add(kHighPart, kLowPart, true);
  add(kMiddlePart, kMiddlePart, true);
  add(kMiddlePart, kHighPart, true);
  wait_for_products<2>(terms, where);
  read(kLowPart);
  add(kHighPart, kMiddlePart, true);
  add(kHighPart, kHighPart, true);
  wait_for_products<1>(terms, where);
  read(kMiddlePart);
  wait_for_products<0>(terms, where);
  read(kHighPart);
  add_part<kSign>(sums, terms);
}
template <Major kMajorA, Major kMajorB, Sign kSign = Sign::plus, typename Layout, typename TileA,
          typename TileB>
TESSERA_DEVICE void multiply_split(Fragment<float, Layout>& sums, const SplitTile<TileA>& a,
                                   const SplitTile<TileB>& b, int group,
                                   Location where = Location::current()) {
  multiply_split<kMajorA, kMajorB, kSign>(
      sums, a, b, group, [](SplitPart) {}, where);
}

/// The same for parts as they lie.
template <Sign kSign = Sign::plus, typename Layout, typename TileA, typename TileB, typename Read>
TESSERA_DEVICE void multiply_split(Fragment<float, Layout>& sums, const SplitTile<TileA>& a,
                                   const SplitTile<TileB>& b, int group, Read read,
                                   Location where = Location::current()) {
  as_it_lies(a, [&](auto major_a, const auto& lines_a) {
    as_it_lies(b, [&](auto major_b, const auto& lines_b) {
      multiply_split<decltype(major_a)::value, decltype(major_b)::value, kSign>(sums, lines_a, lines_b, group,
                                                                                read, where);
    });
  });
}
template <Sign kSign = Sign::plus, typename Layout, typename TileA, typename TileB>
TESSERA_DEVICE void multiply_split(Fragment<float, Layout>& sums, const SplitTile<TileA>& a,
                                   const SplitTile<TileB>& b, int group,
                                   Location where = Location::current()) {
  multiply_split<kSign>(
      sums, a, b, group, [](SplitPart) {}, where);
}

}  // namespace tessera
