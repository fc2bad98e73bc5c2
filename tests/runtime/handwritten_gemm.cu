// SPDX-License-Identifier: Apache-2.0
// c[m, n] = sum over k of a[m, k] * b[k, n], written by hand in the style of generated code: a ring of tiles in shared
// memory, filled by asynchronous copies while earlier ones are multiplied.
// Laid out as the compiler prints.
// clang-format off
#include "handwritten.h"
#include "tessera/kernel.h"

namespace kernels {
using namespace tessera;
using tessera::index;  // hides ::index, a function of <strings.h>

namespace {

/// The choices of a variant.
template <int kM_, int kN_, int kK_, int kStages_, int kWarpRows_, int kWarpColumns_>
struct Tiling {
  static constexpr int kM = kM_, kN = kN_, kK = kK_, kStages = kStages_;
  using Layout = FragmentLayout<kM, kN, kWarpRows_, kWarpColumns_>;
  /// Bytes for both operands; lines that are shifted into place have a chunk of 16 more.
  static constexpr int bytes(bool has_ends) {
    return kStages * (kM + kN) * kK * 2 + (has_ends ? kStages * 16 * (kM + kN + kK) : 0);
  }
};

/// gemm: tiles of kM x kN, kK of K at a time. kMajorA, kMajorB: what is contiguous in a and b.
template <typename T, Copy kCopy, Major kMajorA, Major kMajorB>
TESSERA_KERNEL(T::Layout::kThreads, 1)
void gemm_tiles(TESSERA_PARAMETER View<const bf16, 2> a, TESSERA_PARAMETER View<const bf16, 2> b,
                TESSERA_PARAMETER View<bf16, 2> c, index M, index N, index K) {
  constexpr int kM = T::kM, kN = T::kN, kK = T::kK, kStages = T::kStages, kThreads = T::Layout::kThreads;
  constexpr int kAlongA = kMajorA == Major::k ? 1 : 0, kAlongB = kMajorB == Major::k ? 1 : 0;
  constexpr bool kEnds = kCopy == Copy::shifted;
  using RingA = OperandRing<bf16, kMajorA == Major::k ? kM : kK, kMajorA == Major::k ? kK : kM, kStages, kEnds>;
  using RingB = OperandRing<bf16, kMajorB == Major::k ? kN : kK, kMajorB == Major::k ? kK : kN, kStages, kEnds>;
  TESSERA_DYNAMIC_SHARED(bf16, a_elements, 0, RingA::kRoom);
  TESSERA_DYNAMIC_SHARED(bf16, b_elements, RingA::kRoomBytes, RingB::kRoom);
  const RingA a_tiles{a_elements};
  const RingB b_tiles{b_elements};
  const auto a_mk = plane(a, {0, 0}, {{1, 0}, 0, M}, {{0, 1}, 0, K});
  const auto b_nk = plane(b, {0, 0}, {{0, 1}, 0, N}, {{1, 0}, 0, K});

  const Index<2> tiles{ceil_divide(M, kM), ceil_divide(N, kN)};
  const index steps = ceil_divide(K, kK);
  for (index tile = block_index(); tile < tiles[0] * tiles[1]; tile += block_count()) {
    const auto [tile_m, tile_n] = tile_position(tile, tiles).at;
    const auto fill = [&](int stage, index step) {
      if (step < steps) {
        fill_tile<kCopy, kThreads, kAlongA>(a_tiles.stage(stage), a_mk, {tile_m * kM, step * kK});  // gemm.tsr:4
        fill_tile<kCopy, kThreads, kAlongB>(b_tiles.stage(stage), b_nk, {tile_n * kN, step * kK});  // gemm.tsr:5
      }
      ptx::cp_async_commit_group();                                           // one group a step, empty at the end
    };
    TESSERA_UNROLL for (int stage = 0; stage < kStages - 1; ++stage) fill(stage, stage);

    Fragment<float, typename T::Layout> sum;
    sum.fill(0.0f);
    int stage = 0, next = kStages - 1;
    for (index step = 0; step < steps; ++step) {                              // gemm.tsr:6
      ptx::cp_async_wait_group<kStages - 2>();                                // what this thread copied is there
      barrier();                                                              // all is there; the stage before is free
      fill(next, step + kStages - 1);
      if (kEnds) {                                                            // lines that begin anywhere
        shift_tile<kThreads, kAlongA>(a_tiles.stage(stage), a_mk, {tile_m * kM, step * kK});
        shift_tile<kThreads, kAlongB>(b_tiles.stage(stage), b_nk, {tile_n * kN, step * kK});
        barrier();
      }
      multiply<bf16, kMajorA, kMajorB>(sum, a_tiles.stage(stage), b_tiles.stage(stage));  // gemm.tsr:7
      next = stage;
      stage = stage + 1 == kStages ? 0 : stage + 1;
    }
    barrier();                                                                // all stages are free

    TESSERA_UNROLL for (int i = 0; i < T::Layout::kCount; i += 2) {           // gemm.tsr:8
      const index m = tile_m * kM + T::Layout::row(i), n = tile_n * kN + T::Layout::column(i);
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

template <typename T>
Blocks blocks_of(index M, index N) { return Blocks{ceil_divide(M, T::kM) * ceil_divide(N, T::kN)}; }

}  // namespace

Status gemm(const Tensor& a, const Tensor& b, const Tensor& c, const LaunchOptions& options) {
  LaunchCheck check("gemm");
  check.tensor<const bf16, 2>(0, "a", a);
  check.tensor<const bf16, 2>(1, "b", b);
  check.tensor<bf16, 2>(2, "c", c);
  const index M = check.symbol("M", 0, a, 0), K = check.symbol("K", 0, a, 1), N = check.symbol("N", 1, b, 1);
  check.extent(1, "b", b, 0, K, "K");
  check.extent(2, "c", c, 0, M, "M");
  check.extent(2, "c", c, 1, N, "N");
  check.outputs_are_disjoint();
  if (M == 0 || N == 0) return check.status();  // nothing to write

  const auto run = [&](auto tiling, auto kernel, bool ends = false) {
    using T = decltype(tiling);
    return launch(check, options, kernel, blocks_of<T>(M, N), Threads{T::Layout::kThreads}, DynamicShared{T::bytes(ends)},
                  view<const bf16, 2>(a), view<const bf16, 2>(b), view<bf16, 2>(c), M, N, K);
  };
  using Small = Tiling<64, 64, 32, 3, 2, 2>;
  using Two = Tiling<64, 48, 64, 2, 2, 2>;
  using Four = Tiling<32, 80, 16, 4, 2, 1>;
  using Large = Tiling<128, 128, 32, 4, 2, 4>;
  using Wide = Tiling<128, 256, 32, 3, 2, 4>;
  constexpr Major k = Major::k, mn = Major::mn;
  const bool a_k = aligned_lines(a, 1, 16), a_m = aligned_lines(a, 0, 16);
  const bool b_k = aligned_lines(b, 0, 16), b_n = aligned_lines(b, 1, 16);
  const bool lines_a = aligned_lines(a, 1, 2), lines_b = aligned_lines(b, 1, 2);
  const bool words = aligned_lines(a, 1, 4) && aligned_lines(b, 1, 4);
  switch (check.choose(options, {a_k && b_k, a_k && b_n, a_m && b_k, a_m && b_n, words, true, a_k && b_k,
                                 a_m && b_n, a_k && b_k, a_m && b_n, lines_a && lines_b})) {
    case 0: return run(Small{}, gemm_tiles<Small, Copy::async_16, k, k>);
    case 1: return run(Two{}, gemm_tiles<Two, Copy::async_16, k, mn>);
    case 2: return run(Four{}, gemm_tiles<Four, Copy::async_16, mn, k>);
    case 3: return run(Small{}, gemm_tiles<Small, Copy::async_16, mn, mn>);
    case 4: return run(Two{}, gemm_tiles<Two, Copy::async_4, k, mn>);    // pitches of odd numbers of words
    case 5: return run(Small{}, gemm_tiles<Small, Copy::elements, k, mn>);  // any strides
    case 6: return run(Large{}, gemm_tiles<Large, Copy::async_16, k, k>);
    case 7: return run(Large{}, gemm_tiles<Large, Copy::async_16, mn, mn>);
    case 8: return run(Wide{}, gemm_tiles<Wide, Copy::async_16, k, k>);
    case 9: return run(Wide{}, gemm_tiles<Wide, Copy::async_16, mn, mn>);
    case 10: return run(Small{}, gemm_tiles<Small, Copy::shifted, k, mn>, true);  // lines that begin anywhere
    default: return check.status();
  }
}

}  // namespace kernels
