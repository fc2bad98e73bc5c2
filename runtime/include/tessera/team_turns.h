// SPDX-License-Identifier: Apache-2.0
// TeamTurns: the warpgroups of a block take tiles in turn, so that some multiply while others write what they have.
#pragma once

#include "tessera/shared.h"
#include "tessera/tile_ring.h"

namespace tessera {

/// kTeams teams of the kGroups warpgroups that multiply: of the tiles of a block, each team takes the next but those of the
/// others. They read one ring in the order of the tiles, so that the products of a tile follow those of the one before: a
/// team that has asked for its last product says so, and where in the ring it is.
template <int kGroups, int kTeams>
class TeamTurns {
  static_assert(kGroups % kTeams == 0, "teams of equal size");

 public:
  /// Of a team.
  static constexpr int kWarps = 4 * kGroups / kTeams, kTeamThreads = kWarps * kWarpThreads;

  /// `warp`: the number of this thread's.
  explicit TESSERA_DEVICE TeamTurns(int warp)
      : begins_(begins()), team_(kTeams == 1 ? 0 : warp / kWarps), turn_(team_ == 0 ? -1 : 0) {}

  /// By all threads of the block, before a barrier.
  TESSERA_DEVICE void initialize(Location where = Location::current()) const {
    if constexpr (kTeams > 1) {
      if (thread_index() != 0) return;
      TESSERA_UNROLL
      for (int team = 0; team < kTeams; ++team) ptx::mbarrier_init(begins_, team, kWarps, where);
    }
  }

  /// The team of this thread, and its number there.
  TESSERA_DEVICE int team() const { return team_; }
  static TESSERA_DEVICE int thread() { return thread_index() % kTeamThreads; }

  /// Before the products of a tile: waits until the team before has asked for those of its own. `at` is where they end.
  template <int kStages>
  TESSERA_DEVICE void begin(RingPlace<kStages>& at, Location where = Location::current()) {
    if constexpr (kTeams > 1) {
      if (turn_ >= 0) {  // the very first turn waits for nobody
        ptx::mbarrier_wait_parity(begins_, team_, turn_ & 1, where);
        int place = 0;  // by one lane, behind whose arrival in end() another may be written
        if (thread_index() % kWarpThreads == 0) place = places().load(team_, where);
        place = ptx::shfl_sync_first(place);
        at.stage = place >> 1;
        at.parity = place & 1;
      }
      ++turn_;
    }
  }

  /// When this team has asked for them: the next team goes on in the ring.
  template <int kStages>
  TESSERA_DEVICE void end(const RingPlace<kStages>& at, Location where = Location::current()) const {
    if constexpr (kTeams > 1) {
      const int next = (team_ + 1) % kTeams;
      if (thread() == 0) places().store(next, at.stage << 1 | at.parity, where);
      if (thread_index() % kWarpThreads == 0) ptx::mbarrier_arrive(begins_, next, where);
    }
  }

 private:
  /// Of the block: where the turn of each team begins.
  static TESSERA_DEVICE Barriers begins() {
    TESSERA_BARRIERS(team_begins, kTeams);
    return team_begins;
  }
  /// Of the block, for each team: the place in the ring, its stage and its parity.
  static TESSERA_DEVICE Shared<int> places() {
    TESSERA_SHARED(int, team_places, kTeams);
    return team_places;
  }

  Barriers begins_;
  int team_;
  int turn_;  // of this team, but the first turn of all
};

}  // namespace tessera
