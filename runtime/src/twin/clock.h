// SPDX-License-Identifier: Apache-2.0
// What happened before what, as vector clocks. Threads that have met know the same: they share one clock, which is
// never changed, so that a barrier of the block makes one clock and not one for each thread.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

namespace tessera::twin {

/// What a thread did, and when in its own time: that counts how often it told others what it has done so far.
struct Event {
  int thread;
  std::uint32_t time;
};

/// By thread of the block, the time up to which what it did is known: ordered before whatever comes next. Null knows
/// nothing.
using Knowledge = std::shared_ptr<const std::vector<std::uint32_t>>;

/// Whether `known` has the event.
inline bool knows(const Knowledge& known, Event event) {
  return known != nullptr && event.time <= (*known)[static_cast<std::size_t>(event.thread)];
}

/// Puts together what several threads know and have done.
class Gathering {
 public:
  /// What a thread knows. Threads that share a clock cost no more than one of them.
  void add(const Knowledge& known) {
    if (known != nullptr && (known_.empty() || known != known_.back())) add_other(known);
  }
  /// What a thread has done up to then.
  void add(Event event) { events_.push_back(event); }

  /// All of that, of a block of so many threads; nothing is left here.
  Knowledge close(int threads);

 private:
  void add_other(const Knowledge& known);

  std::vector<Knowledge> known_;  // different ones
  std::vector<Event> events_;
};

/// What somebody knows who knows both. Remembers its last answer, for threads that learn the same one after another.
class Union {
 public:
  Knowledge of(const Knowledge& a, const Knowledge& b);
  void forget() { a_ = b_ = both_ = nullptr; }

 private:
  Knowledge a_, b_, both_;
};

}  // namespace tessera::twin
