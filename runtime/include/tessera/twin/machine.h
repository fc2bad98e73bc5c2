// SPDX-License-Identifier: Apache-2.0
// The host twin's machine: blocks one after another, each thread of a block a fibre with its own stack once
// it has to wait. Everything here is per host thread, so launches of different host threads do not see each
// other.
#pragma once

#include <cstdint>
#include <functional>

#include "tessera/twin/fault.h"

namespace tessera::twin {

/// The order in which threads and blocks run, as far as barriers and shuffles leave it open.
enum class Schedule : std::uint8_t { forward, reverse, random };

/// When the bytes of an asynchronous copy are there: when it is started, or when its group has been waited for. Until
/// then nobody may look, in both cases.
enum class Copies : std::uint8_t { early, late };

/// How the twin runs launches. A new host thread starts from the environment: TESSERA_TWIN_SCHEDULE (forward,
/// reverse or a number, which is a random schedule's seed), TESSERA_TWIN_DROP_BARRIER (a number), TESSERA_TWIN_COPIES
/// (early or late) and TESSERA_TWIN_BLOCKS (a number).
struct Options {
  Schedule schedule = Schedule::forward;
  std::uint64_t seed = 0;
  int drop_barrier =
      -1;  ///< planted fault: the n-th barrier place (from 0, in the order first met) does not wait
  Copies copies = Copies::early;
  std::int64_t most_blocks =
      0;  ///< of a launch, if positive: fewer take the tiles one after another, as on a GPU that has no more
};
Options& options();

/// What `block_index()` and its like answer.
struct Context {
  std::int64_t block;
  std::int64_t blocks;
  int thread;
  int threads;
  int ahead;          ///< threads that have not waited for the launch before
  int block_threads;  ///< of one block
};
inline thread_local constinit Context context{0, 0, 0, 0, 0, 0};

/// The number of the current thread's block among those of its cluster, and of the thread in its block.
inline int block_rank() {
  return context.thread < context.block_threads ? 0 : context.thread / context.block_threads;
}
inline int thread_of_block() {
  return context.thread < context.block_threads ? context.thread : context.thread % context.block_threads;
}

/// The size of a launch.
struct Grid {
  std::int64_t blocks;
  int threads;
  int dynamic_shared_bytes;
  bool begins_early = false;  ///< while the launch before runs: its threads wait for that themselves
  int cluster = 1;            ///< blocks that run together
};

/// Runs `kernel` once for each thread of each block. False when it stopped because threads wait for each
/// other for ever.
bool run(const Grid& grid, const std::function<void()>& kernel);

/// What launches of this host thread have cost so far: how often a thread went on in place of another, or accessed shared
/// memory. The same for the same launches, wherever they run.
std::int64_t steps();

/// Waits for the threads [first, first + count) of the block. What each of them did, or knows to have been done, is
/// ordered before what any of them does next. Shuffles and steps of a warp order no memory, as on the GPU.
void barrier(int first, int count, Location where);

/// The current thread has waited for the launch before.
void meet_predecessor();

/// Reports what is done to shared memory of a block of the cluster if that has ended.
void check_presence(int rank, Location where);

/// Reports an access to the memory of tensors by a thread that has not waited for the launch before.
[[gnu::cold]] void check_behind_predecessor(Location where);

/// Exchanges `count` words with the lane whose number differs in the bits of `lane_mask`; `lanes` are those
/// taking part.
void shuffle_xor(std::uint32_t* words, int count, int lane_mask, std::uint32_t lanes, Location where);

/// What the lanes of a warp do together, given what each of them brought.
inline constexpr int kLanes = 32;
using WarpStep = void (*)(void* const (&lanes)[kLanes]);

/// Waits for all lanes of the warp; then `step` is done once, for all of them.
void do_together(WarpStep step, void* brought, Location where);

}  // namespace tessera::twin
