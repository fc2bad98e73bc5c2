// SPDX-License-Identifier: Apache-2.0
// Boxes that warps store, on the host twin: what reaches the tensor, and what is wrong with stores that nobody waits for.
#include <algorithm>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "catch.h"
#include "schedules.h"
#include "tessera/kernel.h"
#include "tessera/warpgroups.h"

namespace stores {

using namespace tessera;
using schedules::for_schedules;
using tessera::index;

namespace {

using twin::FaultKind;

bool found(FaultKind kind, const std::string& detail) {
  return std::any_of(twin::faults().begin(), twin::faults().end(), [&](const twin::Fault& fault) {
    return fault.kind == kind && fault.detail.find(detail) != std::string::npos;
  });
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

namespace {

constexpr index kRows = 40;  // of 64 of a tile

template <typename T>
T element(index row, index column) {
  return static_cast<T>(row * 400 + column);
}

/// Both tiles of an output, the last one first, read from `source` and stored by one warpgroup: what a panel writes too much is
/// not mended.
template <typename T, int kColumns>
void store_tiles(const Tensor& output, const Tensor& source, bool as_boxes) {
  using Layout = WarpgroupLayout<64, kColumns, 1>;
  using Panel = StorePanel<T, Layout>;
  const StoreBoxes boxes = boxes_for_stores<T, 2, 0>(output);
  const View<T, 2> to = view<T, 2>(output);
  const View<const T, 2> from = view<const T, 2>(source);
  twin::begin_faults("panels");
  twin::begin_shared(Panel::kRoom * sizeof(T));
  twin::run({1, kGroupThreads, Panel::kRoom * sizeof(T)}, [&] {
    TESSERA_DYNAMIC_SHARED(T, elements, 0, Panel::kRoom);
    int turn = 0;
    Panel panel{elements, turn};
    for (index first = kColumns; first >= 0; first -= kColumns) {
      const int columns = count_in_tile<kColumns>(first, output.extent[1]);
      const auto line = [&](int row) { return to.line({row}); };
      const auto line_to_read = [&](int row) { return from.line({row}); };
      LoadPanel<const T, Panel> values;
      for (int number = 0; number < panel.kCount; ++number) {
        values.load(number, kRows, columns, first, line_to_read);
        for (int j = panel.first_row_slot(number); j < panel.first_row_slot(number) + 2; ++j) {
          if (Layout::row_of_slot(j) >= kRows) continue;
          for (int k = panel.first_column_slot(number); k < panel.end_column_slot(number); k += 2)
            panel.set(j, k, values.pair(j, k));
        }
        if (as_boxes)
          panel.template store_box<0>(number, boxes, Index<2>{0, first}, kRows, columns, line);
        else
          panel.store(number, kRows, columns, first, line);
      }
    }
    wait_for_stores();
  });
}

/// Of an output with so many columns fewer than two tiles have, that begins `shift` elements behind a multiple of 16 bytes, as
/// does the source, whose neighbours in a row may be `step` elements apart.
template <typename T, int kColumns>
void check_width(index fewer, index shift, index step, bool as_boxes) {
  const index columns = 2 * kColumns - fewer, pitch = 2 * kColumns + 16;
  std::vector<T> data(static_cast<std::size_t>(kRows * pitch + 32), static_cast<T>(-1));
  std::vector<T> source(static_cast<std::size_t>(kRows * pitch * step + 32), static_cast<T>(-2));
  T *begin = data.data() + shift, *values = source.data() + shift;
  for (index row = 0; row < kRows; ++row)
    for (index column = 0; column < columns; ++column)
      values[row * pitch * step + column * step] = element<T>(row, column);
  INFO(kColumns << " columns of " << sizeof(T) << " bytes, " << fewer << " fewer, from " << shift
                << ", a step of " << step);
  store_tiles<T, kColumns>(strided_tensor(begin, {kRows, columns}, {pitch, 1}),
                           strided_tensor(values, {kRows, columns}, {pitch * step, step}), as_boxes);
  REQUIRE(twin::fault_count() == 0);
  for (index row = 0; row < kRows; ++row)
    for (index column = 0; column < pitch - shift; ++column)
      REQUIRE(begin[row * pitch + column] ==
              (column < columns ? element<T>(row, column) : static_cast<T>(-1)));
}

template <typename T, int... kColumns>
void check_widths() {
  for (const index fewer : {0, 3, 13}) {
    for (const index shift : {0, 1}) {
      for (const bool as_boxes : {true, false})
        (check_width<T, kColumns>(fewer, shift, as_boxes ? 1 : 1 + fewer % 2, as_boxes), ...);
    }
  }
}

}  // namespace

namespace {

/// The same of an output whose lines are columns of tiles: of kColumns lines, from the second tile of rows on.
template <typename T, int kColumns>
void store_columns(const Tensor& output, bool as_boxes) {
  using Layout = WarpgroupLayout<64, kColumns, 1>;
  using Panel = StorePanel<T, Layout, StoredLine::column>;
  const StoreBoxes boxes = boxes_for_stores<T, 2, 0, StoredLine::column>(output);
  const View<T, 2> to = view<T, 2>(output);
  twin::begin_faults("panels of columns");
  twin::begin_shared(Panel::kRoom * sizeof(T));
  twin::run({1, kGroupThreads, Panel::kRoom * sizeof(T)}, [&] {
    TESSERA_DYNAMIC_SHARED(T, elements, 0, Panel::kRoom);
    int turn = 0;
    Panel panel{elements, turn};
    for (index first = 64; first >= 0; first -= 64) {
      const int rows = count_in_tile<64>(first, output.extent[1]);
      const int columns = count_in_tile<kColumns>(0, output.extent[0]);
      const auto line = [&](int column) { return to.line({column}); };
      for (int number = 0; number < panel.kCount; ++number) {
        for (int j = panel.first_row_slot(number); j < panel.first_row_slot(number) + 2; ++j) {
          const index row = first + Layout::row_of_slot(j);
          for (int k = panel.first_column_slot(number); k < panel.end_column_slot(number); k += 2) {
            const int column = Layout::column_of_slot(k);
            Vector<T, 2> pair;
            for (int i = 0; i < 2; ++i) pair.set(i, element<T>(column + i, row));
            panel.set(j, k, pair);
          }
        }
        if (as_boxes)
          panel.template store_box<0>(number, boxes, Index<2>{0, first}, rows, columns, line);
        else
          panel.store(number, rows, columns, first, line);
      }
    }
    wait_for_stores();
  });
}

/// Of two tiles of 64 rows but so many fewer, and of all columns but so many.
template <typename T, int kColumns>
void check_columns(index fewer_rows, index fewer_columns, index shift, bool as_boxes) {
  const index rows = 128 - fewer_rows, columns = kColumns - fewer_columns, pitch = 128 + 16;
  std::vector<T> data(static_cast<std::size_t>(kColumns * pitch + 32), static_cast<T>(-1));
  T* begin = data.data() + shift;
  INFO(kColumns << " columns of " << sizeof(T) << " bytes, " << fewer_columns << " fewer, " << fewer_rows
                << " rows fewer, from " << shift);
  store_columns<T, kColumns>(strided_tensor(begin, {columns, rows}, {pitch, 1}), as_boxes);
  REQUIRE(twin::fault_count() == 0);
  for (index column = 0; column < kColumns; ++column)
    for (index row = 0; row < pitch - shift; ++row)
      REQUIRE(begin[column * pitch + row] ==
              (column < columns && row < rows ? element<T>(column, row) : static_cast<T>(-1)));
}

template <typename T, int... kColumns>
void check_all_columns() {
  for (const index fewer : {0, 3, 8, 77}) {
    for (const index shift : {0, 1}) {
      for (const bool as_boxes : {true, false})
        (check_columns<T, kColumns>(fewer, fewer % 16, shift, as_boxes), ...);
    }
  }
}

}  // namespace

TEST_CASE("panels whose lines are columns of a tile reach the tensor, and nothing beside them") {
  for_schedules([] {
    check_all_columns<std::int16_t, 16, 64, 80, 176>();
    check_all_columns<std::int32_t, 16, 80, 144>();
    check_all_columns<float, 48>();
  });
}

TEST_CASE("panels of tiles of any width reach the tensor, and nothing beside them") {
  for_schedules([] {
    check_widths<std::int8_t, 16, 80, 144, 256>();
    check_widths<std::int16_t, 16, 64, 80, 144, 176, 208>();
    check_widths<std::int32_t, 16, 80, 144>();
    check_widths<float, 48, 176>();
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
  CHECK_FALSE(has_boxes(tensor(data.data(), {1, 1})));                    // a line of less than 16 bytes
  CHECK_FALSE(has_boxes(strided_tensor(data.data(), {8, 6}, {8, 1})));    // lines that end within 16 bytes
  CHECK(has_boxes(strided_tensor(data.data(), {8, 4}, {8, 1})));
}

}  // namespace stores
