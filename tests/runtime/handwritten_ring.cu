// SPDX-License-Identifier: Apache-2.0
// y[c] = sum over r of x[r, c], written by hand: a warp fills a ring of stages in shared memory, and others add up what
// is there. A stage passes from one to the other at two barriers, and nobody waits for the whole block.
// Laid out as the compiler prints.
// clang-format off
#include "handwritten.h"
#include "tessera/kernel.h"

namespace kernels {
using namespace tessera;
using tessera::index;  // hides ::index, a function of <strings.h>

namespace {

/// sum_rows: strips of kRows x kColumns go through kStages stages; the first warp is the producer.
template <int kRows, int kStages, int kConsumers>
TESSERA_KERNEL(32 + 32 * kConsumers)
void sum_rows_ring(TESSERA_PARAMETER View<const float, 2> x, TESSERA_PARAMETER View<float, 1> y, index R, index C) {
  constexpr int kColumns = 32 * kConsumers;
  TESSERA_SHARED(float, stages, kStages * kRows * kColumns);
  TESSERA_BARRIERS(full, kStages);
  TESSERA_BARRIERS(empty, kStages);
  if (thread_index() == 0) {
    TESSERA_UNROLL for (int stage = 0; stage < kStages; ++stage) {
      ptx::mbarrier_init(full, stage, 1);
      ptx::mbarrier_init(empty, stage, kConsumers);
    }
    ptx::fence_mbarrier_init();
  }
  barrier();

  const index first = block_index() * kColumns, steps = ceil_divide(R, kRows);
  const int warp = thread_index() / 32, lane = thread_index() % 32;
  int stage = 0, parity = 0;
  const auto next = [&] {
    stage = stage + 1 == kStages ? 0 : stage + 1;
    if (stage == 0) parity ^= 1;
  };
  if (warp == 0) {
    for (index step = 0; step < steps; ++step, next()) {
      ptx::mbarrier_wait_parity(empty, stage, parity ^ 1);                    // the first round finds all empty
      TESSERA_UNROLL for (int i = 0; i < kRows * kConsumers; ++i) {
        const index r = step * kRows + i / kConsumers, c = first + i % kConsumers * 32 + lane;
        stages[(stage * kRows * kConsumers + i) * 32 + lane] = r < R && c < C ? x.load({r, c}) : 0.0f;  // sum_rows.tsr:3
      }
      warp_barrier();                                                         // one lane arrives for all
      if (lane == 0) ptx::mbarrier_arrive_expect_tx(full, stage, 0);          // copies bring no bytes here
    }
  } else {
    const int column = thread_index() - 32;
    float sum = 0.0f;
    for (index step = 0; step < steps; ++step, next()) {
      ptx::mbarrier_wait_parity(full, stage, parity);
      TESSERA_UNROLL for (int i = 0; i < kRows; ++i) sum += stages[(stage * kRows + i) * kColumns + column];  // sum_rows.tsr:4
      warp_barrier();
      if (lane == 0) ptx::mbarrier_arrive(empty, stage);
    }
    if (first + column < C) y.store({first + column}, sum);                   // sum_rows.tsr:5
  }
}

}  // namespace

Status sum_rows(const Tensor& x, const Tensor& y, const LaunchOptions& options) {
  LaunchCheck check("sum_rows");
  check.tensor<const float, 2>(0, "x", x);
  check.tensor<float, 1>(1, "y", y);
  const index R = check.symbol("R", 0, x, 0), C = check.symbol("C", 0, x, 1);
  check.extent(1, "y", y, 0, C, "C");
  check.outputs_are_disjoint();
  const auto run = [&](auto kernel, int consumers) {
    return launch(check, options, kernel, Blocks{ceil_divide(C, 32 * consumers)}, Threads{32 + 32 * consumers},
                  view<const float, 2>(x), view<float, 1>(y), R, C);
  };
  switch (check.choose(options, {true, true, true})) {
    case 0: return run(sum_rows_ring<8, 3, 4>, 4);
    case 1: return run(sum_rows_ring<4, 2, 1>, 1);
    case 2: return run(sum_rows_ring<1, 1, 2>, 2);
    default: return check.status();
  }
}

}  // namespace kernels
