// SPDX-License-Identifier: Apache-2.0
// Products of warpgroups on the host twin: boxes that the copy engine brings, rings of barriers, sums that are there when
// they have been waited for.
#include <algorithm>
#include <functional>
#include <string>
#include <vector>

#include "catch.h"
#include "factors.h"
#include "handwritten.h"
#include "matrices.h"
#include "schedules.h"
#include "tessera/convert.h"
#include "tessera/kernel.h"
#include "tessera/warpgroups.h"

namespace warpgroups {

using namespace tessera;
using schedules::for_schedules;
using tessera::index;

namespace {

using factors::element_of;
using factors::number_of_a;
using factors::number_of_b;
using matrices::is_product;
using matrices::Matrix;

/// Variant 2 i + j of each shape has a along k (i = 0) or m, b along n (j = 0) or k.
struct Order {
  bool a_by_rows, b_by_rows;
};
constexpr Order kOrders[] = {{true, true}, {true, false},  {false, true}, {false, false},
                             {true, true}, {false, false}, {true, false}, {false, true}};

void check_variant(int variant, index M, index N, index K) {
  const Order order = kOrders[variant];
  // Lines are multiples of 16 bytes.
  const auto padding = [](index length) { return ceil_divide(length, 8) * 8 - length; };
  Matrix a(M, K, order.a_by_rows, padding(order.a_by_rows ? K : M), 0, 1);
  Matrix b(K, N, order.b_by_rows, padding(order.b_by_rows ? N : K), 0, 2);
  Matrix c(M, N, true, 0, 0, 3);
  const Status status = kernels::gemm_by_warpgroups(a.view(), b.view(), c.view(), {.variant = variant});
  INFO("variant " << variant << ", " << M << " x " << N << " x " << K << ": " << status.message().c_str());
  REQUIRE(status.ok());
  REQUIRE(is_product(a, b, c));
}

}  // namespace

TEST_CASE("warpgroups multiply: every variant, ragged extents") {
  for (int variant = 0; variant < 8; ++variant) {
    check_variant(variant, 130, 40, 70);
    check_variant(variant, 1, 1, 1);
  }
  check_variant(0, 300, 500, 300);  // several tiles of a block, several rounds of a ring
  check_variant(6, 200, 17, 700);
}

TEST_CASE("warpgroups multiply: every schedule, boxes that arrive late") {
  for (const twin::Copies copies : {twin::Copies::early, twin::Copies::late}) {
    for (const twin::Schedule schedule :
         {twin::Schedule::forward, twin::Schedule::reverse, twin::Schedule::random}) {
      twin::options() = {.schedule = schedule, .seed = 7, .copies = copies};
      check_variant(0, 140, 70, 330);
      check_variant(7, 70, 200, 330);
    }
  }
  twin::options() = {};
}

namespace {

using twin::FaultKind;

/// What is wrong with a block that multiplies 64 x 64 by 64 x 16, K in rounds of 32, by one warpgroup beside one that copies.
enum class Wrong {
  nothing,
  without_full_wait,
  without_empty_wait,
  releases_before_wait,  ///< while the product reads the stage
  reads_sums_before_wait,
  announces_too_few_bytes,
  announces_too_many_bytes,
  without_fence,  ///< of the barriers' initialisation
  products_not_fenced,
  stages_off_their_place,  ///< 64 bytes further
  begins_within_chunk,     ///< of 16 bytes of a line
};

/// Runs it; the sums of thread 0, or nothing where the block did not end.
std::vector<float> run_block(Wrong wrong, int rounds) {
  constexpr int kStages = 2, kBytesA = 64 * 32 * 2, kBytesB = 16 * 32 * 2;
  std::vector<bf16> a_data(64 * 256), b_data(16 * 256);
  for (std::size_t i = 0; i < a_data.size(); ++i) a_data[i] = from_float<bf16>(static_cast<float>(i % 5));
  for (std::size_t i = 0; i < b_data.size(); ++i) b_data[i] = from_float<bf16>(static_cast<float>(i % 3));
  TensorMap a_map, b_map;
  REQUIRE(make_tensor_map<bf16, 2, 64>(a_map, tensor(a_data.data(), {64, 256}), TensorBox<0, 1>{64}));
  REQUIRE(make_tensor_map<bf16, 2, 64>(b_map, tensor(b_data.data(), {16, 256}), TensorBox<0, 1>{16}));
  std::vector<float> result;
  twin::begin_faults("warpgroups");
  twin::begin_shared(16384);
  const int shift = wrong == Wrong::stages_off_their_place ? 32 : 0;
  const bool ended = twin::run({1, 2 * kGroupThreads, 16384}, [&] {
    using Layout = WarpgroupLayout<64, 16, 1>;
    using RingA = OperandRing<bf16, 64, 32, kStages>;
    using RingB = OperandRing<bf16, 16, 32, kStages>;
    TESSERA_DYNAMIC_SHARED(bf16, a_elements, 0, RingA::kRoom);
    TESSERA_DYNAMIC_SHARED(bf16, b_elements, kStages * kBytesA, RingB::kRoom + 32);
    const RingA a_tiles{a_elements};
    TESSERA_BARRIERS(full, kStages);
    TESSERA_BARRIERS(empty, kStages);
    const TileRing<kStages> ring{full, empty};
    if (wrong != Wrong::without_fence) {
      ring.initialize(4);
    } else if (thread_index() < kStages) {
      ptx::mbarrier_init(full, thread_index(), 1);
      ptx::mbarrier_init(empty, thread_index(), 4);
    }
    barrier();
    const auto b_tile = [&](int stage) {
      return RingB::Tile{b_elements, stage * RingB::Tile::kRoom + shift};
    };
    RingPlace<kStages> at;
    if (warp_number() / kGroupWarps == 1) {
      if (warp_number() % kGroupWarps != 0 || !is_elected()) return;
      const int off = wrong == Wrong::announces_too_few_bytes    ? -32
                      : wrong == Wrong::announces_too_many_bytes ? 32
                                                                 : 0;
      for (int round = 0; round < rounds; ++round, at.advance()) {
        if (wrong == Wrong::without_empty_wait) {
          ptx::mbarrier_arrive_expect_tx(full, at.stage, kBytesA + kBytesB);
        } else {
          ring.begin_fill(at, kBytesA + kBytesB + off);
        }
        load_tile<0, 1>(a_tiles.stage(at.stage), a_map, Index<2>{0, round * 32}, ring, at.stage);
        const int first = round * 32 + (wrong == Wrong::begins_within_chunk ? 4 : 0);
        load_tile<0, 1>(b_tile(at.stage), b_map, Index<2>{0, first}, ring, at.stage);
      }
      return;
    }
    Fragment<float, Layout> sum;
    sum.fill(0.0f);
    for (int round = 0; round < rounds; ++round, at.advance()) {
      if (wrong != Wrong::without_full_wait) ring.wait(at);
      if (wrong == Wrong::products_not_fenced) {
        ptx::wgmma_mma_async<bf16, bf16, 16, Major::k, Major::k>(
            sum.value, matrix_descriptor<Major::k>(a_tiles.stage(at.stage)),
            matrix_descriptor<Major::k>(b_tile(at.stage)), true);
        ptx::wgmma_commit_group();
      } else {
        multiply_async<Major::k, Major::k>(sum, a_tiles.stage(at.stage), b_tile(at.stage),
                                           warp_number() / kGroupWarps);
      }
      if (wrong == Wrong::releases_before_wait) ring.release(at.stage);
      if (wrong == Wrong::reads_sums_before_wait && round == rounds - 1) break;
      wait_for_products<0>(sum);
      if (wrong != Wrong::releases_before_wait) ring.release(at.stage);
    }
    if (thread_index() == 0) result.assign(sum.value, sum.value + Layout::kCount);
  });
  if (!ended) result.clear();
  return result;
}

bool found(FaultKind kind, const std::string& detail) {
  return std::any_of(twin::faults().begin(), twin::faults().end(), [&](const twin::Fault& fault) {
    return fault.kind == kind && fault.detail.find(detail) != std::string::npos;
  });
}

}  // namespace

TEST_CASE("what is wrong with a ring of boxes is found on every schedule") {
  for_schedules([] {
    const std::vector<float> sums = run_block(Wrong::nothing, 6);
    REQUIRE(twin::fault_count() == 0);
    float expected = 0;  // row 0, column 0
    for (int k = 0; k < 6 * 32; ++k) expected += static_cast<float>(k % 5) * static_cast<float>(k % 3);
    REQUIRE(sums.at(0) == expected);

    run_block(Wrong::without_full_wait, 6);
    REQUIRE(twin::fault_count() > 0);
    run_block(Wrong::without_empty_wait, 6);
    REQUIRE(twin::fault_count() > 0);
    run_block(Wrong::releases_before_wait, 6);
    CHECK(found(FaultKind::shared_race, "no barrier stands in between"));
    run_block(Wrong::announces_too_few_bytes, 6);
    CHECK(found(FaultKind::barrier_misused, ""));
    CHECK(run_block(Wrong::announces_too_many_bytes, 6).empty());
    CHECK(found(FaultKind::endless_wait, "32 bytes are missing"));
    run_block(Wrong::without_fence, 1);
    CHECK(found(FaultKind::barrier_misused, "no fence"));
    run_block(Wrong::products_not_fenced, 1);
    CHECK(found(FaultKind::not_fenced, "without wgmma.fence"));
    run_block(Wrong::stages_off_their_place, 1);
    CHECK(found(FaultKind::misaligned, "multiple"));
    run_block(Wrong::begins_within_chunk, 1);
    CHECK(found(FaultKind::misaligned, "from element 4 of a line on"));
    const std::vector<float> early = run_block(Wrong::reads_sums_before_wait, 1);
    CHECK(early.at(0) != early.at(0));
  });
}

namespace {

/// Which way the lines of both factors run.
struct Orders {
  Major a, b;
};

/// The map of boxes of `along_k` lines, or `across_k` where lines run along `width`, one of the two dimensions.
TensorMap map_of(Matrix& matrix, int width, Major major, int along_k, int across_k) {
  TensorMap map;
  const bool lines_are_rows = (width == 0) == (major == Major::k);
  const int lines = major == Major::k ? along_k : across_k;
  REQUIRE((lines_are_rows ? make_tensor_map<bf16, 2, 128>(map, matrix.view(), TensorBox<0, 1>{lines})
                          : make_tensor_map<bf16, 2, 128>(map, matrix.view(), TensorBox<1, 0>{lines})));
  return map;
}

/// The sums of a block that multiplies a by the second kColumns columns of b, K in rounds of 64. Both end in the last round,
/// and b in these columns.
template <int kColumns, tessera::Order kOrderA, tessera::Order kOrderB>
std::vector<float> multiply_width(Matrix& a, Matrix& b, Orders orders) {
  constexpr int kStages = 2, kK = 64;
  using Layout = WarpgroupLayout<64, kColumns, 1>;
  using RingA = EitherRing<bf16, 64, kK, kStages, kOrderA>;
  using RingB = EitherRing<bf16, kColumns, kK, kStages, kOrderB>;
  constexpr int kBytes = RingA::kRoomBytes + RingB::kRoomBytes;
  const TensorMap a_map = map_of(a, 0, orders.a, 64, kK), b_map = map_of(b, 1, orders.b, kColumns, kK);
  std::vector<float> result(64 * kColumns, -1);
  twin::begin_faults("widths");
  twin::begin_shared(kBytes);
  twin::run({1, 2 * kGroupThreads, kBytes}, [&] {
    TESSERA_DYNAMIC_SHARED(bf16, a_elements, 0, RingA::kRoom);
    TESSERA_DYNAMIC_SHARED(bf16, b_elements, RingA::kRoomBytes, RingB::kRoom);
    const RingA a_tiles{a_elements, orders.a};
    const RingB b_tiles{b_elements, orders.b};
    TESSERA_BARRIERS(full, kStages);
    TESSERA_BARRIERS(empty, kStages);
    const TileRing<kStages> ring{full, empty};
    ring.initialize(4);
    barrier();
    RingPlace<kStages> at;
    if (warp_number() / kGroupWarps == 1) {
      if (warp_number() % kGroupWarps != 0 || !is_elected()) return;
      for (index k = 0; k < a.columns; k += kK, at.advance()) {
        ring.begin_fill(at, bytes_of(a_tiles, a_map) + bytes_of(b_tiles, b_map));
        load_tile<0, 1>(a_tiles.stage(at.stage), a_map, Index<2>{0, k}, ring, at.stage);
        load_tile<1, 0>(b_tiles.stage(at.stage), b_map, Index<2>{k, kColumns}, ring, at.stage);
      }
      return;
    }
    Fragment<float, Layout> sum;
    sum.fill(0.0f);
    for (index k = 0; k < a.columns; k += kK, at.advance()) {
      ring.wait(at);
      multiply_async(sum, a_tiles.stage(at.stage), b_tiles.stage(at.stage), 0);
      wait_for_products<0>(sum);
      ring.release(at.stage);
    }
    for (int i = 0; i < Layout::kCount; ++i)
      result[static_cast<std::size_t>(Layout::row(i) * kColumns + Layout::column(i))] = sum[i];
  });
  return result;
}

template <int kColumns, tessera::Order kOrderA = tessera::Order::either,
          tessera::Order kOrderB = tessera::Order::either>
void check_width(Orders orders) {
  constexpr index kEnds = 5;  // columns of the second tile that are missing
  const bool b_has_rows = orders.b == Major::mn;
  Matrix a(64, 96, orders.a == Major::k, 0, 0, 1);
  Matrix b(96, 2 * kColumns - kEnds, b_has_rows, b_has_rows ? kEnds : 0, 0, 2);
  INFO(kColumns << " columns, a " << (orders.a == Major::k ? "along K" : "along M") << ", b "
                << (b_has_rows ? "along N" : "along K"));
  const std::vector<float> sums = multiply_width<kColumns, kOrderA, kOrderB>(a, b, orders);
  REQUIRE(twin::fault_count() == 0);
  for (index m = 0; m < 64; ++m) {
    for (index n = 0; n < kColumns; ++n) {
      float expected = 0;
      for (index k = 0; k < a.columns && kColumns + n < b.columns; ++k)
        expected += to_float(a.at(m, k)) * to_float(b.at(k, kColumns + n));
      REQUIRE(sums[static_cast<std::size_t>(m * kColumns + n)] == expected);
    }
  }
}

template <int... kColumns>
void check_widths() {
  for (const Major a : {Major::k, Major::mn})
    for (const Major b : {Major::k, Major::mn}) (check_width<kColumns>({a, b}), ...);
}

}  // namespace

TEST_CASE("tiles of any width are multiplied, whichever way their lines run") {
  for_schedules([] { check_widths<16, 80, 144, 176, 208>(); });
}

TEST_CASE("so are those that are for one order") {
  for_schedules([] {
    check_width<80, tessera::Order::k, tessera::Order::k>({Major::k, Major::k});
    check_width<80, tessera::Order::k, tessera::Order::mn>({Major::k, Major::mn});
    check_width<80, tessera::Order::mn, tessera::Order::k>({Major::mn, Major::k});
    check_width<80, tessera::Order::mn, tessera::Order::mn>({Major::mn, Major::mn});
  });
}

namespace {

/// Fills a tile with number(mn, k), and zeros beyond kWidth.
template <typename T, int kWidth, int kDepth, tessera::Order kOrder, typename Number>
void fill(const EitherTile<T, kWidth, kDepth, kOrder>& tile, Number number) {
  tile.as_it_lies([&](auto major, const auto& lines) {
    using Lines = std::decay_t<decltype(lines)>;
    for (int i = thread_index(); i < Lines::kCount; i += kGroupThreads) {
      const int line = i / Lines::kLength, position = i % Lines::kLength;
      const bool along_k = decltype(major)::value == Major::k;
      const int mn = along_k ? line : position, k = along_k ? position : line;
      lines.elements.store(lines.index_of(line, position), element_of<T>(mn < kWidth ? number(mn, k) : 0));
    }
  });
}

/// What `multiply(sums, a, b)` makes of sums that are `before`, as a multiple of a * b that is added to it.
template <typename T, int kDepth, typename Multiply>
void check_multiple(int before, int times, Orders orders, Multiply multiply) {
  constexpr int kColumns = 48;
  using Layout = WarpgroupLayout<64, kColumns, 1>;
  constexpr bool kLiesEitherWay = sizeof(T) == 2 || std::is_same_v<T, double>;
  constexpr tessera::Order kOrder = kLiesEitherWay ? tessera::Order::either : tessera::Order::k;
  using Sum = std::conditional_t<std::is_same_v<T, double>, double, float>;
  using TileA = EitherTile<T, 64, kDepth, kOrder>;
  using TileB = EitherTile<T, kColumns, kDepth, kOrder>;
  constexpr int kRoomA = TileA::kRoom * int{sizeof(T)}, kBytes = kRoomA + TileB::kRoom * int{sizeof(T)};
  INFO(kDepth << " of K, a " << (orders.a == Major::k ? "along K" : "along M") << ", b "
              << (orders.b == Major::k ? "along K" : "along N"));
  twin::begin_faults("signs");
  twin::begin_shared(kBytes);
  REQUIRE(twin::run({1, kGroupThreads, kBytes}, [&] {
    TESSERA_DYNAMIC_SHARED(T, a_elements, 0, TileA::kRoom);
    TESSERA_DYNAMIC_SHARED(T, b_elements, kRoomA, TileB::kRoom);
    const TileA a{a_elements, 0, orders.a};
    const TileB b{b_elements, 0, orders.b};
    fill(a, number_of_a);
    fill(b, [](int n, int k) { return number_of_b(k, n); });
    ptx::fence_proxy_async();
    barrier();
    Fragment<Sum, Layout> sums;
    sums.fill(static_cast<Sum>(before));
    multiply(sums, a, b);
    for (int i = 0; i < Layout::kCount; ++i) {
      int product = 0;
      for (int k = 0; k < kDepth; ++k)
        product += number_of_a(Layout::row(i), k) * number_of_b(k, Layout::column(i));
      REQUIRE(sums[i] == static_cast<Sum>(before + times * product));
    }
  }));
  REQUIRE(twin::fault_count() == 0);
}

/// Products that are subtracted, among others and from nothing.
template <typename T, int kDepth>
void check_signs(Orders orders) {
  check_multiple<T, kDepth>(9, -1, orders, [](auto& sums, const auto& a, const auto& b) {
    multiply_async<Sign::minus>(sums, a, b, 0);
    multiply_async(sums, a, b, 0);
    multiply_async<Sign::minus>(sums, a, b, 0, true);
    wait_for_products<0>(sums);
  });
  check_multiple<T, kDepth>(0, -1, orders, [](auto& sums, const auto& a, const auto& b) {
    sums.fill(77);
    multiply_async<Sign::minus>(sums, a, b, 0, false);
    wait_for_products<0>(sums);
  });
}

}  // namespace

TEST_CASE("warpgroups subtract products, whichever way the lines of tiles run") {
  for (const Major a : {Major::k, Major::mn})
    for (const Major b : {Major::k, Major::mn}) {
      check_signs<bf16, 64>({a, b});  // by fours
      check_signs<bf16, 32>({a, b});
      check_signs<f16, 16>({a, b});
    }
  check_signs<tf32, 32>({Major::k, Major::k});
  check_signs<tf32, 8>({Major::k, Major::k});
  check_signs<fp8_e4m3, 32>({Major::k, Major::k});
  check_multiple<bf16, 32>(-4, -1, {Major::k, Major::mn}, [](auto& sums, const auto& a, const auto& b) {
    using TileA = typename std::decay_t<decltype(a)>::AlongK;
    using TileB = typename std::decay_t<decltype(b)>::AcrossK;
    multiply_async<Major::k, Major::mn, Sign::minus>(sums, TileA{a.elements}, TileB{b.elements}, 0);
    wait_for_products<0>(sums);
  });
}

TEST_CASE("warps multiply doubles by themselves, whichever way lines run") {
  for (const Major major_a : {Major::k, Major::mn}) {
    for (const Major major_b : {Major::k, Major::mn}) {
      check_multiple<double, 32>(9, -1, {major_a, major_b}, [](auto& sums, const auto& a, const auto& b) {
        int times_read = 0;
        multiply_by_warps<Sign::minus>(sums, a, b, [&] { ++times_read; });
        multiply_by_warps<Sign::minus>(sums, a, b);
        multiply_by_warps(sums, a, b);
        REQUIRE(times_read == 1);
      });
    }
  }
}

TEST_CASE("threads subtract what warpgroups make of fp8") {
  check_multiple<fp8_e4m3, 128>(9, -2, {Major::k, Major::k}, [](auto& sums, const auto& a, const auto& b) {
    int times_read = 0;
    multiply_promoted<Sign::minus>(sums, a, b, 0, [&] { ++times_read; });
    multiply_promoted<Sign::minus>(sums, a, b, 0);
    REQUIRE(times_read == 1);
  });
  check_multiple<fp8_e5m2, 64>(9, 0, {Major::k, Major::k}, [](auto& sums, const auto& a, const auto& b) {
    multiply_promoted<Sign::minus>(sums, a, b, 0);
    multiply_promoted(sums, a, b, 0);
  });
}

namespace {

/// One product with A in registers, of 16 along K.
template <Sign kSign>
void check_words(int times) {
  check_multiple<bf16, 16>(9, times, {Major::k, Major::mn}, [](auto& sums, const auto& a, const auto& b) {
    using Layout = typename std::decay_t<decltype(sums)>::Layout;
    using TileA = typename std::decay_t<decltype(a)>::AlongK;
    using TileB = typename std::decay_t<decltype(b)>::AcrossK;
    const TileA tile_a{a.elements};
    const tessera::detail::RowReader<Major::k, bf16, Layout, TileA> rows{tile_a, Location::current()};
    Mma<bf16>::A parts[1];
    rows.load(parts, 0);
    ptx::wgmma_fence();
    ptx::wgmma_mma_async<bf16, bf16, Layout::kColumns, Major::mn, kSign>(
        sums.value, parts[0].word, matrix_descriptor<Major::mn>(TileB{b.elements}), true);
    ptx::wgmma_commit_group();
    wait_for_products<0>(sums);
  });
}

}  // namespace

TEST_CASE("products of words in registers are added and subtracted") {
  check_words<Sign::plus>(1);
  check_words<Sign::minus>(-1);
}

}  // namespace warpgroups
