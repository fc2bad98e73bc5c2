// SPDX-License-Identifier: Apache-2.0
// Boxes that warps store, on the host twin: what reaches the tensor, and what is wrong with stores that nobody waits for.
#include <algorithm>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "catch.h"
#include "tessera/kernel.h"
#include "tessera/warpgroups.h"

namespace stores {

using namespace tessera;
using tessera::index;

namespace {

using twin::FaultKind;

bool found(FaultKind kind, const std::string& detail) {
  return std::any_of(twin::faults().begin(), twin::faults().end(), [&](const twin::Fault& fault) {
    return fault.kind == kind && fault.detail.find(detail) != std::string::npos;
  });
}

/// Calls `visit` under some schedules, with boxes that are read early and late.
void for_schedules(const std::function<void()>& visit) {
  twin::on_fault([](const twin::Fault&) {});
  for (const twin::Copies copies : {twin::Copies::early, twin::Copies::late}) {
    for (const twin::Schedule schedule :
         {twin::Schedule::forward, twin::Schedule::reverse, twin::Schedule::random}) {
      twin::options() = {.schedule = schedule, .seed = 5, .copies = copies};
      INFO("schedule " << static_cast<int>(schedule) << ", copies " << static_cast<int>(copies));
      visit();
    }
  }
  twin::options() = {};
  twin::on_fault({});
}

/// What is wrong with a warp that stores two boxes from one place, one after the other.
enum class Wrong {
  nothing,
  without_fence,
  without_barrier,
  without_wait,
  without_barrier_after_wait,
  ends_early
};

/// The elements of an output of 20 x 40 of i16, to which 16 rows by 64 columns are stored from row 0, then from row 16.
std::vector<std::int16_t> store_two(Wrong wrong) {
  std::vector<std::int16_t> data(20 * 40, -1);
  const StoreBoxes boxes = boxes_for_stores<std::int16_t, 2, 0>(tensor(data.data(), {20, 40}));
  REQUIRE(boxes.are_there);
  twin::begin_faults("stores");
  twin::begin_shared(4096);
  twin::run({1, kWarpThreads, 4096}, [&] {
    using Tile = OperandTile<std::int16_t, kStoredRows, 64>;
    TESSERA_DYNAMIC_SHARED(std::int16_t, elements, 0, Tile::kRoom);
    const Tile tile{elements};
    for (int first = 0; first < 32; first += kStoredRows) {
      for (int column = thread_index(); column < 64; column += kWarpThreads)
        for (int row = 0; row < kStoredRows; ++row)
          elements.store(tile.index_of(row, column), static_cast<std::int16_t>((first + row) * 100 + column));
      if (wrong != Wrong::without_fence) ptx::fence_proxy_async();
      if (wrong != Wrong::without_barrier) warp_barrier();
      if (ptx::elect_sync()) {
        ptx::cp_async_bulk_tensor_store(boxes.map, {0, first}, elements, 0);
        ptx::cp_async_bulk_commit_group();
        if (wrong != Wrong::without_wait && (wrong != Wrong::ends_early || first == 0))
          ptx::cp_async_bulk_wait_group_read<0>();
      }
      if (wrong != Wrong::without_barrier_after_wait) warp_barrier();
    }
  });
  return data;
}

}  // namespace

TEST_CASE("stored boxes end where the tensor ends") {
  for_schedules([] {
    const std::vector<std::int16_t> data = store_two(Wrong::nothing);
    REQUIRE(twin::fault_count() == 0);
    for (int row = 0; row < 20; ++row)
      for (int column = 0; column < 40; ++column)
        REQUIRE(data[static_cast<std::size_t>(row * 40 + column)] == row * 100 + column);
  });
}

TEST_CASE("what is wrong with stores of boxes is found on every schedule") {
  for_schedules([] {
    store_two(Wrong::without_fence);
    CHECK(found(FaultKind::not_fenced, "made no fence before an engine reads it"));
    store_two(Wrong::without_barrier);
    CHECK(found(FaultKind::shared_race, "no barrier stands in between"));
    store_two(Wrong::without_wait);
    CHECK(found(FaultKind::copy_in_flight, "has started a copy from it and not waited for it"));
    store_two(Wrong::without_barrier_after_wait);
    CHECK(twin::fault_count() > 0);
    store_two(Wrong::ends_early);
    CHECK(found(FaultKind::copy_in_flight, "is still read when its block ends"));
  });
}

TEST_CASE("outputs without boxes say so") {
  std::vector<float> data(64 * 64 + 1);
  const auto has_boxes = [](const Tensor& output) { return boxes_for_stores<float, 2, 0>(output).are_there; };
  CHECK(has_boxes(tensor(data.data(), {64, 64})));
  CHECK_FALSE(has_boxes(tensor(data.data() + 1, {64, 64})));              // address
  CHECK_FALSE(has_boxes(strided_tensor(data.data(), {8, 61}, {61, 1})));  // pitch
  CHECK_FALSE(has_boxes(strided_tensor(data.data(), {8, 8}, {1, 64})));   // columns are no neighbours
  CHECK_FALSE(has_boxes(tensor(data.data(), {0, 64})));                   // nothing
}

}  // namespace stores
