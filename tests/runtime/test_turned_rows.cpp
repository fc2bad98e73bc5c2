// SPDX-License-Identifier: Apache-2.0
// Rows across K that threads turn on the way to registers, on the host twin.
#include "tessera/turned_rows.h"

#include <type_traits>

#include "catch.h"
#include "factors.h"
#include "schedules.h"

namespace turned_rows {

using namespace tessera;
using factors::element_of;
using factors::number_of_a;
using factors::number_of_b;
using schedules::for_schedules;

namespace {

/// The number that an element has.
template <typename T>
int as_stored(int x) {
  if constexpr (std::is_integral_v<T>) {
    return static_cast<T>(x);
  } else {
    return x;
  }
}

/// The products of rows across K by columns along it, of kGroups warpgroups, added to sums that are 5 and subtracted again,
/// once more than not.
template <typename T, typename Sum, int kDepth, int kGroups>
void check_turned() {
  constexpr int kRows = 64 * kGroups, kColumns = 48;
  using Layout = WarpgroupLayout<kRows, kColumns, kGroups>;
  using TileA = OperandTile<T, kDepth, kRows>;
  using TileB = OperandTile<T, kColumns, kDepth>;
  constexpr int kThreads = kGroups * kGroupThreads, kBytes = TileA::kRoomBytes + TileB::kRoomBytes;
  INFO(kDepth << " of K of " << sizeof(T) << " bytes, " << kGroups << " warpgroups");
  twin::begin_faults("turned rows");
  twin::begin_shared(kBytes);
  REQUIRE(twin::run({1, kThreads, kBytes}, [&] {
    TESSERA_DYNAMIC_SHARED(T, a_elements, 0, TileA::kRoom);
    TESSERA_DYNAMIC_SHARED(T, b_elements, TileA::kRoomBytes, TileB::kRoom);
    const TileA a{a_elements};
    const TileB b{b_elements};
    for (int i = thread_index(); i < TileA::kCount; i += kThreads)
      a_elements.store(a.index_of(i / kRows, i % kRows), element_of<T>(number_of_a(i % kRows, i / kRows)));
    for (int i = thread_index(); i < TileB::kCount; i += kThreads)
      b_elements.store(b.index_of(i / kDepth, i % kDepth),
                       element_of<T>(number_of_b(i % kDepth, i / kDepth)));
    ptx::fence_proxy_async();
    barrier();
    Fragment<Sum, Layout> sums;
    sums.fill(Sum{5});
    multiply_async(sums, tessera::turned_rows(a), b, warp_number() / kGroupWarps);
    wait_for_products<0>(sums);
    int times = 1;
    if constexpr (std::is_same_v<Sum, float>) {
      for (int k = 0; k < 2; ++k, --times) {
        multiply_async<Sign::minus>(sums, tessera::turned_rows(a), b, warp_number() / kGroupWarps);
        wait_for_products<0>(sums);
      }
    }
    for (int i = 0; i < Layout::kCount; ++i) {
      int product = 0;
      for (int k = 0; k < kDepth; ++k)
        product +=
            as_stored<T>(number_of_a(Layout::row(i), k)) * as_stored<T>(number_of_b(k, Layout::column(i)));
      REQUIRE(sums[i] == static_cast<Sum>(5 + times * product));
    }
  }));
  REQUIRE(twin::fault_count() == 0);
}

template <typename T, typename Sum, int kDepth>
void check_turned() {
  check_turned<T, Sum, kDepth, 1>();
  check_turned<T, Sum, kDepth, 2>();
  check_turned<T, Sum, 2 * kDepth, 1>();
}

}  // namespace

TEST_CASE("rows across K are turned on the way to registers") {
  for_schedules([] {
    check_turned<tf32, float, 32>();
    check_turned<fp8_e4m3, float, 128>();
    check_turned<fp8_e5m2, float, 64>();
    check_turned<std::int8_t, std::int32_t, 128>();
    check_turned<std::uint8_t, std::int32_t, 32>();
  });
}

}  // namespace turned_rows
