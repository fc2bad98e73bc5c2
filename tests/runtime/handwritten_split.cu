// SPDX-License-Identifier: Apache-2.0
// c[m, n] = sum over k of a[m, k] * b[n, k] for floats in parts, written by hand in the style of generated code: one warp
// asks for boxes of the parts, warpgroups multiply what has arrived.
// Laid out as the compiler prints.
// clang-format off
#include "handwritten.h"
#include "tessera/kernel.h"
#include "tessera/split_products.h"
#include "tessera/wgmma/bf16.h"

namespace kernels {
using namespace tessera;
using tessera::index;  // hides ::index, a function of <strings.h>

namespace {

constexpr int kM = 128, kN = 128, kK = 64, kStages = 6, kGroups = 2;

TESSERA_KERNEL(kGroupThreads * (kGroups + 1), 1)
void gemm_of_parts(TESSERA_PARAMETER TensorMap a_map, TESSERA_PARAMETER TensorMap b_map,
                   TESSERA_PARAMETER View<float, 2> c, index M, index N, index K) {
  using Layout = WarpgroupLayout<kM, kN, kGroups>;
  using RingA = OperandRing<bf16, kM, kK, kStages>;
  using RingB = OperandRing<bf16, kN, kK, kStages>;
  TESSERA_DYNAMIC_SHARED(bf16, a_elements, 0, RingA::kRoom);
  TESSERA_DYNAMIC_SHARED(bf16, b_elements, RingA::kRoomBytes, RingB::kRoom);
  const RingA a_tiles{a_elements};
  const RingB b_tiles{b_elements};
  TESSERA_BARRIERS(full, kStages);
  TESSERA_BARRIERS(empty, kStages);
  const TileRing<kStages> ring{full, empty};
  ring.initialize(4 * kGroups);
  barrier();                                                                  // the ring is ready
  wait_for_launch_before();

  const Index<2> tiles{ceil_divide(M, kM), ceil_divide(N, kN)};
  const index steps = ceil_divide(K, kK);
  RingPlace<kStages> at;
  const int warp = warp_number(), group = warp / kGroupWarps;
  if (group == kGroups) {  // copies
    leave_registers<kGroups>();
    if (warp % kGroupWarps == 0 && is_elected()) {
      for (index tile = block_index(); tile < tiles[0] * tiles[1]; tile += block_count()) {
        const auto [tile_m, tile_n] = grouped_position<8>(tile, tiles).at;
        for (index step = 0; step < steps; ++step) {
          for (index part = 0; part < kSplitParts; ++part) {
            ring.begin_fill(at, RingA::Tile::kBytes + RingB::Tile::kBytes);
            load_tile<1, 2>(a_tiles.stage(at.stage), a_map, Index<3>{part, tile_m * kM, step * kK}, ring, at.stage);
            load_tile<1, 2>(b_tiles.stage(at.stage), b_map, Index<3>{part, tile_n * kN, step * kK}, ring, at.stage);
            at.advance();
          }
        }
      }
    }
  } else {                                                                    // multiply
    take_registers<kGroups>();
    for (index tile = block_index(); tile < tiles[0] * tiles[1]; tile += block_count()) {
      const auto [tile_m, tile_n] = grouped_position<8>(tile, tiles).at;
      Fragment<float, Layout> sum;
      sum.fill(0.0f);
      for (index step = 0; step < steps; ++step) {
        const auto parts = take_parts(at);
        wait_for_parts(ring, parts);
        multiply_split<Major::k, Major::k>(sum, split_tile(a_tiles, parts), split_tile(b_tiles, parts), group,
            [&](SplitPart part) { ring.release(parts.stage(part)); });
      }
      TESSERA_UNROLL for (int i = 0; i < Layout::kCount; ++i) {
        const index m = tile_m * kM + Layout::row(i), n = tile_n * kN + Layout::column(i);
        if (m < M && n < N) c.store({m, n}, sum[i]);
      }
    }
  }
}

}  // namespace

Status gemm_of_parts(const Tensor& a, const Tensor& b, const Tensor& c, const LaunchOptions& options) {
  LaunchCheck check("gemm_of_parts");
  check.tensor<const float, 2>(0, "a", a);
  check.tensor<const float, 2>(1, "b", b);
  check.tensor<float, 2>(2, "c", c);
  const index M = check.symbol("M", 0, a, 0), K = check.symbol("K", 0, a, 1), N = check.symbol("N", 1, b, 0);
  check.extent(1, "b", b, 1, K, "K");
  check.extent(2, "c", c, 0, M, "M");
  check.extent(2, "c", c, 1, N, "N");
  check.outputs_are_disjoint();
  if (M == 0 || N == 0) return check.status();  // nothing to write
  SplitTensor<2> boxes_of_a(check, options, a, {1}, {M, N, K});
  SplitTensor<2> boxes_of_b(check, options, b, {1}, {M, N, K});
  const index tiles = ceil_divide(M, kM) * ceil_divide(N, kN);
  switch (check.choose(options, {boxes_of_a.lie_along(1) && boxes_of_b.lie_along(1)})) {
    case 0: return launch(check, options, gemm_of_parts, Blocks{minimum(tiles, index{multiprocessor_count()})},
                Threads{kGroupThreads * (kGroups + 1), kBeginsEarly}, DynamicShared{kStages * (kM + kN) * kK * 2},
                boxes_of_a.map<0, 1>(kM), boxes_of_b.map<0, 1>(kN), view<float, 2>(c), M, N, K);
    default: return check.status();
  }
}

}  // namespace kernels
