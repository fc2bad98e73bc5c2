// SPDX-License-Identifier: Apache-2.0
// The state of the host twin's machine while a block runs: its threads, who waits for whom, and what each thread knows
// the others to have done.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <random>
#include <vector>

#include "clock.h"
#include "fibre.h"
#include "tessera/twin/machine.h"

namespace tessera::twin {

/// The threads that meet at one kind of barrier: those of the block, of a part of it, of a warp.
struct BarrierDomain {
  int first;
  int count;
  std::vector<int> waiting;
  Location where;  ///< of the first that waits
};

/// What lanes of a warp do together: a step, or without one a shuffle of so many words.
struct WarpOperation {
  WarpStep step;
  int lane_mask;
  int words;

  bool operator==(const WarpOperation&) const = default;
};

/// An operation that some lanes of a warp have reached.
struct Exchange {
  int warp;
  std::uint32_t lanes;
  std::uint32_t arrived;
  WarpOperation operation;
  void* brought[kLanes];
  Location where;
};

struct Thread {
  Fibre* fibre = nullptr;  ///< where it waits; null while it has not begun, runs or has ended
  bool ended = false;
  bool ahead = false;  ///< of the launch before, for which it is to wait
  Location waits_at{};
  std::uint32_t time = 1;  ///< its own: how often it told others what it has done, from 1 on
  Knowledge known;         ///< of the other threads
};

/// Runs blocks. Threads that have not begun run one after another on the same stack; the first that has to
/// wait keeps that stack, and the rest go on with a fresh one. So a kernel without barriers never switches.
class Machine {
 public:
  /// Runs the grid; false when it stopped because threads wait for ever.
  bool run(const Grid& grid, const std::function<void()>& kernel);

  void barrier(int first, int count, Location where);
  /// Waits for the other `lanes`, which all bring something of the same operation.
  void exchange(const WarpOperation& operation, void* brought, std::uint32_t lanes, Location where);

  void meet_predecessor();
  bool is_ahead() const { return current().ahead; }

  /// Whether a block of the running cluster has ended.
  bool has_ended(int rank) const;

  /// Leaves the current thread until somebody makes it ready.
  void wait(Location where);
  void make_ready(int thread) { ready_.push_back(thread); }
  /// Whether this is the barrier place that is to be missing.
  bool is_dropped(Location where);

  /// Gathers what the current thread knows and has done.
  void tell(Gathering& others) { tell(context.thread, others); }
  /// The same as a clock of its own.
  Knowledge told();
  /// The current thread comes to know that.
  void learn(const Knowledge& news) { current().known = union_.of(current().known, news); }

  /// Whether the event is ordered before what the current thread does now: it is its own, or a chain of barriers leads
  /// from one to the other. Shuffles and other steps of a warp order nothing, as on the GPU.
  bool happened_before(Event event) const {
    return event.thread == context.thread || knows(current().known, event);
  }

  /// What the current thread does now, as others may come to know it.
  Event now() const { return {context.thread, current().time}; }

  /// How often one thread has gone on in place of another.
  std::int64_t switches() const { return switches_; }

  /// Counts the blocks that have begun, to tell the shadow of one from that of another.
  std::uint32_t block_stamp() const { return block_stamp_; }

 private:
  static void run_fresh_threads();

  Thread& current() { return threads_[static_cast<std::size_t>(context.thread)]; }
  const Thread& current() const { return threads_[static_cast<std::size_t>(context.thread)]; }
  bool run_block();
  void begin_block();
  void report_deadlock();
  void switch_to_next();
  Fibre* next_fibre();
  void tell(int thread, Gathering& others);
  void meet(const std::vector<int>& waiting);
  BarrierDomain& domain(int first, int count);
  Exchange& exchange_of(int warp, std::uint32_t lanes);
  void complete(const Exchange& exchange);
  std::int64_t cluster_number(std::int64_t turn, std::int64_t clusters) const;
  std::size_t pick(std::size_t count);

  const std::function<void()>* kernel_ = nullptr;
  bool begins_early_ = false;
  std::vector<Thread> threads_;
  std::vector<int> fresh_;  // threads that have not begun, the next one last
  std::vector<int> ready_;  // threads that may go on
  std::size_t ready_begin_ = 0;
  int ended_ = 0;
  std::vector<BarrierDomain> domains_;
  std::vector<Exchange> exchanges_;
  Gathering gathering_;  // of a barrier that is complete
  Union union_;
  std::vector<Location> barrier_places_;
  std::uint32_t block_stamp_ = 0;
  std::minstd_rand random_;

  Fibre host_;
  std::vector<std::unique_ptr<Fibre>> fibres_;
  std::vector<Fibre*> idle_;
  Fibre* current_ = &host_;
  std::int64_t switches_ = 0;
};

/// The machine of this host thread.
Machine& machine();

}  // namespace tessera::twin
