// SPDX-License-Identifier: Apache-2.0
// Joining vector clocks.
#include "clock.h"

#include <algorithm>

namespace tessera::twin {

namespace {

using Times = std::vector<std::uint32_t>;

/// Adds to `times` what is later in `other`.
void raise(Times& times, const Times& other) {
  for (std::size_t i = 0; i < times.size(); ++i) times[i] = std::max(times[i], other[i]);
}

}  // namespace

void Gathering::add_other(const Knowledge& known) {
  if (std::find(known_.begin(), known_.end(), known) == known_.end()) known_.push_back(known);
}

Knowledge Gathering::close(int threads) {
  const auto times = known_.empty() ? std::make_shared<Times>(static_cast<std::size_t>(threads))
                                    : std::make_shared<Times>(*known_.front());
  for (std::size_t i = 1; i < known_.size(); ++i) raise(*times, *known_[i]);
  for (const Event& event : events_) {
    std::uint32_t& time = (*times)[static_cast<std::size_t>(event.thread)];
    time = std::max(time, event.time);
  }
  known_.clear();
  events_.clear();
  return times;
}

Knowledge Union::of(const Knowledge& a, const Knowledge& b) {
  if (a == nullptr || a == b) return b;
  if (b == nullptr) return a;
  if (a != a_ || b != b_) {
    const auto times = std::make_shared<Times>(*a);
    raise(*times, *b);
    a_ = a;
    b_ = b;
    both_ = times;
  }
  return both_;
}

}  // namespace tessera::twin
