// SPDX-License-Identifier: Apache-2.0
// Tiles in registers: every layout holds every element once, and reductions along rows and columns agree with loops.
// Tiles that threads compute: each vector once.
#include <cstdint>
#include <map>
#include <mutex>
#include <random>
#include <vector>

#include "catch.h"
#include "tessera/fragment_group.h"
#include "tessera/operand_tile.h"
#include "tessera/vector_share.h"

namespace fragments {

using namespace tessera;

namespace {

/// Whether each element of the tile is held once, and rows and columns are those of its slots.
bool is_bijection(const detail::FragmentPlaces& places) {
  const int threads = places.warp_rows * places.warp_columns * kWarpThreads;
  const int count = 4 * places.row_blocks() * places.column_blocks();
  std::vector<std::uint8_t> seen(static_cast<std::size_t>(places.rows * places.columns), 0);
  if (count * threads != places.rows * places.columns) return false;
  for (int thread = 0; thread < threads; ++thread) {
    for (int i = 0; i < count; ++i) {
      const int row_slot = places.row_slot(i), column_slot = places.column_slot(i);
      if (row_slot >= 2 * places.row_blocks() || column_slot >= 2 * places.column_blocks()) return false;
      const int row = places.row_of_slot(row_slot, thread);
      const int column = places.column_of_slot(column_slot, thread);
      if (row < 0 || row >= places.rows || column < 0 || column >= places.columns) return false;
      if (seen[static_cast<std::size_t>(row * places.columns + column)]++ != 0) return false;
    }
  }
  return true;
}

/// Runs `kernel` on every thread of a block; the words must find nothing wrong.
template <typename Kernel>
void run_clean(int threads, Kernel kernel) {
  twin::begin_faults("fragments");
  twin::begin_shared(0);
  REQUIRE(twin::run({1, threads, 0}, kernel));
  REQUIRE(twin::fault_count() == 0);
}

template <typename T>
std::vector<T> random_tile(int count, std::uint32_t seed) {
  std::mt19937 random(seed);
  std::vector<T> result(static_cast<std::size_t>(count));
  for (T& value : result) value = static_cast<T>(static_cast<int>(random() % 201) - 100);
  return result;
}

/// Sums, then maxima along both axes of two tiles, right after each other.
template <typename Layout, typename T>
void check_reductions() {
  INFO(Layout::kRows << " x " << Layout::kColumns << ", warps " << Layout::kWarpRows << " x "
                     << Layout::kWarpColumns);
  const std::vector<T> tiles[] = {random_tile<T>(Layout::kRows * Layout::kColumns, 1),
                                  random_tile<T>(Layout::kRows * Layout::kColumns, 2)};
  const auto loop = [](const std::vector<T>& tile, auto op, int first, int step, int count) {
    T result = tile[static_cast<std::size_t>(first)];
    for (int i = 1; i < count; ++i) result = op(result, tile[static_cast<std::size_t>(first + i * step)]);
    return result;
  };
  run_clean(Layout::kThreads, [&] {
    FragmentGroup group;
    for (const std::vector<T>& tile : tiles) {
      const auto check = [&](auto op, T neutral) {
        RowFragment<T, Layout> rows;
        ColumnFragment<T, Layout> columns;
        rows.fill(neutral);
        columns.fill(neutral);
        for (int i = 0; i < Layout::kCount; ++i) {
          const T x = tile[static_cast<std::size_t>(Layout::row(i) * Layout::kColumns + Layout::column(i))];
          rows.at(i) = op(rows.at(i), x);
          columns.at(i) = op(columns.at(i), x);
        }
        rows = group.reduce_columns(op, rows);
        columns = group.reduce_rows(op, columns);
        for (int slot = 0; slot < Layout::kRowCount; ++slot)
          REQUIRE(rows[slot] ==
                  loop(tile, op, Layout::row_of_slot(slot) * Layout::kColumns, 1, Layout::kColumns));
        for (int slot = 0; slot < Layout::kColumnCount; ++slot)
          REQUIRE(columns[slot] ==
                  loop(tile, op, Layout::column_of_slot(slot), Layout::kColumns, Layout::kRows));
      };
      check(Sum{}, T{0});
      check(Maximum{}, lowest<T>());
    }
  });
}

/// Every vector of a tile is computed once.
template <int kLines, int kLength, int N, int kThreads>
void check_share() {
  using Share = VectorShare<OperandTile<bf16, kLines, kLength>, N, kThreads>;
  std::vector<int> times(kLines * kLength / N);
  std::mutex mutex;
  run_clean(kThreads, [&] {
    for (int along = 0; Share::has_position(along); ++along) {
      for (int across = 0; Share::has_line(across); ++across) {
        const std::lock_guard lock(mutex);
        const int line = Share::line(across), position = Share::position(along);
        REQUIRE(line < kLines);
        REQUIRE(position < kLength);
        ++times[static_cast<std::size_t>((line * kLength + position) / N)];
      }
    }
  });
  for (const int count : times) REQUIRE(count == 1);
}

}  // namespace

TEST_CASE("every layout holds every element of its tile once") {
  int layouts = 0;
  for (int warp_rows = 1; warp_rows <= 8; ++warp_rows) {
    for (int warp_columns = 1; warp_columns * warp_rows <= 32 && warp_columns <= 8; ++warp_columns) {
      for (int rows = 16 * warp_rows; rows <= 256; rows += 16 * warp_rows) {
        for (int columns = 8 * warp_columns; columns <= 256; columns += 8 * warp_columns) {
          INFO(rows << " x " << columns << ", warps " << warp_rows << " x " << warp_columns);
          REQUIRE(is_bijection({rows, columns, warp_rows, warp_columns, false}));
          REQUIRE(is_bijection({rows, columns, warp_rows, warp_columns, true}));
          ++layouts;
        }
      }
    }
  }
  CHECK(layouts > 3000);
}

TEST_CASE("an element's block and place in it") {
  using Layout = FragmentLayout<96, 48, 2, 2>;
  for (int i = 0; i < Layout::kCount; ++i) {
    CHECK(Layout::element(Layout::row_slot(i) / 2, Layout::column_slot(i) / 2,
                          Layout::row_slot(i) % 2 * 2 + Layout::column_slot(i) % 2) == i);
  }
  // Of the instructions: lane 13 is in row 3 of a block, at columns 2 and 3.
  run_clean(Layout::kThreads, [] {
    if (thread_index() % kWarpThreads != 13) return;
    const int warp_row = thread_index() / 64 * 48, warp_column = thread_index() / 32 % 2 * 24;
    CHECK(Layout::warp_row() == warp_row);
    CHECK(Layout::warp_column() == warp_column);
    CHECK(Layout::row(0) == warp_row + 3);
    CHECK(Layout::column(0) == warp_column + 2);
    CHECK(Layout::column(1) == warp_column + 3);
    CHECK(Layout::row(2) == warp_row + 11);
    CHECK(Layout::column(5) == warp_column + 11);
    CHECK(Layout::row(Layout::element(2, 1, 3)) == warp_row + 43);
    CHECK(Layout::column(Layout::element(2, 1, 3)) == warp_column + 11);
  });
}

TEST_CASE("reductions along rows and columns agree with loops, in all threads") {
  check_reductions<FragmentLayout<16, 8, 1, 1>, float>();
  check_reductions<FragmentLayout<16, 8, 1, 1>, double>();
  check_reductions<FragmentLayout<48, 80, 1, 1>, float>();
  check_reductions<FragmentLayout<64, 176, 4, 1>, float>();
  check_reductions<FragmentLayout<32, 64, 1, 4>, std::int32_t>();
  check_reductions<FragmentLayout<96, 48, 2, 2>, double>();
  check_reductions<FragmentLayout<128, 128, 2, 4>, float>();
  check_reductions<FragmentLayout<48, 72, 3, 3>, std::int64_t>();
}

TEST_CASE("the order of a sum does not depend on the schedule") {
  using Layout = FragmentLayout<64, 64, 2, 4>;
  const twin::Options before = twin::options();
  std::map<int, float> first;
  for (std::uint64_t seed = 0; seed < 4; ++seed) {
    twin::options().schedule = seed == 0 ? twin::Schedule::forward : twin::Schedule::random;
    twin::options().seed = seed;
    run_clean(Layout::kThreads, [&] {
      FragmentGroup group;
      RowFragment<float, Layout> rows;
      for (int slot = 0; slot < Layout::kRowCount; ++slot)
        rows[slot] = 1.0f / static_cast<float>(3 + thread_index() % 4 * 7 + thread_index() / 32 % 4 * 11);
      rows = group.reduce_columns(Sum{}, rows);
      for (int slot = 0; slot < Layout::kRowCount; ++slot)
        REQUIRE(first.try_emplace(Layout::row_of_slot(slot), rows[slot]).first->second == rows[slot]);
    });
  }
  CHECK(first.size() == Layout::kRows);
  twin::options() = before;
}

TEST_CASE("threads share the vectors of a tile, whatever they are a multiple of") {
  check_share<128, 64, 8, 128>();
  check_share<48, 80, 8, 96>();
  check_share<16, 176, 8, 64>();
  check_share<16, 256, 2, 32>();
  check_share<8, 16, 8, 256>();
}

}  // namespace fragments
