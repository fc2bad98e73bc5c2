// SPDX-License-Identifier: Apache-2.0
// A block whose warpgroups have roles: some multiply what another has copied.
#pragma once

#include "tessera/boxed_tensor.h"
#include "tessera/early_launch.h"
#include "tessera/either_ring.h"
#include "tessera/lane_columns.h"
#include "tessera/line_shares.h"
#include "tessera/load_panel.h"
#include "tessera/multiply.h"
#include "tessera/panel_columns.h"
#include "tessera/ptx_barrier.h"
#include "tessera/ptx_cluster.h"
#include "tessera/ptx_tensor.h"
#include "tessera/ptx_wgmma.h"
#include "tessera/shared_terms.h"
#include "tessera/store_boxes.h"
#include "tessera/team_turns.h"
#include "tessera/tile_ring.h"

namespace tessera {

inline constexpr int kGroupWarps = 4, kGroupThreads = kGroupWarps * kWarpThreads;

/// The number of this thread's warp, of which the compiler knows that its lanes share it.
TESSERA_DEVICE int warp_number() { return ptx::shfl_sync_first(thread_index() / kWarpThreads); }

/// Whether this is the thread of its warp that asks for copies.
TESSERA_DEVICE bool is_elected() { return ptx::elect_sync(); }

/// The blocks of a cluster, which share what they read of columns: 1, or 2 where the launch asks for pairs.
TESSERA_DEVICE int cluster_blocks() { return ptx::cluster_nctaid(); }

/// The number of this block in its cluster; that of its cluster in the grid, and of all clusters.
TESSERA_DEVICE int cluster_rank() { return ptx::cluster_ctarank(); }
TESSERA_DEVICE index cluster_index() { return block_index() >> (cluster_blocks() - 1); }
TESSERA_DEVICE index cluster_count() { return ptx::nclusterid(); }

/// A barrier of the block, behind which the rings of all blocks of its cluster of so many are ready too.
TESSERA_DEVICE void cluster_barrier(int blocks, Location where = Location::current()) {
  barrier(where);
  if (blocks > 1) ptx::barrier_cluster(where);
}

/// A block has the registers of a multiprocessor: the warps that copy leave theirs to those that multiply. Where one warpgroup
/// does, all threads have as many as there can be.
template <int kGroups>
TESSERA_DEVICE void leave_registers(Location where = Location::current()) {
  if constexpr (kGroups > 1) ptx::setmaxnreg_dec<kGroups == 2 ? 40 : 32>(where);
}
template <int kGroups>
TESSERA_DEVICE void take_registers(Location where = Location::current()) {
  if constexpr (kGroups > 1) ptx::setmaxnreg_inc<kGroups == 2 ? 232 : 160>(where);
}

/// Sums of a product over kGroups warpgroups, each of which has 64 of every 64 * kGroups rows.
template <int kRows, int kColumns, int kGroups>
using WarpgroupLayout = FragmentLayout<kRows, kColumns, 4 * kGroups, 1, true>;

namespace detail {

/// The compiler does not know that products are under way: it neither moves nor copies sums across this.
template <typename Sum, typename Layout>
TESSERA_DEVICE void keep_in_registers(Fragment<Sum, Layout>& sums) {
  TESSERA_UNROLL
  for (int i = 0; i < Layout::kCount; i += 4) ptx::keep_in_registers(&sums[i]);
}

/// Zeros for the lines of a tile from number `lines` on, by kThreads threads.
template <int kThreads, typename Tile>
TESSERA_DEVICE void clear_lines_of(const Tile& tile, int lines, Location where) {
  constexpr int kChunks = Tile::kLength / Tile::kChunk;
  TESSERA_NO_UNROLL
  for (int i = lines * kChunks + thread_index(); i < Tile::kLines * kChunks; i += kThreads)
    tile.elements.template store<Tile::kChunk>(tile.index_of(i / kChunks, i % kChunks * Tile::kChunk),
                                               Vector<typename Tile::Element, Tile::kChunk>{}, where);
}

}  // namespace detail

/// Zeros for the lines of a ring's tiles that its boxes do not bring, from number `lines` on. By all threads of a block
/// of kGroups warpgroups and one that copies, before a barrier.
template <int kGroups, typename T, int kLines, int kLength, int kStages>
TESSERA_DEVICE void clear_lines(const OperandRing<T, kLines, kLength, kStages>& ring, int lines,
                                Location where = Location::current()) {
  if (lines == kLines) return;
  TESSERA_NO_UNROLL
  for (int stage = 0; stage < kStages; ++stage)
    detail::clear_lines_of<kGroupThreads*(kGroups + 1)>(ring.stage(stage), lines, where);
  ptx::fence_proxy_async(where);
}
template <int kGroups, typename T, int kWidth, int kDepth, int kStages, Order kOrder>
TESSERA_DEVICE void clear_lines(const EitherRing<T, kWidth, kDepth, kStages, kOrder>& ring, int lines,
                                Location where = Location::current()) {
  using AlongK = typename EitherTile<T, kWidth, kDepth, kOrder>::AlongK;
  if (!ring.is_along_k() || lines == kWidth) return;
  TESSERA_NO_UNROLL
  for (int stage = 0; stage < kStages; ++stage)
    detail::clear_lines_of<kGroupThreads*(kGroups + 1)>(AlongK{ring.elements, ring.stage(stage).first}, lines,
                                                        where);
  ptx::fence_proxy_async(where);
}

/// By one thread: maps are on their way to where copies look for them.
TESSERA_DEVICE void prefetch_maps(const BoxMap& map, Location where = Location::current()) {
  ptx::prefetch_tensormap(map, where);
}
TESSERA_DEVICE void prefetch_maps(const FactorBoxes& boxes, Location where = Location::current()) {
  ptx::prefetch_tensormap(boxes.whole, where);
  ptx::prefetch_tensormap(boxes.last, where);
}
TESSERA_DEVICE void prefetch_maps(const StoreBoxes& boxes, Location where = Location::current()) {
  if (boxes.are_there) ptx::prefetch_tensormap(boxes.map, where);
}

/// The threads of kGroups warpgroups meet; the one that copies goes on.
template <int kGroups>
TESSERA_DEVICE void groups_barrier(Location where = Location::current()) {
  part_barrier<kGroupThreads * kGroups>(0, where);
}

/// Tiles that the threads of kGroups warpgroups have stored are there for the products of all of them behind this.
template <int kGroups>
TESSERA_DEVICE void complete_tiles(Location where = Location::current()) {
  ptx::fence_proxy_async(where);
  groups_barrier<kGroups>(where);
}

namespace detail {

/// A box on its way to this block, to all blocks of the cluster, or to the cache alone.
template <int kStages, int Rank, typename T, typename Boxes>
TESSERA_DEVICE void bring_box(const TileRing<kStages>& ring, int stage, const Shared<T>& to, int i,
                              const Boxes& boxes, const int (&at)[Rank], Location where) {
  ptx::cp_async_bulk_tensor_load(to, i, boxes.map(), boxes.policy, at, ring.full, stage, where);
}
template <int kStages, int Rank, typename T, typename Boxes>
TESSERA_DEVICE void bring_box_to_all(const TileRing<kStages>& ring, int stage, const Shared<T>& to, int i,
                                     const Boxes& boxes, const int (&at)[Rank], Location where) {
  const unsigned all = (1u << ring.blocks) - 1;
  ptx::cp_async_bulk_tensor_load_multicast(to, i, boxes.map(), boxes.policy, at, ring.full, stage, all,
                                           where);
}
template <int kStages, int Rank, typename T, typename Boxes>
TESSERA_DEVICE void bring_box(const LookAhead<kStages>&, int, const Shared<T>&, int, const Boxes& boxes,
                              const int (&at)[Rank], Location where) {
  ptx::cp_async_bulk_prefetch_tensor(boxes.map(), boxes.policy, at, where);
}
template <int kStages, int Rank, typename T, typename Boxes>
TESSERA_DEVICE void bring_box_to_all(const LookAhead<kStages>&, int, const Shared<T>&, int,
                                     const Boxes& boxes, const int (&at)[Rank], Location where) {
  ptx::cp_async_bulk_prefetch_tensor(boxes.map(), boxes.policy, at, where);
}

}  // namespace detail

/// One thread asks for the part of a tensor that begins at `at`, to be copied to `tile`, whose lines run along
/// kPositionDimension; the bytes arrive at a ring's stage. In boxes zeros stand where the tensor ends. With LookAhead in place
/// of the ring it goes no farther than the second-level cache. Boxes are a TensorMap, or TileBoxes.
template <int kLineDimension, int kPositionDimension, typename Ring, int Rank, typename Tile, typename Boxes>
TESSERA_DEVICE void load_tile(const Tile& tile, const Boxes& boxes, const Index<Rank>& at, const Ring& ring,
                              int stage, Location where = Location::current()) {
  TESSERA_UNROLL
  for (int position = 0; position < Tile::kLength; position += Tile::kSpan) {
    if (position / Tile::kSpan >= detail::boxes_of(boxes, Tile::boxes())) break;
    int coordinates[Rank];
    TESSERA_UNROLL
    for (int i = 0; i < Rank; ++i)
      coordinates[i] = static_cast<int>(at[detail::mapped_dimension<kPositionDimension>(i)]);
    coordinates[0] += position;
    detail::bring_box(ring, stage, tile.elements, tile.first + position * Tile::kLines, boxes, coordinates,
                      where);
  }
}

/// The same for a tile that all blocks of the cluster read: each asks for its share of the lines, whole eights of which each
/// has its chunks in another order, and all of them get it.
template <int kLineDimension, int kPositionDimension, typename Ring, int Rank, typename Tile>
TESSERA_DEVICE void load_multicast_tile(const Tile& tile, const TensorMap& boxes, const Index<Rank>& at,
                                        const Ring& ring, int stage, Location where = Location::current()) {
  if (ring.blocks == 1)
    return load_tile<kLineDimension, kPositionDimension>(tile, boxes, at, ring, stage, where);
  const int lines = Tile::kLines / ring.blocks, first = cluster_rank() * lines;
  TESSERA_UNROLL
  for (int position = 0; position < Tile::kLength; position += Tile::kSpan) {
    int coordinates[Rank];
    TESSERA_UNROLL
    for (int i = 0; i < Rank; ++i) {
      const int dimension = detail::mapped_dimension<kPositionDimension>(i);
      coordinates[i] = static_cast<int>(at[dimension]) + (dimension == kLineDimension ? first : 0);
    }
    coordinates[0] += position;
    detail::bring_box_to_all(ring, stage, tile.elements,
                             tile.first + position * Tile::kLines + first * Tile::kSpan, boxes, coordinates,
                             where);
  }
}

namespace detail {

/// Calls `copy` for each box of a share of a tile, one of one or two: where it goes, and where it begins in its map if the
/// tile begins at `at`.
/// Boxes follow each other along the lines; a loop for both orders takes less time of the thread that asks than a branch.
template <int kWidthDimension, int kDepthDimension, int Rank, typename T, int kWidth, int kDepth,
          Order kOrder, typename Boxes, typename Copy>
TESSERA_DEVICE void for_each_box(const EitherTile<T, kWidth, kDepth, kOrder>& tile, const Boxes& of,
                                 const Index<Rank>& at, int share, int shares, Copy copy) {
  using AlongK = typename EitherTile<T, kWidth, kDepth, kOrder>::AlongK;
  using AcrossK = typename EitherTile<T, kWidth, kDepth, kOrder>::AcrossK;
  static_assert(kOrder != Order::either || AlongK::kSpan == AcrossK::kSpan,
                "boxes bring as much of a line either way");
  const bool along_k = tile.is_along_k();
  const int span = along_k ? AlongK::kSpan : AcrossK::kSpan;
  const int lines = along_k ? AlongK::kLines : AcrossK::kLines, first = (lines >> (shares - 1)) * share;
  const int boxes = boxes_of(of, tile.boxes());
  int coordinates[Rank];
  TESSERA_UNROLL
  for (int i = 0; i < Rank; ++i) {
    const int along = mapped_dimension<kDepthDimension>(i), across = mapped_dimension<kWidthDimension>(i);
    coordinates[i] = along_k ? static_cast<int>(at[along]) + (along == kWidthDimension ? first : 0)
                             : static_cast<int>(at[across]) + (across == kDepthDimension ? first : 0);
  }
  TESSERA_NO_UNROLL
  for (int box = 0; box < boxes; ++box) {
    copy(tile.first + (box * lines + first) * span, coordinates);
    coordinates[0] += span;
  }
}

/// Where rounds are long a branch does, and with three coordinates it spills none of the registers of the thread that asks.
template <int Rank, int kWidth>
inline constexpr bool kAsksInLoop = Rank <= 2 || kWidth <= 64;

}  // namespace detail

/// The same for tiles whose lines run along either dimension: that of the rows (columns) of a product, or that of K.
template <int kWidthDimension, int kDepthDimension, typename Ring, int Rank, typename T, int kWidth,
          int kDepth, Order kOrder, typename Boxes>
TESSERA_DEVICE void load_tile(const EitherTile<T, kWidth, kDepth, kOrder>& tile, const Boxes& boxes,
                              const Index<Rank>& at, const Ring& ring, int stage,
                              Location where = Location::current()) {
  if constexpr (detail::kAsksInLoop<Rank, kWidth>) {
    detail::for_each_box<kWidthDimension, kDepthDimension>(
        tile, boxes, at, 0, 1, [&](int to, const int(&coordinates)[Rank]) {
          detail::bring_box(ring, stage, tile.elements, to, boxes, coordinates, where);
        });
  } else {
    tile.as_it_lies([&](auto major, const auto& lines) {
      constexpr bool kAlongK = decltype(major)::value == Major::k;
      load_tile<kAlongK ? kWidthDimension : kDepthDimension, kAlongK ? kDepthDimension : kWidthDimension>(
          lines, boxes, at, ring, stage, where);
    });
  }
}
template <int kWidthDimension, int kDepthDimension, typename Ring, int Rank, typename T, int kWidth,
          int kDepth, Order kOrder>
TESSERA_DEVICE void load_multicast_tile(const EitherTile<T, kWidth, kDepth, kOrder>& tile,
                                        const TensorMap& boxes, const Index<Rank>& at, const Ring& ring,
                                        int stage, Location where = Location::current()) {
  if constexpr (detail::kAsksInLoop<Rank, kWidth>) {
    if (ring.blocks == 1)
      return load_tile<kWidthDimension, kDepthDimension>(tile, boxes, at, ring, stage, where);
    detail::for_each_box<kWidthDimension, kDepthDimension>(
        tile, boxes, at, cluster_rank(), ring.blocks, [&](int to, const int(&coordinates)[Rank]) {
          detail::bring_box_to_all(ring, stage, tile.elements, to, boxes, coordinates, where);
        });
  } else {
    tile.as_it_lies([&](auto major, const auto& lines) {
      constexpr bool kAlongK = decltype(major)::value == Major::k;
      load_multicast_tile<kAlongK ? kWidthDimension : kDepthDimension,
                          kAlongK ? kDepthDimension : kWidthDimension>(lines, boxes, at, ring, stage, where);
    });
  }
}

/// The same where blocks run alone.
template <int kLineDimension, int kPositionDimension, typename Ring, int Rank, typename Tile>
TESSERA_DEVICE void load_multicast_tile(const Tile& tile, const TileBoxes& boxes, const Index<Rank>& at,
                                        const Ring& ring, int stage, Location where = Location::current()) {
  load_tile<kLineDimension, kPositionDimension>(tile, boxes, at, ring, stage, where);
}

namespace detail {

/// The products of multiply_async as one group, of tiles whose lines run as said. By fours, where a tile has so many steps.
template <Major kMajorA, Major kMajorB, Sign kSign, typename Sum, typename Layout, typename TileA,
          typename TileB>
TESSERA_DEVICE void start_products(Fragment<Sum, Layout>& sums, const TileA& a, const TileB& b, int group,
                                   bool adds, Location where) {
  using A = typename TileA::Element;
  using B = typename TileB::Element;
  constexpr int kDepth = kDepthOf<kMajorA, TileA>, kStep = 32 / static_cast<int>(sizeof(A));
  constexpr int kSums = 4 * Layout::kColumnBlocks, kColumns = Layout::kColumns, kRowStep = Layout::kRowStep;
  static_assert(Layout::kSpread && Layout::kWarpColumns == 1, "sums of warpgroups");
  static_assert(kDepth == kDepthOf<kMajorB, TileB> && kDepth % kStep == 0,
                "tiles hold the same steps over K");
  using StepA = MatrixStep<kMajorA, TileA>;
  using StepB = MatrixStep<kMajorB, TileB>;
  const MatrixDescriptor first_a =
      matrix_descriptor<kMajorA>(a, where).moved(StepA::offset(64, 0) * (group % (Layout::kWarpRows / 4)));
  const MatrixDescriptor first_b = matrix_descriptor<kMajorB>(b, where);
  constexpr bool kByFours = kDepth % (4 * kStep) == 0;
  ptx::wgmma_fence(where);
  TESSERA_UNROLL
  for (int k = 0; k < kDepth; k += kByFours ? 4 * kStep : kStep) {
    TESSERA_UNROLL
    for (int block = 0; block < Layout::kRowBlocks; ++block) {
      auto& of_block = reinterpret_cast<Sum(&)[kSums]>(sums.value[block * kSums]);
      const MatrixDescriptor at_a = first_a.moved(StepA::offset(block * kRowStep, k));
      const MatrixDescriptor at_b = first_b.moved(StepB::offset(0, k));
      if constexpr (kByFours)
        ptx::wgmma_mma_async_four<A, B, kColumns, kMajorA, kMajorB, kSign, StepA::offset(0, kStep),
                                  StepB::offset(0, kStep)>(of_block, at_a, at_b, adds || k > 0, where);
      else
        ptx::wgmma_mma_async<A, B, kColumns, kMajorA, kMajorB, kSign>(of_block, at_a, at_b, adds || k > 0,
                                                                      where);
    }
  }
  ptx::wgmma_commit_group(where);
}

}  // namespace detail

/// sums (+)= a * b by the warpgroups of the sums, of which this is number `group`, under way until wait_for_products; old sums
/// count where `adds` holds. Both tiles are complete, and stay so until then. Lines of tiles run along K, but of 16-bit
/// elements. With Sign::minus the product is subtracted, from nothing where old sums do not count; not of integers.
template <Major kMajorA, Major kMajorB, Sign kSign = Sign::plus, typename Sum, typename Layout,
          typename TileA, typename TileB>
TESSERA_DEVICE void multiply_async(Fragment<Sum, Layout>& sums, const TileA& a, const TileB& b, int group,
                                   bool adds = true, Location where = Location::current()) {
  detail::keep_in_registers(sums);
  detail::start_products<kMajorA, kMajorB, kSign>(sums, a, b, group, adds, where);
  detail::keep_in_registers(sums);
}

/// The same for tiles as they lie.
template <Sign kSign = Sign::plus, typename Sum, typename Layout, typename TileA, typename TileB>
TESSERA_DEVICE void multiply_async(Fragment<Sum, Layout>& sums, const TileA& a, const TileB& b, int group,
                                   bool adds = true, Location where = Location::current()) {
  detail::keep_in_registers(sums);
  as_it_lies(a, [&](auto major_a, const auto& lines_a) {
    as_it_lies(b, [&](auto major_b, const auto& lines_b) {
      detail::start_products<decltype(major_a)::value, decltype(major_b)::value, kSign>(
          sums, lines_a, lines_b, group, adds, where);
    });
  });
  detail::keep_in_registers(sums);
}

/// Waits until at most the newest kPending multiply_async of this warpgroup are under way. With none left the sums are there.
template <int kPending, typename Sum, typename Layout>
TESSERA_DEVICE void wait_for_products(Fragment<Sum, Layout>& sums, Location where = Location::current()) {
  ptx::wgmma_wait_group<kPending>(where);
  if constexpr (kPending == 0) detail::keep_in_registers(sums);
}

/// Adds (subtracts) what Tensor Cores have made of some of K.
template <Sign kSign = Sign::plus, typename Layout>
TESSERA_DEVICE void add_part(Fragment<float, Layout>& sums, const Fragment<float, Layout>& part) {
  TESSERA_UNROLL
  for (int i = 0; i < Layout::kCount; ++i) {
    if constexpr (kSign == Sign::plus) {
      sums[i] += part[i];
    } else {
      sums[i] -= part[i];
    }
  }
}

/// sums += a * b (sums -= a * b) for factors of 8 bits, of whose sums Tensor Cores keep few bits: what they make of the
/// K of these tiles is added by the threads. The product is done when this returns; `read()` is called when the tiles
/// are read.
template <Sign kSign = Sign::plus, typename Layout, typename TileA, typename TileB, typename Read>
TESSERA_DEVICE void multiply_promoted(Fragment<float, Layout>& sums, const TileA& a, const TileB& b,
                                      int group, Read read, Location where = Location::current()) {
  Fragment<float, Layout> part;
  multiply_async(part, a, b, group, false, where);
  wait_for_products<0>(part, where);
  read();
  add_part<kSign>(sums, part);
}
template <Sign kSign = Sign::plus, typename Layout, typename TileA, typename TileB>
TESSERA_DEVICE void multiply_promoted(Fragment<float, Layout>& sums, const TileA& a, const TileB& b,
                                      int group, Location where = Location::current()) {
  multiply_promoted<kSign>(
      sums, a, b, group, [] {}, where);
}

/// sums += a * b (sums -= a * b) of doubles, which each warp multiplies for itself. The product is done when this returns;
/// `read()` is called when the tiles are read.
template <Sign kSign = Sign::plus, typename Layout, typename TileA, typename TileB, typename Read>
TESSERA_DEVICE void multiply_by_warps(Fragment<double, Layout>& sums, const TileA& a, const TileB& b,
                                      Read read, Location where = Location::current()) {
  as_it_lies(a, [&](auto major_a, const auto& tile_a) {
    as_it_lies(b, [&](auto major_b, const auto& tile_b) {
      multiply<double, decltype(major_a)::value, decltype(major_b)::value, kSign>(sums, tile_a, tile_b,
                                                                                  where);
    });
  });
  warp_barrier(0xffffffffu, where);
  read();
}
template <Sign kSign = Sign::plus, typename Layout, typename TileA, typename TileB>
TESSERA_DEVICE void multiply_by_warps(Fragment<double, Layout>& sums, const TileA& a, const TileB& b,
                                      Location where = Location::current()) {
  multiply_by_warps<kSign>(
      sums, a, b, [] {}, where);
}

}  // namespace tessera
