// SPDX-License-Identifier: Apache-2.0
// Teams that take turns on the host twin: each reads of one ring what is meant for its tiles, however long these are.
#include <vector>

#include "catch.h"
#include "tessera/kernel.h"
#include "tessera/warpgroups.h"

namespace team_turns {

using namespace tessera;
using tessera::index;

namespace {

/// Tiles take 0 to 4 rounds.
int rounds_of(int tile) { return tile * 3 % 5; }

/// One thread numbers the rounds of all tiles, and passes the numbers on in a ring. What each tile's team makes of them, by
/// thread 0 of it; nothing where the block does not end. Without turns teams read at once.
template <int kGroups, int kTeams>
std::vector<int> run_tiles(int tiles, bool with_turns = true) {
  constexpr int kStages = 3, kThreadsOfTeam = kGroups / kTeams * kGroupThreads;
  std::vector<int> seen(static_cast<std::size_t>(tiles), -1);
  twin::begin_faults("turns");
  twin::begin_shared(0);
  const bool ended = twin::run({1, (kGroups + 1) * kGroupThreads, 0}, [&] {
    TESSERA_SHARED(int, numbers, kStages);
    TESSERA_BARRIERS(full, kStages);
    TESSERA_BARRIERS(empty, kStages);
    const TileRing<kStages> ring{full, empty};
    TeamTurns<kGroups, kTeams> teams{warp_number()};
    ring.initialize(4 * kGroups / kTeams);
    teams.initialize();
    barrier();
    RingPlace<kStages> at;
    if (warp_number() / kGroupWarps == kGroups) {
      if (warp_number() % kGroupWarps != 0 || !is_elected()) return;
      int number = 0;
      for (int tile = 0; tile < tiles; ++tile) {
        for (int round = 0; round < rounds_of(tile); ++round, at.advance()) {
          ptx::mbarrier_wait_parity(empty, at.stage, at.parity ^ 1);
          numbers.store(at.stage, ++number);
          ptx::mbarrier_arrive(full, at.stage);
        }
      }
      return;
    }
    for (int tile = teams.team(); tile < tiles; tile += kTeams) {
      int made = 0;
      if (with_turns) teams.begin(at);
      for (int round = 0; round < rounds_of(tile); ++round, at.advance()) {
        ring.wait(at);
        made = made * 7 + numbers.load(at.stage);
        warp_barrier();
        ring.release(at.stage);
      }
      if (with_turns) teams.end(at);
      if (thread_index() % kThreadsOfTeam == 0) seen[static_cast<std::size_t>(tile)] = made;
    }
  });
  if (!ended) seen.clear();
  return seen;
}

std::vector<int> expected(int tiles) {
  std::vector<int> made(static_cast<std::size_t>(tiles), 0);
  int number = 0;
  for (int tile = 0; tile < tiles; ++tile)
    for (int round = 0; round < rounds_of(tile); ++round)
      made[static_cast<std::size_t>(tile)] = made[static_cast<std::size_t>(tile)] * 7 + ++number;
  return made;
}

}  // namespace

TEST_CASE("teams read what is meant for their tiles, in turn") {
  twin::on_fault([](const twin::Fault&) {});
  for (const twin::Schedule schedule :
       {twin::Schedule::forward, twin::Schedule::reverse, twin::Schedule::random}) {
    twin::options() = {.schedule = schedule, .seed = 5};
    for (const int tiles : {0, 1, 2, 3, 8, 13}) {
      INFO("schedule " << static_cast<int>(schedule) << ", " << tiles << " tiles");
      CHECK(run_tiles<2, 1>(tiles) == expected(tiles));
      CHECK(twin::fault_count() == 0);
      CHECK(run_tiles<2, 2>(tiles) == expected(tiles));
      CHECK(twin::fault_count() == 0);
      CHECK(run_tiles<3, 3>(tiles) == expected(tiles));
      CHECK(twin::fault_count() == 0);
    }
    const std::vector<int> made = run_tiles<2, 2>(13, false);
    CHECK((twin::fault_count() > 0 || made != expected(13)));
  }
  twin::options() = {};
  twin::on_fault({});
}

}  // namespace team_turns
