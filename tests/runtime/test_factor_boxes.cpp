// SPDX-License-Identifier: Apache-2.0
// The boxes of a factor's last tile: of it no line behind the last eight is asked for, and no box that has nothing.
#include <vector>

#include "catch.h"
#include "tessera/kernel.h"
#include "tessera/warpgroups.h"

namespace factor_boxes_of_tiles {

using namespace tessera;
using tessera::index;

TEST_CASE("boxes of the last tile bring the lines that are there, by eights") {
  const auto are = [](BoxLines lines, int whole, int last) {
    return lines.whole == whole && lines.last == last;
  };
  CHECK(are(lines_of_boxes(128, 256), 128, 128));
  CHECK(are(lines_of_boxes(128, 257), 128, 8));
  CHECK(are(lines_of_boxes(128, 383), 128, 128));
  CHECK(are(lines_of_boxes(128, 1), 8, 8));
  CHECK(are(lines_of_boxes(128, 64), 64, 64));
  CHECK(are(lines_of_boxes(176, (index{1} << 31) + 5), 176, 120));  // 117 are left
  CHECK(are(lines_of_boxes(256, 256 + 17, 2), 128, 128));
  CHECK(are(lines_of_boxes(256, 1, 2), 128, 128));
  CHECK(lines_of_any_box(128, 257) == 128);
  CHECK(lines_of_any_box(128, 65) == 72);
  CHECK(lines_of_any_box(128, 65, 2) == 64);
}

namespace {

/// A factor of `width` rows and 64 of K, with the lines of tiles of 128.
template <typename T>
FactorBoxes boxes_of(std::vector<T>& data, index width, bool along_k, int blocks = 1) {
  data.resize(static_cast<std::size_t>(width) * 64);
  const LaunchOptions named{.variant = 0};
  LaunchCheck check("boxes");
  const Tensor factor =
      along_k ? tensor(data.data(), {width, 64}) : strided_tensor(data.data(), {width, 64}, {1, width});
  BoxedTensor<T, 2> boxed(check, named, factor, {0, 1}, {width, 64, 64});
  const FactorBoxes boxes = factor_boxes<0, 1>(boxed, lines_of_boxes(128, width, blocks), 64 / blocks);
  REQUIRE(check.ok());
  return boxes;
}

/// `use` is called with the elements that a ring stands in.
template <typename Ring, typename Use>
void in_shared_memory(const Use& use) {
  constexpr int kBytes = Ring::kRoomBytes;
  twin::begin_faults("boxes");
  twin::begin_shared(kBytes);
  CHECK(twin::run({1, 32, kBytes}, [&] {
    TESSERA_DYNAMIC_SHARED(bf16, elements, 0, Ring::kRoom);
    if (thread_index() == 0) use(elements);
  }));
}

/// Of a tile: whether it has the boxes of whole ones, its boxes and their bytes.
struct Found {
  bool is_whole;
  TileBoxes boxes;
  int bytes;
};
template <typename Ring>
Found found_at(const Ring& ring, const FactorBoxes& boxes, index first, index end) {
  const TileBoxes at = boxes.at(ring, first, end);
  return {boxes.is_whole(ring, first, end), at, bytes_of(ring, at)};
}

using Lines = OperandRing<bf16, 128, 64, 2>;
using Either = EitherRing<bf16, 128, 64, 2>;

}  // namespace

TEST_CASE("a tile has the boxes of whole ones, or those of the last") {
  std::vector<bf16> data;
  const FactorBoxes boxes = boxes_of(data, 200, true);
  CHECK(boxes.major == Major::k);
  std::vector<Found> found;
  in_shared_memory<Either>([&](const Shared<bf16>& elements) {
    for (const index first : {0, 128}) {
      found.push_back(found_at(Lines{elements}, boxes, first, 200));
      found.push_back(found_at(Either{elements, boxes.major}, boxes, first, 200));
    }
  });
  REQUIRE(found.size() == 4);
  for (std::size_t i = 0; i < found.size(); ++i) {
    CAPTURE(i);
    const TileBoxes& at = found[i].boxes;
    CHECK(found[i].is_whole == (i < 2));
    CHECK(&at.map() == (i < 2 ? &boxes.whole.map() : &boxes.last));
    CHECK(at.lines == (i < 2 ? 128 : 72));
    CHECK(at.map().box[1] == at.lines);
    CHECK(found[i].bytes == at.lines * 128);
  }
}

TEST_CASE("blocks that share tiles bring all of their bytes") {
  std::vector<bf16> data;
  for (const bool along_k : {true, false}) {
    CAPTURE(along_k);
    const FactorBoxes boxes = boxes_of(data, 200, along_k, 2);
    std::vector<int> bytes;
    in_shared_memory<Either>([&](const Shared<bf16>& elements) {
      if (along_k) bytes.push_back(bytes_of(Lines{elements}, boxes.whole, 2));
      bytes.push_back(bytes_of(Either{elements, boxes.major}, boxes.whole, 2));
    });
    CHECK(boxes.whole.lines == (along_k ? 64 : 32));
    CHECK(bytes == std::vector<int>(along_k ? 2 : 1, 128 * 128));
  }
}

TEST_CASE("a tile of a tensor that is shorter, or as long by eights, has the boxes of whole ones") {
  std::vector<bf16> data;
  for (const index width : {1, 100, 121, 249, 256}) {
    CAPTURE(width);
    const FactorBoxes boxes = boxes_of(data, width, true);
    bool is_whole = false;
    in_shared_memory<Lines>([&](const Shared<bf16>& elements) {
      is_whole = boxes.is_whole(Lines{elements}, (width - 1) / 128 * 128, width);
    });
    CHECK(is_whole);
    CHECK(boxes.whole.lines == (width == 1 ? 8 : width == 100 ? 104 : 128));
  }
}

TEST_CASE("of lines along the rows a tile has the panels that are there") {
  std::vector<bf16> data;
  const FactorBoxes boxes = boxes_of(data, 328, false);
  CHECK(boxes.major == Major::mn);
  struct Case {
    index first, end;
    int panels;
  };
  const std::vector<Case> cases = {{0, 328, 2},   {256, 328, 2}, {256, 321, 2},
                                   {256, 320, 1}, {256, 257, 1}, {0, index{1} << 40, 2}};
  std::vector<Found> found;
  in_shared_memory<Either>([&](const Shared<bf16>& elements) {
    for (const Case& each : cases)
      found.push_back(found_at(Either{elements, boxes.major}, boxes, each.first, each.end));
  });
  REQUIRE(found.size() == cases.size());
  for (std::size_t i = 0; i < cases.size(); ++i) {
    CAPTURE(i);
    CHECK(found[i].is_whole == (cases[i].panels == 2));
    CHECK(found[i].boxes.lines == 64);
    CHECK(found[i].boxes.count == cases[i].panels);
    CHECK(found[i].bytes == cases[i].panels * 64 * 128);
  }
}

}  // namespace factor_boxes_of_tiles
