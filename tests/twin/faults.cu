// SPDX-License-Identifier: Apache-2.0
// Kernels that each commit one fault, in the style of generated code. The comments name the line of an
// imagined faults.tsr that the report must find.
// Laid out as the compiler prints.
// clang-format off
#include "faults.h"

#include "tessera/kernel.h"

namespace faults {
using namespace tessera;
using tessera::index;

namespace {

constexpr int kThreads = 64;

/// The guard at the row's end is gone: loads, then stores, past the extent.
TESSERA_KERNEL(kThreads)
void load_without_guard(TESSERA_PARAMETER View<const float, 1> x, TESSERA_PARAMETER View<float, 1> y,
                        index N) {
  const index n = block_index() * kThreads + thread_index();
  const float x_n = x.load({n});              // faults.tsr:101
  if (n < N) y.store({n}, x_n);               // faults.tsr:102
}

TESSERA_KERNEL(kThreads)
void store_without_guard(TESSERA_PARAMETER View<const float, 1> x, TESSERA_PARAMETER View<float, 1> y,
                         index N) {
  const index n = block_index() * kThreads + thread_index();
  const float x_n = n < N ? x.load({n}) : 0;  // faults.tsr:111
  y.store({n}, x_n);                          // faults.tsr:112
}

/// A shifted window without the guard at the low end.
TESSERA_KERNEL(kThreads)
void negative_index(TESSERA_PARAMETER View<const float, 1> x, TESSERA_PARAMETER View<float, 1> y, index N) {
  const index n = block_index() * kThreads + thread_index();
  if (n < N) {                                // faults.tsr:121
    const float left = x.load({
        n - 1,  // the report names the statement above
    });
    y.store({n}, left);                       // faults.tsr:123
  }
}

/// A vector that hangs over the end, and one at an address that is not its multiple.
TESSERA_KERNEL(kThreads)
void vector_over_the_end(TESSERA_PARAMETER View<const float, 1> x, TESSERA_PARAMETER View<float, 1> y,
                         index N) {
  const index n = (block_index() * kThreads + thread_index()) * 4;
  if (n < N) y.store({n}, x.load<4>({n}));    // faults.tsr:131
}

TESSERA_KERNEL(kThreads)
void vector_misaligned(TESSERA_PARAMETER View<const float, 1> x, TESSERA_PARAMETER View<float, 1> y,
                       index N) {
  const index n = (block_index() * kThreads + thread_index()) * 4;
  if (n + 4 <= N) y.store({n}, x.load<4>({n}));  // faults.tsr:141
}

/// Two threads write one element; nobody writes the odd ones; an output is read before anybody wrote it.
TESSERA_KERNEL(kThreads)
void written_twice(TESSERA_PARAMETER View<const float, 1> x, TESSERA_PARAMETER View<float, 1> y, index N) {
  const index n = block_index() * kThreads + thread_index();
  if (n < N) y.store({n}, x.load({n}));       // faults.tsr:151
  if (n == 3) y.store({n + 1}, 0.0f);         // faults.tsr:152
}

TESSERA_KERNEL(kThreads)
void never_written(TESSERA_PARAMETER View<const float, 1> x, TESSERA_PARAMETER View<float, 1> y, index N) {
  const index n = 2 * (block_index() * kThreads + thread_index());
  if (n < N) y.store({n}, x.load({n}));       // faults.tsr:161
}

TESSERA_KERNEL(kThreads)
void output_read(TESSERA_PARAMETER View<const float, 1> x, TESSERA_PARAMETER View<float, 1> y, index N) {
  const index n = block_index() * kThreads + thread_index();
  if (n < N) {
    const float old = y.load({n});            // faults.tsr:171
    y.store({n}, old + x.load({n}));          // faults.tsr:172
  }
}

/// Reverses each block's part through shared memory; what may be dropped is a barrier, the fill, the pitch.
enum class Reversal {
  without_barrier, without_fill, without_second_barrier, wrong_pitch, barrier_in_branch, early_end
};

template <Reversal kFault>
TESSERA_KERNEL(kThreads)
void reverse(TESSERA_PARAMETER View<const float, 1> x, TESSERA_PARAMETER View<float, 1> y, index N) {
  TESSERA_SHARED(float, part, kThreads);
  const int thread = thread_index();
  for (index tile = block_index(); tile * kThreads < N; tile += block_count()) {
    if (kFault == Reversal::early_end && thread == 5) return;
    const bool fills = kFault != Reversal::without_fill || thread != 7;
    if (fills) part[thread] = x.load({tile * kThreads + thread});                // faults.tsr:201
    if (kFault == Reversal::barrier_in_branch) {
      if (thread < 40) barrier();                                                // faults.tsr:202
    } else if (kFault != Reversal::without_barrier) {
      barrier();                                                                 // faults.tsr:203
    }
    const int pitch = kFault == Reversal::wrong_pitch ? kThreads : kThreads - 1;
    y.store({tile * kThreads + thread}, part[pitch - thread]);                   // faults.tsr:204
    if (kFault != Reversal::without_second_barrier) barrier();                   // faults.tsr:205
  }
}

/// All threads write one shared element.
TESSERA_KERNEL(kThreads)
void both_write(TESSERA_PARAMETER View<const float, 1> x, TESSERA_PARAMETER View<float, 1> y, index N) {
  TESSERA_SHARED(float, last, 1);
  const index n = block_index() * kThreads + thread_index();
  const float x_n = n < N ? x.load({n}) : 0;  // faults.tsr:301
  last[0] = x_n;                              // faults.tsr:302
  barrier();
  if (n < N) y.store({n}, last[0]);           // faults.tsr:303
}

/// A barrier of the warp where one of the block is needed.
TESSERA_KERNEL(kThreads)
void warp_instead_of_block(TESSERA_PARAMETER View<const float, 1> x, TESSERA_PARAMETER View<float, 1> y,
                           index N) {
  TESSERA_SHARED(float, part, kThreads);
  const index n = block_index() * kThreads + thread_index();
  part[thread_index()] = n < N ? x.load({n}) : 0;                      // faults.tsr:311
  warp_barrier();
  const float other = part[(thread_index() + 32) % kThreads];          // faults.tsr:312
  if (n < N) y.store({n}, other);                                      // faults.tsr:313
}

/// A reduction that only some lanes of the group reach.
TESSERA_KERNEL(kThreads)
void shuffle_in_branch(TESSERA_PARAMETER View<const float, 1> x, TESSERA_PARAMETER View<float, 1> y,
                       index N) {
  Group<32, 2> row;
  const index n = block_index() * kThreads + thread_index();
  float sum = 0.0f;
  if (n < N) sum = row.reduce(Sum{}, x.load({n}));  // faults.tsr:321
  if (n < N) y.store({n}, sum);                     // faults.tsr:322
}

/// A group that begins afresh in each round of a loop: its two buffers no longer alternate.
TESSERA_KERNEL(kThreads)
void group_in_loop(TESSERA_PARAMETER View<const float, 1> x, TESSERA_PARAMETER View<float, 1> y, index N) {
  for (index round = 0; round < N; ++round) {
    Group<kThreads> row;
    const float sum = row.reduce(Sum{}, x.load({round}));  // faults.tsr:331
    if (row.leader()) y.store({round}, sum);               // faults.tsr:332
  }
}

/// Arrays in dynamic shared memory: two that overlap, and one that does not fit.
TESSERA_KERNEL(kThreads)
void dynamic_overlap(TESSERA_PARAMETER View<const float, 1> x, TESSERA_PARAMETER View<float, 1> y, index N) {
  TESSERA_DYNAMIC_SHARED(float, first, 0, kThreads);
  TESSERA_DYNAMIC_SHARED(double, second, 128, kThreads / 4);
  const int thread = thread_index();
  const index n = block_index() * kThreads + thread;
  first[thread] = n < N ? x.load({n}) : 0;                   // faults.tsr:341
  if (thread < kThreads / 4) second[thread] = 1.0;           // faults.tsr:342
  barrier();
  if (n < N) y.store({n}, first[kThreads - 1 - thread]);     // faults.tsr:343
}

TESSERA_KERNEL(kThreads)
void dynamic_too_large(TESSERA_PARAMETER View<const float, 1> x, TESSERA_PARAMETER View<float, 1> y,
                       index N) {
  TESSERA_DYNAMIC_SHARED(float, part, 16, kThreads);         // faults.tsr:351
  const index n = block_index() * kThreads + thread_index();
  part[thread_index()] = 0;
  if (n < N) y.store({n}, x.load({n}));                      // faults.tsr:352
}

TESSERA_KERNEL(kThreads)
void static_too_large(TESSERA_PARAMETER View<const float, 1> x, TESSERA_PARAMETER View<float, 1> y, index N) {
  TESSERA_SHARED(float, part, 64 * kThreads);
  TESSERA_SHARED(float, rest, 12 * 1024 - 64 * kThreads + 1);  // faults.tsr:381
  const index n = block_index() * kThreads + thread_index();
  part[thread_index()] = 0;
  rest[thread_index()] = 0;
  if (n < N) y.store({n}, x.load({n}));
}

/// Reverses parts that asynchronous copies bring into two buffers in turn; what may be dropped is a wait, a group, a
/// barrier.
enum class Pipeline {
  good, without_wait, waits_for_too_few, without_group, without_barrier, without_second_barrier, reads_own_early
};

template <Pipeline kFault>
TESSERA_KERNEL(kThreads)
void pipeline(TESSERA_PARAMETER View<const float, 1> x, TESSERA_PARAMETER View<float, 1> y, index N) {
  TESSERA_SHARED(float, part, 2 * kThreads);
  const int thread = thread_index();
  const auto fill = [&](index tile) {
    const index n = tile * kThreads + thread;
    const int to = static_cast<int>(tile % 2) * kThreads + thread;
    if (n < N) ptx::cp_async_4(part, to, x.data + n, 4);                          // faults.tsr:401
    if (kFault != Pipeline::without_group) ptx::cp_async_commit_group();
  };
  fill(0);
  for (index tile = 0; tile * kThreads < N; ++tile) {
    fill(tile + 1);
    if (kFault == Pipeline::waits_for_too_few) {
      ptx::cp_async_wait_group<2>();
    } else if (kFault != Pipeline::without_wait && kFault != Pipeline::reads_own_early) {
      ptx::cp_async_wait_group<1>();
    }
    const int first = static_cast<int>(tile % 2) * kThreads;
    if (kFault == Pipeline::reads_own_early) part[first + thread] = part[first + thread] + 1;  // faults.tsr:402
    if (kFault != Pipeline::without_barrier) barrier();                            // faults.tsr:403
    y.store({tile * kThreads + thread}, part[first + kThreads - 1 - thread]);      // faults.tsr:404
    if (kFault != Pipeline::without_second_barrier) barrier();                     // faults.tsr:405
  }
}

/// Accumulators that nobody initialised: what a planted fault leaves in them, summed up or reduced.
TESSERA_KERNEL(kThreads)
void uninitialised_sum(TESSERA_PARAMETER View<const float, 1> x, TESSERA_PARAMETER View<float, 1> y, index N) {
  float sum = poison<float>();                // faults.tsr:361
  const index n = block_index() * kThreads + thread_index();
  if (n < N) sum += x.load({n});              // faults.tsr:362
  if (n < N) y.store({n}, sum);               // faults.tsr:363
}

TESSERA_KERNEL(kThreads)
void uninitialised_maximum(TESSERA_PARAMETER View<const float, 1> x, TESSERA_PARAMETER View<float, 1> y,
                           index N) {
  Group<kThreads> row;
  float top = poison<float>();                // faults.tsr:371
  const index n = thread_index();
  if (n < N) top = maximum(top, x.load({n}));
  top = row.reduce(Maximum{}, top);           // faults.tsr:372
  if (n < N) y.store({n}, top - 1e30f);       // faults.tsr:373
}

using Kernel = void(View<const float, 1>, View<float, 1>, index);

/// The kernels by name.
constexpr struct {
  const char* name;
  Kernel* kernel;
} kKernels[] = {
    {"load_without_guard", load_without_guard},
    {"store_without_guard", store_without_guard},
    {"negative_index", negative_index},
    {"vector_over_the_end", vector_over_the_end},
    {"vector_misaligned", vector_misaligned},
    {"written_twice", written_twice},
    {"never_written", never_written},
    {"output_read", output_read},
    {"without_barrier", reverse<Reversal::without_barrier>},
    {"without_fill", reverse<Reversal::without_fill>},
    {"without_second_barrier", reverse<Reversal::without_second_barrier>},
    {"wrong_pitch", reverse<Reversal::wrong_pitch>},
    {"barrier_in_branch", reverse<Reversal::barrier_in_branch>},
    {"early_end", reverse<Reversal::early_end>},
    {"both_write", both_write},
    {"warp_instead_of_block", warp_instead_of_block},
    {"shuffle_in_branch", shuffle_in_branch},
    {"group_in_loop", group_in_loop},
    {"dynamic_overlap", dynamic_overlap},
    {"dynamic_too_large", dynamic_too_large},
    {"static_too_large", static_too_large},
    {"pipeline", pipeline<Pipeline::good>},
    {"copy_without_wait", pipeline<Pipeline::without_wait>},
    {"copy_waits_for_too_few", pipeline<Pipeline::waits_for_too_few>},
    {"copy_without_group", pipeline<Pipeline::without_group>},
    {"copy_without_barrier", pipeline<Pipeline::without_barrier>},
    {"copy_without_second_barrier", pipeline<Pipeline::without_second_barrier>},
    {"copy_read_early", pipeline<Pipeline::reads_own_early>},
    {"uninitialised_sum", uninitialised_sum},
    {"uninitialised_maximum", uninitialised_maximum},
};

}  // namespace

Status run(const std::string& name, const Tensor& x, const Tensor& y, int blocks) {
  LaunchCheck check("faulty");
  check.tensor<const float, 1>(0, "x", x);
  check.tensor<float, 1>(1, "y", y);
  const index N = check.symbol("N", 0, x, 0);
  for (const auto& row : kKernels) {
    if (name != row.name) continue;
    return launch(check, LaunchOptions{}, row.kernel, Blocks{blocks}, Threads{kThreads}, DynamicShared{256},
                  view<const float, 1>(x), view<float, 1>(y), N);
  }
  check.require(false, "a kernel of that name");
  return check.status();
}

}  // namespace faults
