// SPDX-License-Identifier: Apache-2.0
// Barriers in shared memory: arrivals and bytes of a phase, who waits for it, and what is told when it is complete.
#include "tessera/twin/barriers.h"

#include <algorithm>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "barrier_state.h"
#include "machine_state.h"
#include "tessera/twin/shared_memory.h"

namespace tessera::twin {

namespace {

constexpr Event kNever{-1, 0};

/// Who did something, and where it is written.
struct Place {
  int thread = -1;  // nobody
  Location where{};
};

}  // namespace

/// Phases are counted from 0; the parity of a phase is its lowest bit.
struct Barrier {
  explicit Barrier(std::string name, std::uint32_t block_stamp = 0)
      : name(std::move(name)), block_stamp(block_stamp) {}

  std::string name;           // "full[1]"
  std::uint32_t block_stamp;  // of another block: it is not initialised
  Event initialised = kNever;
  Location initialised_at{};
  Event fenced = kNever;
  int arrivals = 0;         // that a phase takes
  int missing = 0;          // of them in the running phase
  std::int64_t bytes = 0;   // announced and not copied yet; below 0: copied and not announced yet
  std::uint32_t phase = 0;  // the running one
  Gathering told;           // in the running phase
  Knowledge known;          // of the phase before
  std::vector<Place> waiting;
  Place last_arrival, last_bytes;
};

/// The barriers of one declaration.
struct BarrierArray {
  const void* key;
  int rank;  // of the block in its cluster
  std::string name;
  std::vector<Barrier> barriers;
};

namespace {

/// Those of the launch.
thread_local std::vector<std::unique_ptr<BarrierArray>> arrays;

std::string phase_text(const Barrier& barrier) {
  return barrier.name + ", phase " + std::to_string(barrier.phase) + ": ";
}

Place here(Location where) { return {context.thread, where}; }

/// The barriers of a declaration in a block of the cluster; null before a thread of it has asked for them.
BarrierArray* find_array(const void* key, int rank) {
  const auto known = std::find_if(arrays.begin(), arrays.end(), [&](const auto& array) {
    return array->key == key && array->rank == rank;
  });
  return known == arrays.end() ? nullptr : known->get();
}

/// Those of another block that are the same as `array`; null, and reported, if there are none.
BarrierArray* same_of_block(const BarrierArray& array, int rank, Location where) {
  BarrierArray* found = find_array(array.key, rank);
  if (found == nullptr)
    report(FaultKind::barrier_uninitialised, where,
           array.name + " of block " + std::to_string(rank) + " of the cluster is not there yet");
  return found;
}

/// Barrier `i`, initialised or not; null, and reported, if there is none.
Barrier* find(BarrierArray& array, int i, Location where) {
  if (i < 0 || static_cast<std::size_t>(i) >= array.barriers.size()) {
    report(FaultKind::shared_out_of_bounds, where,
           array.name + "[" + std::to_string(i) + "], extent " + std::to_string(array.barriers.size()));
    return nullptr;
  }
  Barrier& barrier = array.barriers[static_cast<std::size_t>(i)];
  if (barrier.block_stamp != machine().block_stamp())
    barrier = Barrier(std::move(barrier.name), machine().block_stamp());
  return &barrier;
}

/// Barrier `i`, which the current thread may use; null, and reported, if it cannot. A race is reported, and the barrier
/// still used.
Barrier* find_initialised(BarrierArray& array, int i, Location where) {
  Barrier* barrier = find(array, i, where);
  if (barrier == nullptr) return nullptr;
  const int thread = barrier->initialised.thread;
  if (thread < 0) {
    report(FaultKind::barrier_uninitialised, where, barrier->name + ": no thread has initialised it yet");
    return nullptr;
  }
  if (!machine().happened_before(barrier->initialised))
    report(FaultKind::shared_race, where,
           barrier->name + ": thread " + std::to_string(thread) +
               " initialised it, and no barrier of the block stands in between");
  return barrier;
}

/// Counts bytes that are awaited, or with a negative number those that are there.
void count_bytes(Barrier& barrier, int bytes, Location where) {
  const std::int64_t sum = barrier.bytes + bytes;
  if (sum < -kMostBytes || sum > kMostBytes) {
    report(FaultKind::barrier_misused, where,
           phase_text(barrier) + std::to_string(sum) + " bytes are awaited, and at most " +
               std::to_string(kMostBytes) + " can be");
    return;
  }
  barrier.bytes = sum;
  barrier.last_bytes = here(where);
}

/// Begins the next phase if the running one is complete: tells what is known then, and lets go on who waits for it.
void complete_phase(Barrier& barrier, Location where) {
  if (barrier.missing > 0 || barrier.bytes > 0) return;
  if (barrier.bytes < 0) {
    report(FaultKind::barrier_misused, where,
           phase_text(barrier) + "all arrivals are there, and " + std::to_string(-barrier.bytes) +
               " bytes more were copied than announced");
    barrier.bytes = 0;
  }
  barrier.known = barrier.told.close(context.threads);
  barrier.missing = barrier.arrivals;
  ++barrier.phase;
  for (const Place& place : barrier.waiting) machine().make_ready(place.thread);
  barrier.waiting.clear();
}

/// One arrival of the current thread, after it has announced so many bytes.
void arrive_at(BarrierArray& array, int i, int bytes, Location where) {
  Barrier* barrier = find_initialised(array, i, where);
  if (barrier == nullptr) return;
  if (barrier->missing == 0) {
    report(FaultKind::barrier_misused, where,
           phase_text(*barrier) + "one arrival more than the " + std::to_string(barrier->arrivals) +
               " that it takes, while " + std::to_string(barrier->bytes) + " bytes are awaited");
    return;
  }
  if (bytes < 0)
    report(FaultKind::barrier_misused, where,
           phase_text(*barrier) + "announced " + std::to_string(bytes) + " bytes");
  if (bytes > 0) count_bytes(*barrier, bytes, where);
  machine().tell(barrier->told);
  barrier->last_arrival = here(where);
  --barrier->missing;
  complete_phase(*barrier, where);
}

/// Calls `visit(barrier)` for those that the running block has used.
template <typename Visit>
void for_barriers(Visit visit) {
  for (const std::unique_ptr<BarrierArray>& array : arrays) {
    for (Barrier& barrier : array->barriers) {
      if (barrier.block_stamp == machine().block_stamp()) visit(barrier);
    }
  }
}

}  // namespace

void begin_barriers() { arrays.clear(); }

Barriers::Barriers(const char* name, int count, const void* key, Location where) {
  const int rank = block_rank();
  array_ = find_array(key, rank);
  if (array_ != nullptr) return;
  if (rank == 0) count_static_bytes(name, count * static_cast<int>(sizeof(std::uint64_t)), where);
  array_ = arrays.emplace_back(std::make_unique<BarrierArray>()).get();
  array_->key = key;
  array_->rank = rank;
  array_->name = name;
  for (int i = 0; i < count; ++i) array_->barriers.emplace_back(name + ("[" + std::to_string(i) + "]"));
}

void Barriers::init(int i, int arrivals, Location where) const {
  Barrier* barrier = find(*array_, i, where);
  if (barrier == nullptr) return;
  if (const int thread = barrier->initialised.thread; thread >= 0) {
    report(FaultKind::barrier_misused, where,
           barrier->name + ": thread " + std::to_string(thread) + " has initialised it before, at " +
               source_of(barrier->initialised_at));
    return;
  }
  if (arrivals < 1 || arrivals > kMostArrivals)
    report(FaultKind::barrier_misused, where,
           barrier->name + ": initialised for " + std::to_string(arrivals) +
               " arrivals, and a phase takes 1 to " + std::to_string(kMostArrivals));
  barrier->arrivals = barrier->missing = std::clamp(arrivals, 1, kMostArrivals);
  barrier->initialised = machine().now();
  barrier->initialised_at = where;
}

void Barriers::arrive(int i, Location where) const { arrive_at(*array_, i, 0, where); }

void Barriers::arrive_at_block(int i, int rank, Location where) const {
  check_presence(rank, where);
  BarrierArray* array = same_of_block(*array_, rank, where);
  if (array != nullptr) arrive_at(*array, i, 0, where);
}

void Barriers::arrive_expect_tx(int i, int bytes, Location where) const {
  arrive_at(*array_, i, bytes, where);
}

void Barriers::wait_parity(int i, int parity, Location where) const {
  Barrier* barrier = find_initialised(*array_, i, where);
  if (barrier == nullptr || machine().is_dropped(where)) return;
  if (parity != 0 && parity != 1) {
    report(FaultKind::barrier_misused, where,
           phase_text(*barrier) + "waited for with parity " + std::to_string(parity) + ", which is 0 or 1");
    return;
  }
  // As on the GPU, a thread that does not look before the next phase is complete, too, goes on waiting.
  while (static_cast<int>(barrier->phase % 2) == parity) {
    barrier->waiting.push_back(here(where));
    machine().wait(where);
  }
  machine().learn(barrier->known);
}

Barrier* Barriers::for_copy(int i, int rank, Location where) const {
  BarrierArray* array = same_of_block(*array_, rank, where);
  return array == nullptr ? nullptr : find_for_copy(*array, i, where);
}

void Barriers::complete_transaction(int i, int bytes, Location where) const {
  Barrier* barrier = find_for_copy(*array_, i, where);
  if (barrier != nullptr) twin::complete_transaction(*barrier, bytes, machine().told(), where);
}

void fence_mbarrier_init() {
  for_barriers([](Barrier& barrier) {
    if (barrier.initialised.thread == context.thread && barrier.fenced.thread < 0)
      barrier.fenced = machine().now();
  });
}

Barrier* find_for_copy(BarrierArray& array, int i, Location where) {
  Barrier* barrier = find_initialised(array, i, where);
  if (barrier == nullptr) return nullptr;
  if (barrier->fenced.thread < 0 || !machine().happened_before(barrier->fenced))
    report(FaultKind::barrier_misused, where,
           barrier->name + ": no fence makes its initialisation visible to copies");
  return barrier;
}

void complete_transaction(Barrier& barrier, int bytes, const Knowledge& carried, Location where) {
  count_bytes(barrier, -bytes, where);
  barrier.told.add(carried);
  complete_phase(barrier, where);
}

void report_endless_waits() {
  for_barriers([](const Barrier& barrier) {
    if (barrier.waiting.empty()) return;
    const std::size_t count = barrier.waiting.size();
    const Place& first = barrier.waiting.front();
    const Place& last = barrier.last_arrival;
    context.thread = first.thread;
    report(FaultKind::endless_wait, first.where,
           phase_text(barrier) + std::to_string(count) + (count == 1 ? " thread waits" : " threads wait") +
               " for parity " + std::to_string(barrier.phase % 2) + "; " + std::to_string(barrier.missing) +
               " of " + std::to_string(barrier.arrivals) + " arrivals and " + std::to_string(barrier.bytes) +
               " bytes are missing, " +
               (last.thread < 0 ? "nobody has arrived"
                                : "thread " + std::to_string(last.thread) + " arrived last, at " +
                                      source_of(last.where)));
  });
}

void check_transactions() {
  for_barriers([](const Barrier& barrier) {
    if (barrier.bytes == 0) return;
    context.thread = barrier.last_bytes.thread;
    report(FaultKind::barrier_misused, barrier.last_bytes.where,
           phase_text(barrier) + "the block has ended, and " +
               (barrier.bytes > 0 ? std::to_string(barrier.bytes) + " bytes were announced and not copied"
                                  : std::to_string(-barrier.bytes) + " bytes were copied and not announced"));
  });
}

}  // namespace tessera::twin
