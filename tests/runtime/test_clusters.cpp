// SPDX-License-Identifier: Apache-2.0
// Blocks that run together on the host twin: what one copies goes to both, and what is wrong with that is found on every
// schedule. And launches that begin while the one before runs.
#include <algorithm>
#include <functional>
#include <string>
#include <vector>

#include "catch.h"
#include "schedules.h"
#include "tessera/convert.h"
#include "tessera/kernel.h"
#include "tessera/warpgroups.h"

namespace clusters {

using namespace tessera;
using schedules::for_schedules;
using tessera::index;
using twin::FaultKind;

namespace {

bool found(FaultKind kind, const std::string& detail = "") {
  return std::any_of(twin::faults().begin(), twin::faults().end(), [&](const twin::Fault& fault) {
    return fault.kind == kind && fault.detail.find(detail) != std::string::npos;
  });
}

/// What is wrong with two blocks of which each multiplies 64 rows by 16 columns that they share, K in rounds of 32.
enum class Wrong {
  nothing,
  begins_alone,            ///< copies to the other block before that has barriers
  leaves_early,            ///< while the other block copies to it
  releases_own_stage,      ///< and not that of the other block, which copies to both
  announces_its_own_half,  ///< of the columns
  asks_ahead_for_all,      ///< of the columns, of which it copies a half
};

/// One block multiplies what both of them have copied.
void multiply_in_cluster(Wrong wrong, int rounds, const TensorMap& a_map, const TensorMap& b_map,
                         std::vector<float>& first_sums) {
  constexpr int kStages = 2, kBytesA = 64 * 32 * 2, kBytesB = 16 * 32 * 2;
  using Layout = WarpgroupLayout<64, 16, 1>;
  using RingA = OperandRing<bf16, 64, 32, kStages>;
  using RingB = OperandRing<bf16, 16, 32, kStages>;
  TESSERA_DYNAMIC_SHARED(bf16, a_elements, 0, RingA::kRoom);
  TESSERA_DYNAMIC_SHARED(bf16, b_elements, kStages * kBytesA, RingB::kRoom);
  const RingA a_tiles{a_elements};
  const RingB b_tiles{b_elements};
  TESSERA_BARRIERS(full, kStages);
  TESSERA_BARRIERS(empty, kStages);
  const TileRing<kStages> ring{full, empty, cluster_blocks()};
  ring.initialize(4);
  wrong == Wrong::begins_alone ? barrier() : cluster_barrier(cluster_blocks());
  RingPlace<kStages> at;
  if (warp_number() / kGroupWarps == 1) {
    if (warp_number() % kGroupWarps == 0 && is_elected()) {
      const int bytes = kBytesA + (wrong == Wrong::announces_its_own_half ? kBytesB / 2 : kBytesB);
      const auto copy = [&](const auto& to, auto place) {
        for (int round = 0; round < rounds; ++round, place.advance()) {
          if (!to.begin_fill(place, bytes)) return;
          load_tile<0, 1>(a_tiles.stage(place.stage), a_map, Index<2>{64 * cluster_rank(), round * 32}, to,
                          place.stage);
          load_multicast_tile<0, 1>(b_tiles.stage(place.stage), b_map, Index<2>{0, round * 32}, to, place.stage);
        }
        if (wrong != Wrong::leaves_early) to.drain(place);
      };
      copy(wrong == Wrong::asks_ahead_for_all ? LookAhead<kStages>{1} : ring.look_ahead(), at);
      copy(ring, at);
    }
  } else {
    Fragment<float, Layout> sum;
    sum.fill(0.0f);
    for (int round = 0; round < rounds; ++round, at.advance()) {
      ring.wait(at);
      multiply_async<Major::k, Major::k>(sum, a_tiles.stage(at.stage), b_tiles.stage(at.stage),
                                         warp_number() / kGroupWarps);
      wait_for_products<0>(sum);
      if (wrong == Wrong::releases_own_stage) {
        if (thread_index() % kWarpThreads == 0) ptx::mbarrier_arrive(empty, at.stage);
      } else {
        ring.release(at.stage);
      }
    }
    // Row 0 and column 1 of the block: thread 0 has columns 0 and 1 of rows 0 and 8.
    if (thread_index() == 0) first_sums[static_cast<std::size_t>(block_index())] = sum[1];
  }
}

/// Runs it; a sum of each block, or nothing where they did not end.
std::vector<float> run_cluster(Wrong wrong, int rounds, int clusters = 1) {
  std::vector<bf16> a_data(128 * 256), b_data(16 * 256);
  for (std::size_t i = 0; i < a_data.size(); ++i)
    a_data[i] = from_float<bf16>(static_cast<float>(i / 256 % 7));
  for (std::size_t i = 0; i < b_data.size(); ++i) b_data[i] = from_float<bf16>(static_cast<float>(i % 3));
  TensorMap a_map, b_map;
  REQUIRE(make_tensor_map<bf16, 2, 64>(a_map, tensor(a_data.data(), {128, 256}), TensorBox<0, 1>{64}));
  REQUIRE(make_tensor_map<bf16, 2, 64>(b_map, tensor(b_data.data(), {16, 256}), TensorBox<0, 1>{8}));
  std::vector<float> sums(static_cast<std::size_t>(2 * clusters));
  twin::begin_faults("clusters");
  twin::begin_shared(16384);
  const bool ended = twin::run(
      {.blocks = 2 * clusters, .threads = 2 * kGroupThreads, .dynamic_shared_bytes = 16384, .cluster = 2},
      [&] { multiply_in_cluster(wrong, rounds, a_map, b_map, sums); });
  if (!ended) sums.clear();
  return sums;
}

}  // namespace

TEST_CASE("blocks of a cluster share what they copy") {
  for_schedules([] {
    const std::vector<float> sums = run_cluster(Wrong::nothing, 6, 2);
    REQUIRE(twin::fault_count() == 0);
    REQUIRE(sums.size() == 4);
    float column = 0;  // number 1 of b
    for (int k = 0; k < 6 * 32; ++k) column += static_cast<float>((256 + k) % 3);
    for (std::size_t block = 0; block < 4; ++block)
      CHECK(sums[block] == column * static_cast<float>(64 * (block % 2) % 7));
  });
}

TEST_CASE("what is wrong with a cluster is found on every schedule") {
  for_schedules([] {
    run_cluster(Wrong::begins_alone, 4);
    CHECK(twin::fault_count() > 0);
    run_cluster(Wrong::releases_own_stage, 6);
    CHECK(twin::fault_count() > 0);
    run_cluster(Wrong::announces_its_own_half, 4);
    CHECK(twin::fault_count() > 0);
  });
}

TEST_CASE("boxes that are asked for ahead are those that are copied") {
  twin::on_fault([](const twin::Fault&) {});
  run_cluster(Wrong::asks_ahead_for_all, 4);
  CHECK(found(FaultKind::never_copied));
  twin::on_fault({});
}

TEST_CASE("who leaves a cluster early is found where the other block is slower") {
  twin::on_fault([](const twin::Fault&) {});
  int times = 0;
  for (const twin::Copies copies : {twin::Copies::early, twin::Copies::late}) {
    for (std::uint64_t seed = 0; seed < 20; ++seed) {
      twin::options() = {.schedule = twin::Schedule::random, .seed = seed, .copies = copies};
      run_cluster(Wrong::leaves_early, 3);
      if (found(FaultKind::block_gone, "of the cluster has ended")) ++times;
    }
  }
  CHECK(times > 0);
  twin::options() = {};
  twin::on_fault({});
}

TEST_CASE("threads and blocks of a cluster have the numbers that they have alone") {
  std::vector<int> visits(6 * 64);
  CHECK(twin::run({.blocks = 6, .threads = 64, .dynamic_shared_bytes = 0, .cluster = 2}, [&] {
    CHECK(cluster_rank() == block_index() % 2);
    CHECK(block_count() == 6);
    ++visits[static_cast<std::size_t>(block_index() * 64 + thread_index())];
    TESSERA_SHARED(int, number, 1);
    if (thread_index() == 63) number[0] = static_cast<int>(block_index());
    barrier();
    CHECK(number[0] == block_index());
  }));
  CHECK(std::count(visits.begin(), visits.end(), 1) == 6 * 64);
}

TEST_CASE("a launch that begins early waits for the one before") {
  std::vector<float> data(64, 1);
  const auto launched = [&](bool waits, bool touches) {
    LaunchCheck check("early");
    check.tensor<float, 1>(0, "x", tensor(data.data(), {64}));
    twin::begin_faults("early");
    const View<float, 1> x = view<float, 1>(tensor(data.data(), {64}));
    return twin::run({.blocks = 1, .threads = 32, .dynamic_shared_bytes = 0, .begins_early = true}, [&] {
      if (waits) wait_for_launch_before();
      if (touches) x.store({thread_index()}, 2.0f);
    });
  };
  twin::on_fault([](const twin::Fault&) {});
  CHECK(launched(true, true));
  CHECK(twin::fault_count() == 0);
  launched(false, true);
  CHECK(found(FaultKind::runs_ahead, "has not waited for the one before"));
  launched(false, false);
  CHECK(found(FaultKind::runs_ahead, "no thread waits"));
  twin::on_fault({});
}

}  // namespace clusters
