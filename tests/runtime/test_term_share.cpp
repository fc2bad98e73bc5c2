// SPDX-License-Identifier: Apache-2.0
// Shares of the terms of a tile on the host twin: whoever leaves the last one has the sums of all, whichever team that is.
#include <algorithm>
#include <vector>

#include "catch.h"
#include "tessera/kernel.h"
#include "tessera/warpgroups.h"

namespace term_share {

using namespace tessera;
using tessera::index;

namespace {

constexpr int kTeams = 2, kRows = 64, kColumns = 16;
using Layout = WarpgroupLayout<kRows, kColumns, 1>;

/// What share number `share` sums to at an element.
float sum_of_share(int share, int row, int column) {
  return static_cast<float>((share + 1) * 1000 + row * kColumns + column);
}

/// One block whose teams take the shares of one tile, as block `rank` of a cluster of `blocks`: what the last of them has, by
/// rows, with zeros where nobody has been told that it is the last; nothing where counts are left. `times`: how often somebody has.
std::vector<float> join_shares(int shares, int rank, int blocks, int* times) {
  std::vector<float> result(kRows * kColumns, 0);
  std::vector<std::uint32_t> counts(16 * 2, 0);
  std::vector<unsigned char> room(sizeof(float) * kRows * kColumns * static_cast<std::size_t>(shares) * 2);
  const TermShares terms{shares, false, counts.data(), room.data()};
  *times = 0;
  twin::begin_faults("shares");
  twin::begin_shared(0);
  const bool ended = twin::run({1, kTeams * kGroupThreads, 0}, [&] {
    const int team = thread_index() / kGroupThreads;
    for (index turn = team; turn < shares; turn += kTeams) {
      const TermShare<true> share{terms, turn, 1};
      Fragment<float, Layout> sums;
      for (int i = 0; i < Layout::kCount; ++i)
        sums[i] = sum_of_share(static_cast<int>(turn), Layout::row(i), Layout::column(i));
      if (!share.join(rank, blocks, sums)) continue;
      if (Layout::thread() == 0) ++*times;
      for (int i = 0; i < Layout::kCount; ++i)
        result[static_cast<std::size_t>(Layout::row(i) * kColumns + Layout::column(i))] = sums[i];
    }
  });
  const bool are_zero =
      std::all_of(counts.begin(), counts.end(), [](std::uint32_t count) { return count == 0; });
  if (!ended || !are_zero) result.clear();
  return result;
}

std::vector<float> expected(int shares) {
  std::vector<float> result;
  for (int row = 0; row < kRows; ++row) {
    for (int column = 0; column < kColumns; ++column) {
      float sum = 0;
      for (int share = 0; share < shares; ++share) sum += sum_of_share(share, row, column);
      result.push_back(sum);
    }
  }
  return result;
}

}  // namespace

TEST_CASE("shares have all rounds, one after another, of which none has two more than another") {
  for (const index all : {index{0}, index{1}, index{5}, index{63}, index{64}, index{65}, index{0x7fffffff}}) {
    for (const int shares : {1, 2, 3, 7, 64}) {
      const TermShares terms{shares};
      index end = 0, least = all, most = 0;
      for (index turn = 0; turn < shares; ++turn) {
        const Rounds own = TermShare<true>{terms, turn, 1}.rounds(all);
        CHECK(own.first == end);
        end = own.end;
        least = std::min(least, own.end - own.first);
        most = std::max(most, own.end - own.first);
      }
      CHECK((end == all && most - least <= 1));
    }
    const TermShares terms{7};
    const Rounds every = TermShare<false>{terms, 5, 1}.rounds(all);
    CHECK((every.first == 0 && every.end == all));
  }
}

TEST_CASE("teams of a block leave shares of one tile") {
  twin::on_fault([](const twin::Fault&) {});
  for (const twin::Schedule schedule :
       {twin::Schedule::forward, twin::Schedule::reverse, twin::Schedule::random}) {
    twin::options() = {.schedule = schedule, .seed = 7};
    for (const int shares : {2, 3, 4, 7}) {
      for (const int blocks : {1, 2}) {
        INFO("schedule " << static_cast<int>(schedule) << ", " << shares << " shares, " << blocks
                         << " blocks");
        int times = 0;
        CHECK(join_shares(shares, blocks - 1, blocks, &times) == expected(shares));
        CHECK(times == 1);
        CHECK(twin::fault_count() == 0);
      }
    }
  }
  twin::options() = {};
  twin::on_fault({});
}

}  // namespace term_share
