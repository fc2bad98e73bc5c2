// SPDX-License-Identifier: Apache-2.0
// What launches remember: maps of tensors, by everything that they say, and what devices have in common.
#include <array>
#include <thread>
#include <vector>

#include "catch.h"
#include "tessera/device_numbers.h"
#include "tessera/tensor_map.h"

using namespace tessera;

namespace {

alignas(128) std::array<bf16, 4096> memory;

/// Of as many dimensions as there are: of others nothing counts.
BoxesOfTensor some_boxes() {
  return {memory.data(), BoxesOfTensor::kMostDimensions, 2, false, 128, {64, 64}, {2, 128}, {64, 64}};
}

/// A cache, and how often it has asked.
struct Asked {
  detail::RecentMaps<BoxesOfTensor> maps{};  // a map that is what it is of
  int times = 0;

  BoxesOfTensor operator()(const BoxesOfTensor& boxes) {
    BoxesOfTensor map;
    const bool is_made = maps.find(map, boxes, [this](BoxesOfTensor& made, const BoxesOfTensor& of) {
      ++times;
      made = of;
      return true;
    });
    CHECK(is_made);
    return map;
  }
};

}  // namespace

TEST_CASE("a map is made once", "[recent_maps]") {
  Asked asked;
  for (int i = 0; i < 3; ++i) CHECK(asked(some_boxes()) == some_boxes());
  CHECK(asked.times == 1);
}

TEST_CASE("no other map for dimensions that there are not", "[recent_maps]") {
  Asked asked;
  BoxesOfTensor boxes = some_boxes();
  boxes.rank = 2;
  asked(boxes);
  boxes.extent[2] = 7;
  CHECK(asked(boxes) == boxes);
  CHECK(asked.times == 1);
}

TEST_CASE("another map for whatever differs", "[recent_maps]") {
  std::vector<BoxesOfTensor> others(1, some_boxes());
  const auto other = [&](auto change) {
    BoxesOfTensor boxes = some_boxes();
    change(boxes);
    others.push_back(boxes);
  };
  other([](BoxesOfTensor& boxes) { boxes.data = memory.data() + 64; });
  other([](BoxesOfTensor& boxes) { boxes.rank = 3; });
  other([](BoxesOfTensor& boxes) { boxes.element_bytes = 4; });
  other([](BoxesOfTensor& boxes) { boxes.rounds_to_tf32 = true; });
  other([](BoxesOfTensor& boxes) { boxes.span_bytes = 64; });
  for (int i = 0; i < BoxesOfTensor::kMostDimensions; ++i) {
    other([i](BoxesOfTensor& boxes) { boxes.extent[i] += 1; });
    other([i](BoxesOfTensor& boxes) { boxes.extent[i] += tessera::index{1} << 40; });
    other([i](BoxesOfTensor& boxes) { boxes.stride[i] += 16; });
    other([i](BoxesOfTensor& boxes) { boxes.box[i] += 8; });
  }
  for (const BoxesOfTensor& first : others) {
    for (const BoxesOfTensor& second : others) {
      Asked asked;
      CHECK(asked(first) == first);
      CHECK(asked(second) == second);
      CHECK(asked.times == (&first == &second ? 1 : 2));
    }
  }
}

TEST_CASE("more maps than there is room for are right too", "[recent_maps]") {
  Asked asked;
  for (int round = 0; round < 2; ++round) {
    for (int i = 0; i < 1000; ++i) {
      BoxesOfTensor boxes = some_boxes();
      boxes.extent[1] = i + 1;
      CHECK(asked(boxes) == boxes);
      CHECK(asked(some_boxes()) == some_boxes());
    }
  }
  CHECK(asked.times >= 1000);
}

TEST_CASE("boxes that are refused are refused again", "[recent_maps]") {
  detail::RecentMaps<BoxesOfTensor> maps{};
  int times = 0;
  const auto refuse = [&](BoxesOfTensor&, const BoxesOfTensor&) {
    ++times;
    return false;
  };
  BoxesOfTensor map;
  CHECK_FALSE(maps.find(map, some_boxes(), refuse));
  CHECK_FALSE(maps.find(map, some_boxes(), refuse));
  CHECK(times == 2);
}

TEST_CASE("maps of tensors follow their tensors", "[recent_maps]") {
  const auto map_of = [](const Tensor& tensor, int lines) {
    TensorMap map;
    REQUIRE(make_tensor_map<bf16, 2, 128>(map, tensor, TensorBox<0, 1>{lines}));
    return map;
  };
  for (int round = 0; round < 2; ++round) {
    const TensorMap map = map_of(tensor(memory.data(), {32, 64}), 16);
    CHECK(map.data == memory.data());
    CHECK(map.extent[1] == 32);
    CHECK(map_of(tensor(memory.data(), {31, 64}), 16).extent[1] == 31);
    CHECK(map_of(tensor(memory.data() + 64, {32, 64}), 16).data == memory.data() + 64);
    CHECK(map_of(strided_tensor(memory.data(), {32, 64}, {128, 1}), 16).stride[1] == 256);
    CHECK(map_of(tensor(memory.data(), {32, 64}), 8).box[1] == 8);
  }
  std::thread([&] { CHECK(map_of(tensor(memory.data(), {32, 64}), 16).extent[1] == 32); }).join();
}

namespace {

/// Devices with these numbers, of which number `current` is the current one.
struct Devices {
  std::vector<int> numbers;
  int current = 0;
  int asked_for_current = 0;
  detail::DeviceNumbers known{};

  int number() {
    return known.of_current([this] { return static_cast<int>(numbers.size()); },
                            [this] { return ++asked_for_current, current; },
                            [this](int device) { return numbers[static_cast<std::size_t>(device)]; });
  }
};

}  // namespace

TEST_CASE("where all devices have a number, nobody asks which is current", "[device_numbers]") {
  Devices alike{{90, 90, 90}};
  for (alike.current = 0; alike.current < 3; ++alike.current) CHECK(alike.number() == 90);
  CHECK(alike.asked_for_current == 0);
}

TEST_CASE("devices that differ are told apart", "[device_numbers]") {
  Devices mixed{{90, 80, 90}};
  for (int round = 0; round < 2; ++round) {
    for (mixed.current = 0; mixed.current < 3; ++mixed.current)
      CHECK(mixed.number() == mixed.numbers[static_cast<std::size_t>(mixed.current)]);
  }
  CHECK(mixed.asked_for_current == 6);
}

TEST_CASE("a number that was not to be had is asked for again", "[device_numbers]") {
  Devices devices{{90, 0}};
  CHECK(devices.number() == 90);
  devices.current = 1;
  CHECK(devices.number() == 0);
  devices.numbers[1] = 80;
  CHECK(devices.number() == 80);
  Devices none{{}, -2};
  CHECK(none.number() == 0);
  none.numbers = {80};
  CHECK(none.number() == 80);
}
