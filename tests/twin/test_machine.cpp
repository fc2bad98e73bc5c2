// SPDX-License-Identifier: Apache-2.0
// The twin's machine itself: who runs when, on which stack, and what its options do. Built with AddressSanitizer and
// with the portable stack switch as well.
#include <algorithm>
#include <set>
#include <vector>

#include "catch.h"
#include "tessera/shared.h"
#include "tessera/twin/launch.h"
#include "tests/runtime/handwritten.h"

namespace {

namespace twin = tessera::twin;
using tessera::Location;
using twin::context;

/// The threads in the order in which `kernel` notes them.
std::vector<int> order_of(int threads, twin::Schedule schedule, std::uint64_t seed) {
  const twin::Options before = twin::options();
  twin::options() = {schedule, seed, -1};
  std::vector<int> order;
  CHECK(twin::run({1, threads, 0}, [&] { order.push_back(context.thread); }));
  twin::options() = before;
  return order;
}

}  // namespace

TEST_CASE("schedules order threads and blocks, and visit each once") {
  CHECK(order_of(5, twin::Schedule::forward, 0) == std::vector<int>{0, 1, 2, 3, 4});
  CHECK(order_of(5, twin::Schedule::reverse, 0) == std::vector<int>{4, 3, 2, 1, 0});
  std::set<std::vector<int>> orders;
  for (std::uint64_t seed = 0; seed < 10; ++seed) {
    std::vector<int> order = order_of(100, twin::Schedule::random, seed);
    CHECK(order == order_of(100, twin::Schedule::random, seed));
    orders.insert(order);
    std::sort(order.begin(), order.end());
    CHECK(order == order_of(100, twin::Schedule::forward, 0));
  }
  CHECK(orders.size() == 10);

  for (const std::int64_t blocks : {1, 2, 12, 997, 3000}) {
    for (const twin::Schedule schedule :
         {twin::Schedule::forward, twin::Schedule::reverse, twin::Schedule::random}) {
      twin::options() = {schedule, 1499, -1};
      std::set<std::int64_t> seen;
      CHECK(twin::run({blocks, 1, 0}, [&] { seen.insert(context.block); }));
      CHECK(static_cast<std::int64_t>(seen.size()) == blocks);
      CHECK(*seen.rbegin() == blocks - 1);
    }
  }
  twin::options() = {};
}

TEST_CASE("a launch may have fewer blocks than it asks for, which know how many they are") {
  twin::options().most_blocks = 3;
  for (const std::int64_t blocks : {1, 3, 100}) {
    std::vector<std::int64_t> seen;
    CHECK(twin::run({blocks, 1, 0}, [&] {
      seen.push_back(context.block);
      CHECK(context.blocks == std::min<std::int64_t>(blocks, 3));
    }));
    CHECK(static_cast<std::int64_t>(seen.size()) == std::min<std::int64_t>(blocks, 3));
  }
  twin::options() = {};
}

TEST_CASE("threads that never wait run on one stack, without a switch") {
  std::set<std::uintptr_t> stacks;
  CHECK(twin::run({3, 1024, 0}, [&] {
    int local = 0;
    stacks.insert(reinterpret_cast<std::uintptr_t>(__builtin_frame_address(0)) +
                  static_cast<std::uintptr_t>(local));
  }));
  CHECK(stacks.size() == 1);
}

TEST_CASE("threads that wait keep what is on their stacks") {
  for (int repeat = 0; repeat < 3; ++repeat) {
    int wrong = 0;
    CHECK(twin::run({2, 1024, 0}, [&] {
      volatile int local[100];
      for (int& value : const_cast<int(&)[100]>(local)) value = context.thread;
      const int thread = context.thread;
      for (int round = 0; round < 3; ++round) {
        twin::barrier(0, context.threads, Location::current());
        if (context.thread != thread || local[round * 33] != thread) ++wrong;
      }
    }));
    CHECK(wrong == 0);
  }
}

TEST_CASE("nobody passes a barrier before everybody is there") {
  for (const twin::Schedule schedule :
       {twin::Schedule::forward, twin::Schedule::reverse, twin::Schedule::random}) {
    twin::options() = {schedule, 7, -1};
    int arrived = 0, early = 0;
    CHECK(twin::run({1, 96, 0}, [&] {
      for (int round = 1; round <= 4; ++round) {
        ++arrived;
        twin::barrier(0, 96, Location::current());
        if (arrived < 96 * round) ++early;
      }
    }));
    CHECK(early == 0);
  }
  twin::options() = {};
}

namespace {

/// How many faults it finds when thread 0 writes before `meet(thread)` and the last thread reads behind it.
template <typename Meet>
std::int64_t faults_between_ends(int threads, Meet meet) {
  twin::begin_faults("machine");
  twin::begin_shared(0);
  int read = 0;
  CHECK(twin::run({1, threads, 0}, [&] {
    TESSERA_SHARED(int, word, 1);
    if (context.thread == 0) word[0] = 7;
    meet(context.thread);
    if (context.thread == threads - 1) read = word[0];
  }));
  CHECK((read == 7 || twin::fault_count() > 0));
  return twin::fault_count();
}

/// Waits for the threads [first, first + count) if this is one of them.
void meet_if_among(int first, int count, int thread) {
  if (thread >= first && thread < first + count) twin::barrier(first, count, Location::current());
}

}  // namespace

TEST_CASE("order passes on from barrier to barrier") {
  twin::on_fault([](const twin::Fault&) {});
  const auto chain = [](int thread) {
    meet_if_among(0, 64, thread);
    meet_if_among(48, 32, thread);
    meet_if_among(79, 17, thread);
  };
  const auto other_way = [](int thread) {
    meet_if_among(79, 17, thread);
    meet_if_among(48, 32, thread);
    meet_if_among(0, 64, thread);
  };
  for (std::uint64_t seed = 0; seed < 4; ++seed) {
    twin::options() = {seed == 0 ? twin::Schedule::forward : twin::Schedule::random, seed, -1};
    CHECK(faults_between_ends(96, chain) == 0);
    CHECK(faults_between_ends(96, [](int thread) { meet_if_among(0, 95, thread); }) == 1);
  }
  twin::options() = {};
  CHECK(faults_between_ends(96, other_way) == 1);
  twin::on_fault({});
}

TEST_CASE("a shuffle orders no memory") {
  twin::on_fault([](const twin::Fault&) {});
  const auto shuffle = [](int) {
    std::uint32_t word = 0;
    twin::shuffle_xor(&word, 1, 31, 0xffffffffu, Location::current());
  };
  CHECK(faults_between_ends(32, shuffle) == 1);
  CHECK(twin::faults().front().kind == twin::FaultKind::shared_race);
  CHECK(faults_between_ends(32, [](int thread) { meet_if_among(0, 32, thread); }) == 0);
  twin::on_fault({});
}

TEST_CASE("shuffles bring the partner's words, in any order of arrival") {
  for (const int distance : {1, 2, 4, 8, 16, 31}) {
    twin::options() = {twin::Schedule::random, static_cast<std::uint64_t>(distance), -1};
    int wrong = 0;
    CHECK(twin::run({1, 64, 0}, [&] {
      for (std::uint32_t round = 0; round < 5; ++round) {
        const auto thread = static_cast<std::uint32_t>(context.thread);
        std::uint32_t words[3] = {thread, thread * 1000, round};
        twin::shuffle_xor(words, 3, distance, 0xffffffffu, Location::current());
        const std::uint32_t partner = thread ^ static_cast<std::uint32_t>(distance);
        if (words[0] != partner || words[1] != partner * 1000 || words[2] != round) ++wrong;
      }
    }));
    CHECK(wrong == 0);
  }
  twin::options() = {};
}

TEST_CASE("what a warp does together is done once, when all lanes are there") {
  static int steps;
  steps = 0;
  const twin::WarpStep sum = [](void* const(&lanes)[twin::kLanes]) {
    ++steps;
    int total = 0;
    for (void* const lane : lanes) total += *static_cast<int*>(lane);
    for (void* const lane : lanes) *static_cast<int*>(lane) = total;
  };
  int wrong = 0;
  CHECK(twin::run({1, 64, 0}, [&] {
    int mine = context.thread;
    twin::do_together(sum, &mine, Location::current());
    if (mine != (context.thread < 32 ? 496 : 496 + 32 * 32)) ++wrong;
  }));
  CHECK(wrong == 0);
  CHECK(steps == 2);
}

TEST_CASE("a warp whose lanes are not together does nothing") {
  twin::on_fault([](const twin::Fault&) {});
  const twin::WarpStep nothing = [](void* const(&)[twin::kLanes]) {};
  twin::begin_faults("machine");
  CHECK_FALSE(twin::run({1, 32, 0}, [&] {
    if (context.thread != 9) twin::do_together(nothing, nullptr, Location::current());
  }));
  CHECK(twin::faults().front().kind == twin::FaultKind::divergent_shuffle);
  CHECK(twin::faults().front().detail == "31 of 32 lanes wait for ever; thread 9 has ended");
  twin::begin_faults("machine");
  CHECK_FALSE(twin::run({1, 32, 0}, [&] {
    std::uint32_t word = 0;
    if (context.thread < 9) {
      twin::do_together(nothing, nullptr, Location::current());
    } else {
      twin::shuffle_xor(&word, 1, 1, 0xffffffffu, Location::current());
    }
  }));
  CHECK(twin::faults().front().detail.rfind("other lanes are in the warp's step of ", 0) == 0);
  twin::on_fault({});
}

TEST_CASE("threads that wait for ever are given up, and their stacks used again") {
  twin::on_fault([](const twin::Fault&) {});
  for (int repeat = 0; repeat < 3; ++repeat) {
    twin::begin_faults("machine");
    CHECK_FALSE(twin::run({2, 64, 0}, [] {
      volatile int local[64] = {};
      local[context.thread] = 1;
      if (context.thread != 20 && local[context.thread] == 1) twin::barrier(0, 64, Location::current());
    }));
    CHECK(twin::fault_count() == 1);
    CHECK(twin::run({2, 64, 0}, [] {
      volatile char local[3000] = {};
      for (volatile char& value : local) value = 1;
      if (local[2999] == 1) twin::barrier(0, 64, Location::current());
    }));
  }
  twin::on_fault({});
}

TEST_CASE("a deep stack") {
  struct Deep {
    static int sum(int depth) {
      volatile char room[256] = {};
      return depth == 0 ? room[0] : 1 + sum(depth - 1) + room[depth % 256];
    }
  };
  int result = 0;
  CHECK(twin::run({1, 4, 0}, [&] {
    twin::barrier(0, 4, Location::current());
    result += Deep::sum(300);
  }));
  CHECK(result == 1200);
}

TEST_CASE("whole kernels run on this machine") {
  std::vector<tessera::bf16> x(4 * 4096), y(x.size());
  CHECK(kernels::softmax(tessera::tensor(x.data(), {4, 4096}), tessera::tensor(y.data(), {4, 4096})).ok());
  CHECK(tessera::to_float(y[77]) == 1.0f / 4096);
}

TEST_CASE("comments lead to the line of the .tsr file") {
  const Location here = Location::current();  // machine.tsr:41
  CHECK(twin::source_of(here) == "machine.tsr:41");
  // A statement over several lines, the comment on its first.
  const Location there =  // machine.tsr:42, and more words
      Location::current();
  CHECK(twin::source_of(there) == "machine.tsr:42");
  CHECK(twin::source_of({"/nowhere/a.cu", 12}) == "a.cu:12");
  CHECK(twin::source_of({__FILE__, 3}) == "test_machine.cpp:3");
}
