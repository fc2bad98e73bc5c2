// SPDX-License-Identifier: Apache-2.0
// Planes of tensors and the copies of parts of them into tiles, on the host twin: windows, strides, zeros where nothing
// exists, and what is found wrong.
#include <string>
#include <vector>

#include "catch.h"
#include "tessera/fill_tile.h"

namespace planes {

using namespace tessera;
using tessera::index;

namespace {

/// A tensor of numbers that tell their position, none of them zero.
struct Numbers {
  index extent[3], stride[3];
  std::vector<float> data;

  Numbers(index a, index b, index c, index pitch)
      : extent{a, b, c}, stride{b * pitch, pitch, 1}, data(static_cast<std::size_t>(a * b * pitch + 16)) {
    for (std::size_t i = 0; i < data.size(); ++i) data[i] = static_cast<float>(i + 1);
  }
  View<const float, 3> view() const {
    return {aligned(), {extent[0], extent[1], extent[2]}, {stride[0], stride[1], stride[2]}, nullptr};
  }
  const float* aligned() const {
    const auto past = reinterpret_cast<std::uintptr_t>(data.data()) % 16;
    return data.data() + (past == 0 ? 0 : (16 - past) / 4);
  }
};

using DefaultTile = OperandTile<float, 16, 24>;

/// Fills a tile and compares it with what `expected` says of the line and the position.
template <Copy kCopy, int kPositionAxis, typename Tile = DefaultTile, int kThreads = 64, typename MakePlane,
          typename Expected>
void check_fill(const MakePlane& make_plane, Index<2> at, const Expected& expected) {
  twin::begin_faults("planes");
  twin::begin_shared(0);
  REQUIRE(twin::run({1, kThreads, 0}, [&] {
    TESSERA_SHARED(typename Tile::Element, elements, 2 * Tile::kRoom);
    const Tile tile{elements, Tile::kRoom};
    fill_tile<kCopy, kThreads, kPositionAxis>(tile, make_plane(), at);
    ptx::cp_async_commit_group();
    ptx::cp_async_wait_group<0>();
    barrier();
    shift_tile<kThreads, kPositionAxis>(tile, make_plane(), at);
    barrier();
    for (int i = thread_index(); i < Tile::kCount; i += kThreads) {
      const int line = i / Tile::kLength, position = i % Tile::kLength;
      REQUIRE(tile.load(line, position) == expected(line, position));
    }
  }));
  REQUIRE(twin::fault_count() == 0);
}

/// The first fault of filling a tile.
template <Copy kCopy, int kPositionAxis, typename MakePlane>
twin::Fault fault_of(const MakePlane& make_plane, Index<2> at) {
  using Tile = DefaultTile;
  constexpr int kThreads = 64;
  twin::on_fault([](const twin::Fault&) {});
  twin::begin_faults("planes");
  twin::begin_shared(0);
  (void)twin::run({1, kThreads, 0}, [&] {
    TESSERA_SHARED(float, elements, Tile::kCount);
    fill_tile<kCopy, kThreads, kPositionAxis>(Tile{elements}, make_plane(), at);
  });
  twin::on_fault({});
  REQUIRE(twin::fault_count() > 0);
  return twin::faults().front();
}

}  // namespace

TEST_CASE("a part of a tensor, in every way of copying") {
  const Numbers numbers(3, 20, 40, 44);
  const auto view = numbers.view();
  const auto rows = [&] { return plane(view, {1, 0, 0}, {{0, 1, 0}, 0, 20}, {{0, 0, 1}, 0, 40}); };
  const auto expected = [&](int line, int position) {
    const index y = 8 + line, x = 24 + position;
    return y < 20 && x < 40 ? view.data[view.stride[0] + y * view.stride[1] + x] : 0.0f;
  };
  check_fill<Copy::async_16, 1>(rows, {8, 24}, expected);
  check_fill<Copy::async_8, 1>(rows, {8, 24}, expected);
  check_fill<Copy::async_4, 1>(rows, {8, 24}, expected);
  check_fill<Copy::elements, 1>(rows, {8, 24}, expected);
  // The same with the axes the other way round.
  const auto columns = [&] { return plane(view, {1, 0, 0}, {{0, 0, 1}, 0, 40}, {{0, 1, 0}, 0, 20}); };
  check_fill<Copy::async_16, 0>(columns, {24, 8}, expected);
  check_fill<Copy::elements, 0>(columns, {24, 8}, expected);
}

TEST_CASE("ends inside of a copy") {
  const Numbers numbers(1, 20, 37, 40);
  const auto view = numbers.view();
  for (const index end : {24, 25, 26, 27, 37}) {
    const auto rows = [&] { return plane(view, {0, 0, 0}, {{0, 1, 0}, 2, 17}, {{0, 0, 1}, 8, end}); };
    const auto expected = [&](int line, int position) {
      return line >= 2 && position + 4 >= 8 && position + 4 < end ? view.data[line * 40 + position + 4]
                                                                  : 0.0f;
    };
    check_fill<Copy::async_16, 1>(rows, {0, 4}, expected);
    check_fill<Copy::async_8, 1>(rows, {0, 4}, expected);
    check_fill<Copy::elements, 1>(rows, {0, 4}, expected);
  }
}

TEST_CASE("a window: the axes begin before the tensor does") {
  const Numbers numbers(1, 20, 33, 36);
  const auto view = numbers.view();
  // x[r - 3, 2 s + c - 2] in coordinates r and c, at s = 4.
  const auto shifted = [&] { return plane(view, {0, -3, 6}, {{0, 1, 0}, 3, 23}, {{0, 0, 1}, -6, 27}); };
  const auto expected = [&](int line, int position) {
    const index row = line - 3, column = position - 9 + 6;
    return row >= 0 && column >= 0 && column < 33 ? view.data[row * 36 + column] : 0.0f;
  };
  check_fill<Copy::elements, 1>(shifted, {0, -9}, expected);
  check_fill<Copy::async_4, 1>(shifted, {0, -9}, expected);
}

TEST_CASE("steps of more than one, and two axes of one dimension") {
  const Numbers numbers(1, 40, 64, 64);
  const auto view = numbers.view();
  const auto every_second = [&] { return plane(view, {0, 1, 0}, {{0, 2, 0}, 0, 12}, {{0, 0, 2}, 0, 30}); };
  check_fill<Copy::elements, 1>(every_second, {0, 0}, [&](int line, int position) {
    return line < 12 ? view.data[(2 * line + 1) * 64 + 2 * position] : 0.0f;
  });
  // x[m + k]: the lines of a convolution.
  const auto sliding = [&] { return plane(view, {0, 0, 0}, {{0, 0, 1}, 0, 41}, {{0, 0, 1}, 0, 24}); };
  check_fill<Copy::async_4, 1>(sliding, {5, 0},
                               [&](int line, int position) { return view.data[5 + line + position]; });
}

namespace {

/// Copies of so many threads: each is made once, and where they are regular their distances are those of thread 0.
template <typename Tile, int kStep, int kThreads>
void check_order() {
  using Order = detail::CopyOrder<Tile, kStep, kThreads>;
  std::vector<int> made(static_cast<std::size_t>(Tile::kCount));
  bool keeps_distances = true, keeps_chunks = true;
  for (int copy = 0; copy < Order::kCopies; ++copy) {
    const auto place = Order::place(copy), first = Order::place(copy % kThreads),
               on = Order::place(copy / kThreads * kThreads);
    ++made[static_cast<std::size_t>(Tile::at(place.line, place.position))];
    keeps_distances = keeps_distances && place.line == first.line + on.line &&
                      place.position == first.position + on.position;
    keeps_chunks = keeps_chunks && Tile::at(place.line, place.position) ==
                                       Tile::at(first.line, first.position) + Tile::at(on.line, on.position);
  }
  for (int i = 0; i < Tile::kCount; ++i) CHECK(made[static_cast<std::size_t>(i)] == (i % kStep == 0 ? 1 : 0));
  if (Order::kIsRegular) CHECK(keeps_distances);
  if (Order::kKeepsChunks) CHECK(keeps_chunks);
}

/// A tile of float, filled from a plane that ends and begins inside of it along both axes or neither.
template <typename Tile, int kThreads>
void check_windows() {
  const Numbers numbers(1, 160, 150, 152);
  const auto view = numbers.view();
  for (const PlaneAxis<3>& lines : {PlaneAxis<3>{{0, 1, 0}, 0, 160}, PlaneAxis<3>{{0, 1, 0}, 13, 21}}) {
    for (const PlaneAxis<3>& positions :
         {PlaneAxis<3>{{0, 0, 1}, 0, 150}, PlaneAxis<3>{{0, 0, 1}, 8, 19}, PlaneAxis<3>{{0, 0, 1}, 8, 8}}) {
      const auto rows = [&] { return plane(view, {0, 0, 0}, lines, positions); };
      const auto expected = [&](int line, int position) {
        const index y = line + 3, x = position + 4;
        const bool exists = y >= lines.begin && y < lines.end && x >= positions.begin && x < positions.end;
        return exists ? view.data[y * 152 + x] : 0.0f;
      };
      check_fill<Copy::async_16, 1, Tile, kThreads>(rows, {3, 4}, expected);
      check_fill<Copy::async_8, 1, Tile, kThreads>(rows, {3, 4}, expected);
      check_fill<Copy::async_4, 1, Tile, kThreads>(rows, {3, 4}, expected);
      check_fill<Copy::shifted, 1, Tile, kThreads>(rows, {3, 4}, expected);
      check_fill<Copy::elements, 1, Tile, kThreads>(rows, {3, 4}, expected);
    }
  }
}

}  // namespace

TEST_CASE("copies are numbered so that a thread's are at constant distances") {
  check_order<OperandTile<bf16, 128, 64>, 8, 256>();  // several lines of a panel
  check_order<OperandTile<bf16, 16, 256>, 8, 256>();  // several panels
  check_order<OperandTile<bf16, 24, 96>, 8, 128>();   // neither
  check_order<OperandTile<bf16, 32, 64>, 8, 32>();    // chunks change places on the way
  check_order<OperandTile<float, 64, 24>, 1, 128>();
  check_order<OperandTile<double, 8, 4>, 2, 64>();  // fewer copies than threads
  CHECK(detail::CopyOrder<OperandTile<bf16, 128, 64>, 8, 256>::kKeepsChunks);
  CHECK(detail::CopyOrder<OperandTile<bf16, 16, 256>, 8, 256>::kKeepsChunks);
  CHECK(detail::CopyOrder<OperandTile<bf16, 32, 64>, 8, 32>::kIsRegular);
  CHECK_FALSE(detail::CopyOrder<OperandTile<bf16, 32, 64>, 8, 32>::kKeepsChunks);
  CHECK_FALSE(detail::CopyOrder<OperandTile<bf16, 24, 96>, 8, 128>::kIsRegular);
}

TEST_CASE("windows of tiles of all orders of copies") {
  check_windows<OperandTile<float, 64, 32>, 128>();  // several lines of a panel
  check_windows<OperandTile<float, 8, 128>, 128>();  // several panels
  check_windows<OperandTile<float, 64, 16>, 64>();   // lines of 64 bytes
  check_windows<OperandTile<float, 16, 32>, 32>();   // chunks change places on the way
  check_windows<OperandTile<float, 24, 24>, 96>();   // nothing divides
}

namespace {

/// Tiles of a tensor whose pitch and first element suit no copy of several elements.
template <typename T, int kLines = 32, int kLineBytes = 128>
void check_shifted() {
  using Tile = OperandTile<T, kLines, kLineBytes / static_cast<int>(sizeof(T)), true>;
  constexpr int kPitch = 151, kRows = 40, kColumns = 140;
  for (const int skipped : {0, 1, 3}) {
    std::vector<T> data(static_cast<std::size_t>(kRows * kPitch + 4));
    for (std::size_t i = 0; i < data.size(); ++i) data[i] = static_cast<T>(i % 113 + 1);
    const auto view =
        tessera::view<const T, 2>(strided_tensor(data.data() + skipped, {kRows, kColumns}, {kPitch, 1}));
    for (const PlaneAxis<2>& columns : {PlaneAxis<2>{{0, 1}, 0, kColumns}, PlaneAxis<2>{{0, 1}, 9, 21}}) {
      const auto rows = [&] { return plane(view, {0, 0}, {{1, 0}, 0, kRows}, columns); };
      for (const int row : {-3, 5, 20}) {
        const auto expected = [&](int line, int position) {
          const int y = row + line, x = 7 + position;
          const bool exists = y >= 0 && y < kRows && x >= columns.begin && x < columns.end;
          return exists ? view.data[y * kPitch + x] : T{};
        };
        check_fill<Copy::shifted, 1, Tile, 64>(rows, {row, 7}, expected);
      }
    }
  }
}

}  // namespace

TEST_CASE("lines that begin anywhere, chunk by chunk") {
  check_shifted<std::uint8_t>();
  check_shifted<std::uint16_t>();
  check_shifted<std::uint16_t, 24, 192>();  // panels of 64 bytes, and lines that do not fill the last round
  check_shifted<std::uint8_t, 8, 32>();     // fewer lines than threads
  check_shifted<float>();
  check_shifted<double>();
}

TEST_CASE("a tile far beyond its plane") {
  const Numbers numbers(1, 20, 40, 44);
  const auto view = numbers.view();
  const index far = index{1} << 40;
  const auto rows = [&] { return plane(view, {0, 0, 0}, {{0, 1, 0}, 0, 20}, {{0, 0, 1}, 0, 40}); };
  const auto nothing = [](int, int) { return 0.0f; };
  check_fill<Copy::async_8, 1>(rows, {far, 0}, nothing);
  check_fill<Copy::async_8, 1>(rows, {-far, 0}, nothing);
  check_fill<Copy::async_8, 1>(rows, {0, far}, nothing);
  check_fill<Copy::async_8, 1>(rows, {0, -far}, nothing);
}

TEST_CASE("a dimension of one element is contiguous, whatever its stride") {
  std::vector<float> data(64, 7.0f);
  const auto past = reinterpret_cast<std::uintptr_t>(data.data()) % 16 / 4;
  const auto view = tessera::view<const float, 2>(
      strided_tensor(data.data() + (past == 0 ? 0 : 4 - past), {16, 1}, {3, 40}));
  // x[r, p - 8]: the one element is at p = 8.
  const auto lines = [&] { return plane(view, {0, -8}, {{1, 0}, 0, 1}, {{0, 1}, 8, 9}); };
  check_fill<Copy::async_8, 1>(
      lines, {0, 0}, [](int line, int position) { return line == 0 && position == 8 ? 7.0f : 0.0f; });
}

TEST_CASE("elements outside of the tensor are found") {
  const Numbers numbers(1, 20, 40, 40);
  const auto view = numbers.view();
  const auto too_long = [&] { return plane(view, {0, 0, 0}, {{0, 1, 0}, 0, 20}, {{0, 0, 1}, 0, 44}); };
  for (const twin::Fault& fault :
       {fault_of<Copy::async_16, 1>(too_long, {0, 24}), fault_of<Copy::shifted, 1>(too_long, {0, 24}),
        fault_of<Copy::elements, 1>(too_long, {0, 24})}) {
    CHECK(fault.kind == twin::FaultKind::out_of_bounds);
    CHECK(fault.detail == "tensor[0, 0, 40], extents [1, 20, 40]");
  }
}

TEST_CASE("copies that do not suit their addresses are found") {
  const Numbers numbers(1, 20, 37, 37);
  const auto view = numbers.view();
  const auto rows = [&] { return plane(view, {0, 0, 0}, {{0, 1, 0}, 0, 20}, {{0, 0, 1}, 0, 37}); };
  twin::Fault fault = fault_of<Copy::async_16, 1>(rows, {0, 0});
  CHECK(fault.kind == twin::FaultKind::misaligned);
  CHECK(fault.detail == "a copy of 16 bytes of tensor is not at a multiple of 16 bytes");
  fault = fault_of<Copy::async_16, 0>(rows, {0, 0});
  CHECK(fault.kind == twin::FaultKind::broken_promise);
  // Words need no neighbours: their stride may be any.
  check_fill<Copy::shifted, 0>(rows, {0, 0}, [&](int line, int position) {
    return line < 37 && position < 20 ? numbers.aligned()[position * 37 + line] : 0.0f;
  });
  const auto late = [&] { return plane(view, {0, 0, 0}, {{0, 1, 0}, 0, 20}, {{0, 0, 1}, 2, 37}); };
  fault = fault_of<Copy::async_16, 1>(late, {0, 0});
  CHECK(fault.kind == twin::FaultKind::misaligned);
  CHECK(fault.detail == "a copy of 16 bytes of tensor: the axis begins inside of it");
}

}  // namespace planes
