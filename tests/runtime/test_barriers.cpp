// SPDX-License-Identifier: Apache-2.0
// Barriers in shared memory on the host twin: rings of stages between producers and consumers, and each thing that can
// be wrong with them.
#include <algorithm>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "catch.h"
#include "handwritten.h"
#include "tessera/kernel.h"

namespace barriers {

using namespace tessera;
using tessera::index;
using twin::FaultKind;

namespace {

/// Keeps reports from standard error, and leaves the options as they were.
struct Quiet {
  Quiet() {
    twin::on_fault([](const twin::Fault&) {});
  }
  ~Quiet() {
    twin::on_fault({});
    twin::options() = before;
  }
  twin::Options before = twin::options();
};

std::string all_faults() {
  std::string text;
  for (const twin::Fault& fault : twin::faults()) text += to_string(fault) + "\n";
  return text;
}

/// Whether the last run had a fault of that kind at that place whose detail has that text in it.
bool found(FaultKind kind, const std::string& source, const std::string& detail) {
  return std::any_of(twin::faults().begin(), twin::faults().end(), [&](const twin::Fault& fault) {
    return fault.kind == kind && fault.source == source && fault.detail.find(detail) != std::string::npos;
  });
}

/// Runs `kernel`; whether all threads came to an end.
bool run(int threads, const std::function<void()>& kernel, index blocks = 1) {
  twin::begin_faults("barriers");
  twin::begin_shared(0);
  return twin::run({blocks, threads, 0}, kernel);
}

/// Calls `visit` under every schedule.
void for_schedules(const std::function<void()>& visit) {
  const Quiet quiet;
  for (int seed = -2; seed < 8; ++seed) {
    twin::options().schedule = seed == -2   ? twin::Schedule::forward
                               : seed == -1 ? twin::Schedule::reverse
                                            : twin::Schedule::random;
    twin::options().seed = static_cast<std::uint64_t>(seed + 2);
    INFO("seed " << seed);
    visit();
  }
}

/// A warp that fills stages of 32 numbers, and two that add up what they find there; what is wrong with it.
enum class Ring {
  good,
  without_block_barrier,  ///< nothing orders the initialisation
  without_full_wait,
  without_empty_wait,
  releases_before_read,
  producer_arrives_alone,  ///< for the other lanes, without a barrier of the warp
  consumer_arrives_alone,  ///< likewise
  producer_at_parity_0,    ///< waits for a stage to be read before it was written
  consumer_at_parity_1,    ///< waits for the phase before the first
  one_consumer_too_many,   ///< is what the barrier was initialised for
  one_arrival_too_many     ///< by the producer
};

constexpr int kConsumers = 2, kSteps = 9, kThreads = 32 + 32 * kConsumers;

/// Where a thread is in the ring.
template <int kStages>
struct Turn {
  int step = 0, stage = 0, parity = 0;
  void next() {
    ++step;
    stage = (stage + 1) % kStages;
    if (stage == 0) parity ^= 1;
  }
};

template <Ring kFault, int kStages>
void produce(const Shared<std::uint32_t>& numbers, const Barriers& full, const Barriers& empty) {
  const int lane = thread_index() % 32;
  const int ahead = kFault == Ring::producer_at_parity_0 ? 0 : 1;
  for (Turn<kStages> turn; turn.step < kSteps; turn.next()) {
    if (kFault != Ring::without_empty_wait)
      ptx::mbarrier_wait_parity(empty, turn.stage, turn.parity ^ ahead);                  // ring.tsr:11
    numbers[turn.stage * 32 + lane] = static_cast<std::uint32_t>(turn.step * 32 + lane);  // ring.tsr:12
    if (kFault != Ring::producer_arrives_alone) warp_barrier();
    const bool arrives = lane == 0 || (kFault == Ring::one_arrival_too_many && lane == 1);
    if (arrives) ptx::mbarrier_arrive(full, turn.stage);  // ring.tsr:13
  }
}

/// The sum of what the lane found.
template <Ring kFault, int kStages>
std::uint32_t consume(const Shared<std::uint32_t>& numbers, const Barriers& full, const Barriers& empty) {
  const int lane = thread_index() % 32;
  const int ahead = kFault == Ring::consumer_at_parity_1 ? 1 : 0;
  std::uint32_t sum = 0;
  for (Turn<kStages> turn; turn.step < kSteps; turn.next()) {
    if (kFault != Ring::without_full_wait)
      ptx::mbarrier_wait_parity(full, turn.stage, turn.parity ^ ahead);  // ring.tsr:21
    const auto release = [&] {
      if (kFault != Ring::consumer_arrives_alone) warp_barrier();
      if (lane == 0) ptx::mbarrier_arrive(empty, turn.stage);  // ring.tsr:22
    };
    if (kFault == Ring::releases_before_read) release();
    sum += numbers[turn.stage * 32 + 31 - lane];  // ring.tsr:23
    if (kFault != Ring::releases_before_read) release();
  }
  return sum;
}

/// Runs the ring in two blocks; whether it came to an end with the right sums.
template <Ring kFault, int kStages>
bool run_ring() {
  std::vector<std::uint32_t> sums(2 * kThreads);
  const bool ended = run(
      kThreads,
      [&] {
        TESSERA_SHARED(std::uint32_t, numbers, kStages * 32);
        TESSERA_BARRIERS(full, kStages);
        TESSERA_BARRIERS(empty, kStages);
        if (thread_index() == 0) {
          for (int stage = 0; stage < kStages; ++stage) {
            ptx::mbarrier_init(full, stage, 1);
            ptx::mbarrier_init(empty, stage, kConsumers + (kFault == Ring::one_consumer_too_many ? 1 : 0));
          }
          ptx::fence_mbarrier_init();
        }
        if (kFault != Ring::without_block_barrier) barrier();  // ring.tsr:1
        if (thread_index() < 32) return produce<kFault, kStages>(numbers, full, empty);
        sums[static_cast<std::size_t>(block_index() * kThreads + thread_index())] =
            consume<kFault, kStages>(numbers, full, empty);
      },
      2);
  const int first = 32 * kSteps * (kSteps - 1) / 2;
  for (std::size_t i = 0; i < sums.size(); ++i) {
    const int thread = static_cast<int>(i) % kThreads;
    const auto expected = static_cast<std::uint32_t>(first + kSteps * (31 - thread % 32));
    if (thread >= 32 && sums[i] != expected) return false;
  }
  return ended;
}

/// Whether every schedule finds a fault of one of these kinds at one of these places.
template <Ring kFault>
void check_fault(const std::vector<FaultKind>& kinds, const std::vector<std::string>& sources) {
  for_schedules([&] {
    (void)run_ring<kFault, 2>();
    INFO(all_faults());
    CHECK(std::any_of(twin::faults().begin(), twin::faults().end(), [&](const twin::Fault& fault) {
      return std::find(kinds.begin(), kinds.end(), fault.kind) != kinds.end() &&
             std::find(sources.begin(), sources.end(), fault.source) != sources.end();
    }));
  });
}

}  // namespace

TEST_CASE("a ring of stages between producers and consumers has no fault") {
  for_schedules([] {
    CHECK(run_ring<Ring::good, 1>());
    CHECK(run_ring<Ring::good, 2>());
    CHECK(run_ring<Ring::good, 3>());
    INFO(all_faults());
    CHECK(twin::fault_count() == 0);
  });
}

TEST_CASE("each wait and each barrier of the ring is needed: dropping it is found") {
  const Quiet quiet;
  for (int place = 0; place < 6; ++place) {
    twin::options().drop_barrier = place;
    INFO("place " << place);
    (void)run_ring<Ring::good, 2>();
    CHECK((twin::fault_count() > 0) == (place < 5));
  }
}

TEST_CASE("what a ring lacks is found on every schedule, by the line of the access") {
  constexpr FaultKind kRace = FaultKind::shared_race, kUninitialised = FaultKind::shared_uninitialised;
  const std::vector<std::string> accesses = {"ring.tsr:12", "ring.tsr:23"};
  check_fault<Ring::without_full_wait>({kRace, kUninitialised}, accesses);
  check_fault<Ring::without_empty_wait>({kRace}, accesses);
  check_fault<Ring::releases_before_read>({kRace}, accesses);
  check_fault<Ring::producer_arrives_alone>({kRace, kUninitialised}, accesses);
  check_fault<Ring::consumer_arrives_alone>({kRace, kUninitialised}, accesses);
}

TEST_CASE("phases that are counted wrongly are races or wait for ever, on every schedule") {
  const std::vector<FaultKind> kinds = {FaultKind::shared_race, FaultKind::shared_uninitialised,
                                        FaultKind::endless_wait};
  const std::vector<std::string> sources = {"ring.tsr:11", "ring.tsr:12", "ring.tsr:21", "ring.tsr:23"};
  check_fault<Ring::consumer_at_parity_1>(kinds, sources);
  check_fault<Ring::one_arrival_too_many>(kinds, sources);
}

TEST_CASE("an initialisation that nothing orders before other threads is found on every schedule") {
  check_fault<Ring::without_block_barrier>({FaultKind::shared_race, FaultKind::barrier_uninitialised},
                                           {"ring.tsr:11", "ring.tsr:21"});
  const Quiet quiet;
  (void)run_ring<Ring::without_block_barrier, 2>();
  INFO(all_faults());
  CHECK(found(FaultKind::shared_race, "ring.tsr:11",
              "empty[0]: thread 0 initialised it, and no barrier of the block stands in between"));
}

TEST_CASE("who waits for ever is named, with what is missing") {
  for_schedules([] {
    CHECK_FALSE(run_ring<Ring::producer_at_parity_0, 2>());
    INFO(all_faults());
    CHECK(found(FaultKind::endless_wait, "ring.tsr:11",
                "empty[0], phase 0: 32 threads wait for parity 0; 2 of 2 arrivals and 0 bytes are missing, "
                "nobody has arrived"));
    CHECK(found(FaultKind::endless_wait, "ring.tsr:21",
                "full[0], phase 0: 64 threads wait for parity 0; 1 of 1 arrivals and 0 bytes are missing, "
                "nobody has arrived"));
    CHECK(twin::fault_count() == 2);
    CHECK_FALSE(run_ring<Ring::one_consumer_too_many, 2>());
    CHECK(found(FaultKind::endless_wait, "ring.tsr:11",
                "empty[0], phase 0: 32 threads wait for parity 0; 1 of 3 arrivals and 0 bytes are missing, "
                "thread "));
    CHECK(found(FaultKind::endless_wait, "ring.tsr:11", " arrived last, at ring.tsr:22"));
  });
}

namespace {

/// Threads that bring numbers as copies do: thread 0 announces them, and the last thread ends the copy.
struct Copying {
  int announced = 64;
  int fencing = 0;  // thread
};

/// Thread 1 waits for the numbers and reads them; whether it found the right one.
bool run_copy(Copying what) {
  bool right = false;
  const bool ended = run(64, [&] {
    TESSERA_SHARED(int, numbers, 32);
    TESSERA_BARRIERS(full, 3);
    if (thread_index() == 0) ptx::mbarrier_init(full, 2, 1);
    if (thread_index() == what.fencing) ptx::fence_mbarrier_init();
    barrier();
    if (thread_index() == 0) ptx::mbarrier_arrive_expect_tx(full, 2, what.announced);  // copy.tsr:1
    if (thread_index() == 63) {
      numbers[5] = 7;                                         // copy.tsr:2
      full.complete_transaction(2, 16, Location::current());  // copy.tsr:3
      full.complete_transaction(2, 48, Location::current());  // copy.tsr:4
    }
    if (thread_index() != 1) return;
    ptx::mbarrier_wait_parity(full, 2, 0);  // copy.tsr:5
    right = numbers[5] == 7;                // copy.tsr:6
  });
  return ended && right;
}

}  // namespace

TEST_CASE("a phase is complete when its arrivals and its bytes are there, in any order") {
  for_schedules([] {
    CHECK(run_copy({}));
    INFO(all_faults());
    CHECK(twin::fault_count() == 0);
  });
}

TEST_CASE("bytes that do not come out even are found on every schedule") {
  for_schedules([] {
    CHECK_FALSE(run_copy({.announced = 80}));
    CHECK(found(FaultKind::endless_wait, "copy.tsr:5",
                "full[2], phase 0: 1 thread waits for parity 0; 0 of 1 arrivals and 16 bytes are missing, "
                "thread 0 arrived last, at copy.tsr:1"));
    for (const int announced : {0, 48}) {
      (void)run_copy({.announced = announced});
      INFO(announced << ", " << all_faults());
      CHECK(std::any_of(twin::faults().begin(), twin::faults().end(),
                        [](const twin::Fault& fault) { return fault.kind == FaultKind::barrier_misused; }));
    }
    for (const int fencing : {-1, 63}) {  // nobody, and a thread that has initialised nothing
      (void)run_copy({.fencing = fencing});
      CHECK(found(FaultKind::barrier_misused, "copy.tsr:3",
                  "full[2]: no fence makes its initialisation visible to copies"));
    }
  });
}

TEST_CASE("what a barrier cannot take is named") {
  const Quiet quiet;
  const auto check = [](FaultKind kind, const std::string& detail, auto use) {
    (void)run(2, [&] {
      TESSERA_BARRIERS(gate, 2);
      if (thread_index() == 0) use(gate);  // misuse.tsr:1
    });
    INFO(all_faults());
    CHECK(twin::fault_count() == 1);
    CHECK(twin::faults().front().kind == kind);
    CHECK(twin::faults().front().detail == detail);
    CHECK(twin::faults().front().source.rfind("misuse.tsr:", 0) == 0);
  };
  constexpr FaultKind kMisused = FaultKind::barrier_misused;
  check(FaultKind::barrier_uninitialised, "gate[1]: no thread has initialised it yet",
        [](const Barriers& gate) {
          ptx::mbarrier_init(gate, 0, 1);
          ptx::mbarrier_arrive(gate, 1);  // misuse.tsr:2
        });
  check(FaultKind::barrier_uninitialised, "gate[0]: no thread has initialised it yet",
        [](const Barriers& gate) {
          ptx::mbarrier_wait_parity(gate, 0, 1);  // misuse.tsr:3
        });
  check(FaultKind::shared_out_of_bounds, "gate[2], extent 2", [](const Barriers& gate) {
    ptx::mbarrier_init(gate, 2, 1);  // misuse.tsr:4
  });
  check(kMisused, "gate[1]: initialised for 0 arrivals, and a phase takes 1 to 1048575",
        [](const Barriers& gate) { ptx::mbarrier_init(gate, 1, 0); });
  check(kMisused, "gate[1]: thread 0 has initialised it before, at misuse.tsr:5", [](const Barriers& gate) {
    for (int i = 0; i < 2; ++i) ptx::mbarrier_init(gate, 1, 3);  // misuse.tsr:5
  });
  check(kMisused, "gate[1], phase 0: waited for with parity 2, which is 0 or 1", [](const Barriers& gate) {
    ptx::mbarrier_init(gate, 1, 3);
    ptx::mbarrier_wait_parity(gate, 1, 2);
  });
}

TEST_CASE("arrivals and bytes that a phase cannot take are named") {
  const Quiet quiet;
  const auto check = [](const std::string& detail, auto use) {
    (void)run(1, [&] {
      TESSERA_BARRIERS(gate, 1);
      ptx::mbarrier_init(gate, 0, 2);
      ptx::fence_mbarrier_init();
      use(gate);
    });
    INFO(all_faults());
    CHECK(found(FaultKind::barrier_misused, "bytes.tsr:1", "gate[0], phase " + detail));
    CHECK(twin::fault_count() == 1);
  };
  check("0: one arrival more than the 2 that it takes, while 64 bytes are awaited", [](const Barriers& gate) {
    ptx::mbarrier_arrive_expect_tx(gate, 0, 64);
    for (int i = 0; i < 2; ++i) ptx::mbarrier_arrive(gate, 0);  // bytes.tsr:1
    gate.complete_transaction(0, 64, Location::current());
  });
  check("0: 1048576 bytes are awaited, and at most 1048575 can be", [](const Barriers& gate) {
    ptx::mbarrier_arrive_expect_tx(gate, 0, 1 << 20);  // bytes.tsr:1
  });
  check("0: announced -4 bytes", [](const Barriers& gate) {
    ptx::mbarrier_arrive_expect_tx(gate, 0, -4);  // bytes.tsr:1
  });
  check("0: all arrivals are there, and 16 bytes more were copied than announced", [](const Barriers& gate) {
    ptx::mbarrier_arrive(gate, 0);
    ptx::mbarrier_arrive_expect_tx(gate, 0, 48);
    gate.complete_transaction(0, 64, Location::current());  // bytes.tsr:1
  });
  check("1: the block has ended, and 64 bytes were copied and not announced", [](const Barriers& gate) {
    for (int i = 0; i < 2; ++i) ptx::mbarrier_arrive(gate, 0);
    gate.complete_transaction(0, 64, Location::current());  // bytes.tsr:1
  });
  check("0: the block has ended, and 32 bytes were announced and not copied", [](const Barriers& gate) {
    ptx::mbarrier_arrive_expect_tx(gate, 0, 32);  // bytes.tsr:1
  });
}

TEST_CASE("a thread that looks after the phase behind the one it waits for goes on waiting, as on a GPU") {
  const auto two_phases = [](bool looks) {
    return run(2, [&] {
      TESSERA_BARRIERS(gate, 1);
      if (thread_index() == 0) ptx::mbarrier_init(gate, 0, 1);
      barrier();
      if (thread_index() == 0) {
        if (looks) ptx::mbarrier_wait_parity(gate, 0, 0);  // late.tsr:1
      } else {
        for (int phase = 0; phase < 2; ++phase) ptx::mbarrier_arrive(gate, 0);
      }
    });
  };
  for_schedules([&] {
    CHECK(two_phases(false));
    CHECK_FALSE(two_phases(true));
    CHECK(found(FaultKind::endless_wait, "late.tsr:1", "gate[0], phase 2: 1 thread waits for parity 0"));
  });
}

TEST_CASE("the parity before the first is complete, and orders nothing") {
  for_schedules([] {
    int passed = 0;
    CHECK(run(64, [&] {
      TESSERA_SHARED(int, number, 1);
      TESSERA_BARRIERS(gate, 1);
      if (thread_index() == 0) ptx::mbarrier_init(gate, 0, 64);
      barrier();
      if (thread_index() == 5) number[0] = 1;
      if (thread_index() == 5) ptx::mbarrier_arrive(gate, 0);
      ptx::mbarrier_wait_parity(gate, 0, 1);
      ++passed;
      if (thread_index() == 9) number[0] = 2;  // first.tsr:1
    }));
    CHECK(passed == 64);
    CHECK(twin::fault_count() == 1);
    CHECK(twin::faults().front().kind == FaultKind::shared_race);
  });
}

TEST_CASE("barriers take room in shared memory") {
  const Quiet quiet;
  (void)run(1, [] { TESSERA_BARRIERS(many, 6144); });
  CHECK(twin::fault_count() == 0);
  for (int launch = 0; launch < 2; ++launch) {
    (void)run(1, [] {
      TESSERA_BARRIERS(many, 6144);
      TESSERA_BARRIERS(one, 1);  // room.tsr:1
    });
    CHECK(found(FaultKind::shared_out_of_bounds, "room.tsr:1",
                "one: the arrays of the function take 49160 bytes of shared memory, and may take 49152"));
  }
}

TEST_CASE("the kernel written by hand agrees with a loop") {
  for_schedules([] {
    for (const auto& [rows, columns] :
         {std::pair<index, index>{0, 5}, {1, 1}, {3, 64}, {17, 130}, {40, 257}}) {
      std::vector<float> x(static_cast<std::size_t>(rows * columns)), y(static_cast<std::size_t>(columns));
      for (std::size_t i = 0; i < x.size(); ++i) x[i] = static_cast<float>(i * 7 % 31);
      for (int variant = 0; variant < 3; ++variant) {
        const Status status = kernels::sum_rows(tensor(x.data(), {rows, columns}),
                                                tensor(y.data(), {columns}), {.variant = variant});
        INFO(rows << " x " << columns << ", variant " << variant << ": " << status.message().c_str());
        REQUIRE(status.ok());
        for (index c = 0; c < columns; ++c) {
          float sum = 0;
          for (index r = 0; r < rows; ++r) sum += x[static_cast<std::size_t>(r * columns + c)];
          REQUIRE(y[static_cast<std::size_t>(c)] == sum);
        }
      }
    }
  });
}

}  // namespace barriers
