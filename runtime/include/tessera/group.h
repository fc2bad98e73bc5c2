// SPDX-License-Identifier: Apache-2.0
// Group<kThreads, kGroups>: the threads that work on one row together, and how they combine what each of them
// has.
#pragma once

#include "tessera/reductions.h"
#include "tessera/shared.h"

namespace tessera {

/// One of kGroups groups of kThreads consecutive threads in a block of kThreads * kGroups. kThreads is a
/// power of two up to 32, or a multiple of 32; of groups larger than a warp a block has at most 15. Make one
/// object per kernel, outside of its loops: it alternates between two shared buffers, which is why reductions
/// may follow each other without a barrier in between.
template <int kThreads, int kGroups = 1>
class Group {
 public:
  static constexpr int kLanes =
      kThreads < kWarpThreads ? kThreads : kWarpThreads;  ///< of a warp, in this group
  static constexpr int kWarps = kThreads / kLanes;        ///< of this group, or 1 where it is less than one

 private:
  static constexpr int kManyWarps = 16;  // reading the value of each in every thread would take longer

  static_assert(kThreads > 0 && kGroups > 0, "a group has threads");
  static_assert(kThreads % kWarpThreads == 0 || (kThreads < kWarpThreads && (kThreads & (kThreads - 1)) == 0),
                "a group is a power of two threads up to 32, or whole warps");
  static_assert(kWarps == 1 || kGroups <= 15, "a block has at most 15 groups larger than a warp");
  static_assert(kThreads * kGroups <= 1024, "a block has at most 1024 threads");

 public:
  /// The number of this thread in its group.
  TESSERA_DEVICE int rank() const {
    if constexpr (kGroups == 1) return thread_index();
    return thread_index() % kThreads;
  }

  /// The number of this group in its block.
  TESSERA_DEVICE int number() const {
    if constexpr (kGroups == 1) return 0;
    return thread_index() / kThreads;
  }

  /// Whether this is the first thread of its group.
  TESSERA_DEVICE bool leader() const { return rank() == 0; }

  /// The first of the `vector` elements that this thread holds of strip number `strip`: a strip gives every
  /// thread of the group one vector.
  TESSERA_DEVICE index first(int strip, int vector) const {
    return static_cast<index>((strip * kThreads + rank()) * vector);
  }

  /// The number of this thread's warp in its group, and whether this is the first thread of it.
  TESSERA_DEVICE int warp() const { return rank() / kLanes; }
  TESSERA_DEVICE bool leads_warp() const { return rank() % kLanes == 0; }

  /// The first of the `vector` elements that this thread holds where a warp takes a row alone.
  TESSERA_DEVICE index first_in_warp(int vector) const {
    return static_cast<index>(rank() % kLanes * vector);
  }

  /// Waits for all threads of the group; what they wrote to shared memory is then visible to all of them.
  TESSERA_DEVICE void sync([[maybe_unused]] Location where = Location::current()) const {
    if constexpr (kGroups == 1 && kThreads > kWarpThreads) {
      barrier(where);
    } else if constexpr (kThreads > kWarpThreads) {
      part_barrier<kThreads>(number(), where);
    } else {
      warp_barrier(lanes(), where);
    }
  }

  /// The values of all threads of the group combined with `op`, in an order that depends on kThreads alone;
  /// every thread gets the result, with the same bits. All threads of the group must be here; larger groups
  /// than a warp meet at one barrier.
  template <typename Op, typename T>
  TESSERA_DEVICE T reduce(Op op, T value, Location where = Location::current()) {
    value = reduce_in_warp(op, value, where);
    if constexpr (kWarps > 1) value = combine_warps(op, value, where);
    return value;
  }

  /// The same of the threads of a warp, or of the group where it is less than one: only they must be here.
  template <typename Op, typename T>
  TESSERA_DEVICE T reduce_in_warp(Op op, T value, Location where = Location::current()) const {
    TESSERA_UNROLL
    for (int distance = kLanes / 2; distance > 0; distance /= 2) {
      value = op(value, shuffle_xor(value, distance, lanes(), where));
    }
    return value;
  }

 private:
  /// The lanes of the warp that belong to this group, a bit each.
  TESSERA_DEVICE std::uint32_t lanes() const {
    if constexpr (kLanes == kWarpThreads) return 0xffffffffu;
    constexpr std::uint32_t kFirst = (1u << (kLanes % kWarpThreads)) - 1u;
    return kFirst << (thread_index() % kWarpThreads / kLanes * kLanes);
  }

  /// Each warp leaves its value in shared memory, and all threads combine them in the same order.
  template <typename Op, typename T>
  TESSERA_DEVICE T combine_warps(Op op, T value, Location where) {
    TESSERA_SHARED(T, partial, 2 * kGroups * kWarps);
    const int first = (buffer_ * kGroups + number()) * kWarps;
    buffer_ ^= 1;  // whoever writes this buffer again has passed the next reduction's barrier, and we have
                   // read it by then
    if (rank() % kWarpThreads == 0) partial.store(first + rank() / kWarpThreads, value, where);
    sync(where);
    if constexpr (kWarps >= kManyWarps && (kWarps & (kWarps - 1)) == 0) {
      // One value a lane, combined as the lanes of a warp were.
      T total = partial.load(first + thread_index() % kWarps, where);
      TESSERA_UNROLL
      for (int distance = kWarps / 2; distance > 0; distance /= 2) {
        total = op(total, shuffle_xor(total, distance, lanes(), where));
      }
      return total;
    }
    T total = partial.load(first, where);
    TESSERA_UNROLL
    for (int warp = 1; warp < kWarps; ++warp) total = op(total, partial.load(first + warp, where));
    return total;
  }

  int buffer_ = 0;
};

}  // namespace tessera
