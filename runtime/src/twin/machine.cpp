// SPDX-License-Identifier: Apache-2.0
// The host twin's machine: scheduling threads, barriers, shuffles, and what to say when nobody can go on.
#include "machine_state.h"

#include <algorithm>
#include <bit>
#include <cstdlib>
#include <cstring>
#include <numeric>
#include <string>
#include <utility>

#include "barrier_state.h"
#include "box_copies.h"

namespace tessera::twin {

namespace {

constexpr int kWarp = kLanes;

Options options_from_environment() {
  Options result;
  if (const char* schedule = std::getenv("TESSERA_TWIN_SCHEDULE"); schedule != nullptr && *schedule != '\0') {
    if (std::strcmp(schedule, "reverse") == 0) {
      result.schedule = Schedule::reverse;
    } else if (std::strcmp(schedule, "forward") != 0) {
      result.schedule = Schedule::random;
      result.seed = std::strtoull(schedule, nullptr, 10);
    }
  }
  if (const char* barrier = std::getenv("TESSERA_TWIN_DROP_BARRIER");
      barrier != nullptr && *barrier != '\0') {
    result.drop_barrier = std::atoi(barrier);
  }
  if (const char* copies = std::getenv("TESSERA_TWIN_COPIES");
      copies != nullptr && std::strcmp(copies, "late") == 0) {
    result.copies = Copies::late;
  }
  if (const char* blocks = std::getenv("TESSERA_TWIN_BLOCKS"); blocks != nullptr && *blocks != '\0') {
    result.most_blocks = std::atoll(blocks);
  }
  return result;
}

bool same_place(Location a, Location b) { return a.line == b.line && std::strcmp(a.file, b.file) == 0; }

std::string threads_text(int first, int count) {
  return "threads " + std::to_string(first) + " to " + std::to_string(first + count - 1);
}

}  // namespace

Options& options() {
  thread_local Options instance = options_from_environment();
  return instance;
}

Machine& machine() {
  thread_local Machine instance;
  return instance;
}

bool run(const Grid& grid, const std::function<void()>& kernel) { return machine().run(grid, kernel); }

std::int64_t steps() { return machine().switches() + shared_accesses(); }

void barrier(int first, int count, Location where) { machine().barrier(first, count, where); }

void shuffle_xor(std::uint32_t* words, int count, int lane_mask, std::uint32_t lanes, Location where) {
  machine().exchange({nullptr, lane_mask, count}, words, lanes, where);
}

void do_together(WarpStep step, void* brought, Location where) {
  machine().exchange({step, 0, 0}, brought, 0xffffffffu, where);
}

void meet_predecessor() { machine().meet_predecessor(); }

void check_behind_predecessor(Location where) {
  if (machine().is_ahead())
    report(FaultKind::runs_ahead, where,
           "a thread of a launch that begins early has not waited for the one before");
}

void check_presence(int rank, Location where) {
  if (machine().has_ended(rank))
    report(FaultKind::block_gone, where, "block " + std::to_string(rank) + " of the cluster has ended");
}

bool Machine::has_ended(int rank) const {
  const auto first = threads_.begin() + std::ptrdiff_t{rank} * context.block_threads;
  return std::all_of(first, first + context.block_threads, [](const Thread& thread) { return thread.ended; });
}

void Machine::meet_predecessor() {
  context.ahead -= current().ahead ? 1 : 0;
  current().ahead = false;
}

bool Machine::run(const Grid& grid, const std::function<void()>& kernel) {
  kernel_ = &kernel;
  random_.seed(options().seed + 1);
  barrier_places_.clear();
  const std::int64_t most = options().most_blocks;
  const std::int64_t blocks =
      most > 0 && most < grid.blocks ? (most + grid.cluster - 1) / grid.cluster * grid.cluster : grid.blocks;
  begins_early_ = grid.begins_early;
  context = {0, blocks, 0, grid.threads * grid.cluster, 0, grid.threads};
  const std::int64_t clusters = blocks / grid.cluster;
  for (std::int64_t turn = 0; turn < clusters; ++turn) {
    context.block = cluster_number(turn, clusters) * grid.cluster;
    begin_block();
    if (!run_block()) return false;
  }
  return true;
}

std::int64_t Machine::cluster_number(std::int64_t turn, std::int64_t clusters) const {
  switch (options().schedule) {
    case Schedule::forward: return turn;
    case Schedule::reverse: return clusters - 1 - turn;
    case Schedule::random: break;
  }
  // An affine map with a factor that shares no divisor with the number of clusters visits each of them once.
  std::uint64_t factor = 2 * (options().seed % 1000) + 1;
  const auto count = static_cast<std::uint64_t>(clusters);
  while (std::gcd(factor, count) != 1) ++factor;
  return static_cast<std::int64_t>((static_cast<std::uint64_t>(turn) * factor + options().seed) % count);
}

void Machine::begin_block() {
  ++block_stamp_;
  const auto count = static_cast<std::size_t>(context.threads);
  threads_.resize(count);
  for (Thread& thread : threads_) {
    thread.fibre = nullptr;
    thread.ended = false;
    thread.ahead = begins_early_;
    thread.time = 1;
    thread.known = nullptr;
  }
  context.ahead = begins_early_ ? context.threads : 0;
  fresh_.resize(count);
  std::iota(fresh_.begin(), fresh_.end(), 0);
  if (options().schedule == Schedule::forward) std::reverse(fresh_.begin(), fresh_.end());
  if (options().schedule == Schedule::random) std::shuffle(fresh_.begin(), fresh_.end(), random_);
  ready_.clear();
  ready_begin_ = 0;
  ended_ = 0;
  domains_.clear();
  exchanges_.clear();
  union_.forget();
}

bool Machine::run_block() {
  switch_to_next();  // returns when no thread can run
  while (land_next_box()) switch_to_next();
  if (ended_ == context.threads) {
    check_transactions();
    check_stores();
    check_boxes_ahead();
    if (context.ahead == context.threads)
      report(FaultKind::runs_ahead, {},
             "no thread waits for the launch before, so that this one may end first");
    return true;
  }
  report_deadlock();
  idle_.clear();
  for (const std::unique_ptr<Fibre>& fibre : fibres_) {
    fibre->restart();
    idle_.push_back(fibre.get());
  }
  return false;
}

/// What every fibre does: runs threads that have not begun, as long as none of those that waited can go on.
void Machine::run_fresh_threads() {
  Machine& self = machine();
  for (;;) {
    while (!self.fresh_.empty() && self.ready_begin_ == self.ready_.size()) {
      const int thread = self.fresh_.back();
      self.fresh_.pop_back();
      context.thread = thread;
      (*self.kernel_)();
      // The thread may have waited, and others run meanwhile.
      self.current().ended = true;
      ++self.ended_;
    }
    self.idle_.push_back(self.current_);
    self.switch_to_next();
  }
}

std::size_t Machine::pick(std::size_t count) {
  switch (options().schedule) {
    case Schedule::forward: return 0;
    case Schedule::reverse: return count - 1;
    case Schedule::random: break;
  }
  return random_() % count;
}

/// The fibre of a thread that may go on, one for the threads that have not begun, or the host's own stack.
Fibre* Machine::next_fibre() {
  const std::size_t count = ready_.size() - ready_begin_;
  if (count > 0) {
    std::swap(ready_[ready_begin_], ready_[ready_begin_ + pick(count)]);
    const int thread = ready_[ready_begin_++];
    if (ready_begin_ == ready_.size()) {
      ready_.clear();
      ready_begin_ = 0;
    }
    context.thread = thread;
    return std::exchange(threads_[static_cast<std::size_t>(thread)].fibre, nullptr);
  }
  if (fresh_.empty()) return &host_;
  if (idle_.empty()) {
    fibres_.push_back(make_fibre(&Machine::run_fresh_threads));
    return fibres_.back().get();
  }
  Fibre* fibre = idle_.back();
  idle_.pop_back();
  return fibre;
}

void Machine::switch_to_next() {
  Fibre* from = current_;
  Fibre* to = next_fibre();
  if (from == to) return;
  current_ = to;
  ++switches_;
  Fibre::switch_to(*from, *to);
}

void Machine::wait(Location where) {
  current().fibre = current_;
  current().waits_at = where;
  switch_to_next();
}

bool Machine::is_dropped(Location where) {
  const int drop = options().drop_barrier;
  if (drop < 0) return false;
  const auto known = std::find_if(barrier_places_.begin(), barrier_places_.end(),
                                  [where](Location place) { return same_place(place, where); });
  const auto number = static_cast<int>(known - barrier_places_.begin());
  if (known == barrier_places_.end()) barrier_places_.push_back(where);
  return number == drop;
}

BarrierDomain& Machine::domain(int first, int count) {
  for (BarrierDomain& domain : domains_) {
    if (domain.first == first && domain.count == count) return domain;
  }
  return domains_.emplace_back(BarrierDomain{first, count, {}, {}});
}

void Machine::tell(int thread, Gathering& others) {
  Thread& state = threads_[static_cast<std::size_t>(thread)];
  others.add(state.known);
  others.add(Event{thread, state.time++});
}

Knowledge Machine::told() {
  tell(gathering_);
  return gathering_.close(context.threads);
}

/// The last of those who wait for each other is here: all of them know what each of them knew and did, and go on.
void Machine::meet(const std::vector<int>& waiting) {
  tell(gathering_);
  for (const int thread : waiting) tell(thread, gathering_);
  current().known = gathering_.close(context.threads);
  for (const int thread : waiting) {
    threads_[static_cast<std::size_t>(thread)].known = current().known;
    make_ready(thread);
  }
}

void Machine::barrier(int first, int count, Location where) {
  count = std::min(count, context.threads - first);
  if (is_dropped(where)) return;
  if (context.thread < first || context.thread >= first + count) {
    report(FaultKind::divergent_barrier, where, "this barrier is for " + threads_text(first, count));
    return;
  }
  BarrierDomain& meeting = domain(first, count);
  if (meeting.waiting.empty()) {
    meeting.where = where;
  } else if (!same_place(meeting.where, where)) {
    report(FaultKind::divergent_barrier, where,
           "thread " + std::to_string(meeting.waiting.front()) + " waits at the barrier of " +
               source_of(meeting.where));
  }
  if (static_cast<int>(meeting.waiting.size()) + 1 < count) {
    meeting.waiting.push_back(context.thread);
    wait(where);
    return;
  }
  meet(meeting.waiting);
  meeting.waiting.clear();
}

Exchange& Machine::exchange_of(int warp, std::uint32_t lanes) {
  for (Exchange& exchange : exchanges_) {
    if (exchange.warp == warp && exchange.lanes == lanes) return exchange;
  }
  return exchanges_.emplace_back(Exchange{warp, lanes, 0, {}, {}, {}});
}

void Machine::exchange(const WarpOperation& operation, void* brought, std::uint32_t lanes, Location where) {
  const int lane = context.thread % kWarp;
  const std::uint32_t bit = 1u << lane;
  if ((lanes & bit) == 0) {
    report(FaultKind::divergent_shuffle, where,
           "lane " + std::to_string(lane) + " is not among the lanes it names");
    return;
  }
  Exchange& meeting = exchange_of(context.thread / kWarp, lanes);
  if (meeting.arrived == 0) {
    meeting.operation = operation;
    meeting.where = where;
  } else if (meeting.operation != operation || !same_place(meeting.where, where)) {
    report(FaultKind::divergent_shuffle, where,
           std::string("other lanes are in the ") +
               (meeting.operation.step == nullptr ? "shuffle" : "warp's step") + " of " +
               source_of(meeting.where));
    return;
  }
  meeting.arrived |= bit;
  meeting.brought[lane] = brought;
  if (meeting.arrived == lanes) {
    complete(meeting);
    meeting.arrived = 0;
  } else {
    wait(where);
  }
}

/// Gives each lane of a shuffle the words of its partner, its own if there is none.
static void shuffle(const Exchange& exchange) {
  for (int lane = 0; lane < kWarp; ++lane) {
    if ((exchange.lanes >> lane & 1) == 0) continue;
    const int partner = (lane ^ exchange.operation.lane_mask) % kWarp;
    if ((exchange.lanes >> partner & 1) == 0) {
      report(FaultKind::divergent_shuffle, exchange.where,
             "lane " + std::to_string(partner) + ", which lane " + std::to_string(lane) +
                 " reads, does not take part");
    } else if (lane < partner) {
      auto* words = static_cast<std::uint32_t*>(exchange.brought[lane]);
      std::swap_ranges(words, words + exchange.operation.words,
                       static_cast<std::uint32_t*>(exchange.brought[partner]));
    }
  }
}

/// Does what the lanes have met for, and lets all go on.
void Machine::complete(const Exchange& exchange) {
  if (exchange.operation.step == nullptr) {
    shuffle(exchange);
  } else {
    exchange.operation.step(exchange.brought);
  }
  for (int lane = 0; lane < kWarp; ++lane) {
    const int thread = exchange.warp * kWarp + lane;
    if ((exchange.lanes >> lane & 1) != 0 && thread != context.thread) make_ready(thread);
  }
}

/// Somebody waits and nobody can run: says at which barrier or shuffle, and who is missing.
void Machine::report_deadlock() {
  const auto missing = [this](int thread) {
    const Thread& state = threads_[static_cast<std::size_t>(thread)];
    return "thread " + std::to_string(thread) +
           (state.ended ? std::string(" has ended") : " waits at " + source_of(state.waits_at));
  };
  for (const BarrierDomain& domain : domains_) {
    if (domain.waiting.empty()) continue;
    int absent = domain.first;
    while (std::find(domain.waiting.begin(), domain.waiting.end(), absent) != domain.waiting.end()) ++absent;
    context.thread = domain.waiting.front();
    report(FaultKind::divergent_barrier, domain.where,
           std::to_string(domain.waiting.size()) + " of " + threads_text(domain.first, domain.count) +
               " wait for ever; " + missing(absent));
  }
  for (const Exchange& exchange : exchanges_) {
    if (exchange.arrived == 0) continue;
    const std::uint32_t absent = exchange.lanes & ~exchange.arrived;
    const int thread = exchange.warp * kWarp + std::countr_zero(absent);
    context.thread = exchange.warp * kWarp + std::countr_zero(exchange.arrived);
    report(FaultKind::divergent_shuffle, exchange.where,
           std::to_string(std::popcount(exchange.arrived)) + " of " +
               std::to_string(std::popcount(exchange.lanes)) + " lanes wait for ever; " +
               (thread < context.threads ? missing(thread) : "the block is too small"));
  }
  report_endless_waits();
}

}  // namespace tessera::twin
