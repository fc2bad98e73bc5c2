// SPDX-License-Identifier: Apache-2.0
// c[m, n] = sum over k of a[m, k] * b[k, n] by warpgroups, written by hand in the style of generated code: one warp asks
// for boxes of the operands, a ring of which is under way, the other warpgroups multiply what has arrived.
// Laid out as the compiler prints.
// clang-format off
#include "handwritten.h"
#include "tessera/kernel.h"
#include "tessera/warpgroups.h"
#include "tessera/wgmma/bf16.h"

namespace kernels {
using namespace tessera;
using tessera::index;  // hides ::index, a function of <strings.h>

namespace {

/// The choices of a variant.
template <int kM_, int kN_, int kStages_, int kGroups_>
struct Shape {
  static constexpr int kM = kM_, kN = kN_, kK = 64, kStages = kStages_, kGroups = kGroups_;
  static constexpr int kBytes = kStages * (kM + kN) * kK * 2;
  static constexpr int kThreads = kGroupThreads * (kGroups + 1);
};

/// gemm: tiles of kM x kN, kK of K at a time. kMajorA, kMajorB: what is contiguous in a and b.
template <typename S, Major kMajorA, Major kMajorB>
TESSERA_KERNEL(S::kThreads, 1)
void gemm_by_warpgroups(TESSERA_PARAMETER TensorMap a_map, TESSERA_PARAMETER TensorMap b_map,
                        TESSERA_PARAMETER View<bf16, 2> c, index M, index N, index K) {
  constexpr int kM = S::kM, kN = S::kN, kK = S::kK, kStages = S::kStages, kGroups = S::kGroups;
  constexpr int kLineA = kMajorA == Major::k ? 0 : 1, kLineB = kMajorB == Major::k ? 1 : 0;
  using Layout = WarpgroupLayout<kM, kN, kGroups>;
  using RingA = OperandRing<bf16, kMajorA == Major::k ? kM : kK, kMajorA == Major::k ? kK : kM, kStages>;
  using RingB = OperandRing<bf16, kMajorB == Major::k ? kN : kK, kMajorB == Major::k ? kK : kN, kStages>;
  TESSERA_DYNAMIC_SHARED(bf16, a_elements, 0, RingA::kRoom);
  TESSERA_DYNAMIC_SHARED(bf16, b_elements, RingA::kRoomBytes, RingB::kRoom);
  const RingA a_tiles{a_elements};
  const RingB b_tiles{b_elements};
  TESSERA_BARRIERS(full, kStages);
  TESSERA_BARRIERS(empty, kStages);
  const TileRing<kStages> ring{full, empty};
  ring.initialize(4 * kGroups);
  barrier();                                                                  // the ring is ready

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
          ring.begin_fill(at, RingA::Tile::kBytes + RingB::Tile::kBytes);
          load_tile<kLineA, 1 - kLineA>(a_tiles.stage(at.stage), a_map, Index<2>{tile_m * kM, step * kK}, ring, at.stage);
          load_tile<kLineB, 1 - kLineB>(b_tiles.stage(at.stage), b_map, Index<2>{step * kK, tile_n * kN}, ring, at.stage);
          at.advance();
        }
      }
    }
  } else {                                                                    // multiply
    take_registers<kGroups>();
    for (index tile = block_index(); tile < tiles[0] * tiles[1]; tile += block_count()) {
      const auto [tile_m, tile_n] = grouped_position<8>(tile, tiles).at;
      Fragment<float, Layout> sum;
      sum.fill(0.0f);
      int before = -1;                                                        // the stage that is read still
      for (index step = 0; step < steps; ++step) {
        ring.wait(at);
        multiply_async<kMajorA, kMajorB>(sum, a_tiles.stage(at.stage), b_tiles.stage(at.stage), group);
        wait_for_products<1>(sum);
        if (before >= 0) ring.release(before);
        before = at.stage;
        at.advance();
      }
      wait_for_products<0>(sum);
      if (before >= 0) ring.release(before);
      TESSERA_UNROLL for (int i = 0; i < Layout::kCount; i += 2) {
        const index m = tile_m * kM + Layout::row(i), n = tile_n * kN + Layout::column(i);
        const Part<2, false> part(n, 0, N);
        if (m < M && part.any()) {
          Vector<bf16, 2> c_mn;
          c_mn.set(0, from_float<bf16>(sum[i]));
          c_mn.set(1, from_float<bf16>(sum[i + 1]));
          c.store({m, n}, c_mn, part);
        }
      }
    }
  }
}

}  // namespace

Status gemm_by_warpgroups(const Tensor& a, const Tensor& b, const Tensor& c, const LaunchOptions& options) {
  LaunchCheck check("gemm_by_warpgroups");
  check.tensor<const bf16, 2>(0, "a", a);
  check.tensor<const bf16, 2>(1, "b", b);
  check.tensor<bf16, 2>(2, "c", c);
  const index M = check.symbol("M", 0, a, 0), K = check.symbol("K", 0, a, 1), N = check.symbol("N", 1, b, 1);
  check.extent(1, "b", b, 0, K, "K");
  check.extent(2, "c", c, 0, M, "M");
  check.extent(2, "c", c, 1, N, "N");
  check.outputs_are_disjoint();
  if (M == 0 || N == 0) return check.status();  // nothing to write

  const auto run = [&]<typename S, Major kMajorA, Major kMajorB>(S) {
    constexpr int kLineA = kMajorA == Major::k ? 0 : 1, kLineB = kMajorB == Major::k ? 1 : 0;
    const index tiles = ceil_divide(M, S::kM) * ceil_divide(N, S::kN);
    return launch(check, options, gemm_by_warpgroups<S, kMajorA, kMajorB>, Blocks{minimum(tiles, index{multiprocessor_count()})},
                  Threads{S::kThreads}, DynamicShared{S::kBytes},
                  tensor_map<bf16, 2, kLineA, 1 - kLineA>(check, a, kLineA == 0 ? S::kM : S::kK),
                  tensor_map<bf16, 2, kLineB, 1 - kLineB>(check, b, kLineB == 1 ? S::kN : S::kK), view<bf16, 2>(c), M, N, K);
  };
  using Wide = Shape<128, 256, 4, 2>;
  using Tall = Shape<256, 128, 4, 2>;
  using Square = Shape<192, 192, 4, 3>;
  // What is contiguous: a along k or m, b along n or k.
  const bool a_k = has_boxes(a, 1), a_m = has_boxes(a, 0), b_n = has_boxes(b, 1), b_k = has_boxes(b, 0);
  switch (check.choose(options, {a_k && b_n, a_k && b_k, a_m && b_n, a_m && b_k, a_k && b_n, a_m && b_k, a_k && b_k, a_m && b_n})) {
    case 0: return run.template operator()<Wide, Major::k, Major::mn>({});
    case 1: return run.template operator()<Wide, Major::k, Major::k>({});
    case 2: return run.template operator()<Wide, Major::mn, Major::mn>({});
    case 3: return run.template operator()<Wide, Major::mn, Major::k>({});
    case 4: return run.template operator()<Tall, Major::k, Major::mn>({});
    case 5: return run.template operator()<Tall, Major::mn, Major::k>({});
    case 6: return run.template operator()<Square, Major::k, Major::k>({});
    case 7: return run.template operator()<Square, Major::mn, Major::mn>({});
    default: return check.status();
  }
}

}  // namespace kernels
