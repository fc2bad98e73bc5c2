// SPDX-License-Identifier: Apache-2.0
// Tensors whose boxes are copied for products: which have some, copies that have them, and how long the cache keeps them.
#include <utility>
#include <vector>

#include "catch.h"
#include "tessera/kernel.h"
#include "tessera/warpgroups.h"

namespace boxed_tensor {

using namespace tessera;
using tessera::index;

TEST_CASE("tensors that the copy engine cannot take are refused") {
  std::vector<bf16> data(64 * 64);
  TensorMap map;
  using Rows = TensorBox<0, 1>;
  const Tensor whole = tensor(data.data(), {64, 64});
  CHECK(make_tensor_map<bf16, 2, 128>(map, whole, Rows{64}));
  CHECK_FALSE(make_tensor_map<bf16, 2, 128>(map, whole, Rows{257}));  // lines of a box
  CHECK_FALSE(make_tensor_map<bf16, 2, 128>(map, tensor(data.data() + 1, {32, 64}), Rows{64}));  // address
  CHECK_FALSE(
      make_tensor_map<bf16, 2, 128>(map, strided_tensor(data.data(), {8, 60}, {60, 1}), Rows{8}));  // pitch
  CHECK_FALSE(
      make_tensor_map<bf16, 2, 128>(map, strided_tensor(data.data(), {8, 8}, {64, 2}), Rows{8}));  // gaps
  CHECK_FALSE(make_tensor_map<bf16, 2, 128>(map, tensor(data.data(), {0, 64}), Rows{8}));          // nothing
  CHECK((
      make_tensor_map<bf16, 2, 128>(map, strided_tensor(data.data(), {64, 8}, {1, 64}), TensorBox<1, 0>{8})));
}

TEST_CASE("tensors whose last tile has coordinates that are no int have no boxes") {
  alignas(16) bf16 chunk[8] = {};
  constexpr index kInts = index{1} << 31, kTile = 1024;
  CHECK(has_boxes(tensor(chunk, {kInts - kTile - 1, 8}), 1));
  CHECK_FALSE(has_boxes(tensor(chunk, {kInts - kTile, 8}), 1));
  CHECK_FALSE(has_boxes(strided_tensor(chunk, {8, kInts - 8}, {kInts, 1}), 1));
}

namespace {

/// The elements from `data` on in the order of a tensor, along whose dimension d they are stride(d) bytes apart.
template <typename T, typename Stride>
std::vector<T> elements_at(const void* data, const Tensor& tensor, const Stride& stride) {
  std::vector<T> elements;
  index count = 1;
  for (int d = 0; d < tensor.rank; ++d) count *= tensor.extent[d];
  for (index number = 0; number < count; ++number) {
    index rest = number, byte = 0;
    for (int d = tensor.rank - 1; d >= 0; --d) {
      byte += rest % tensor.extent[d] * stride(d);
      rest /= tensor.extent[d];
    }
    elements.push_back(*reinterpret_cast<const T*>(static_cast<const char*>(data) + byte));
  }
  return elements;
}

/// Those that a map describes: dimension `position` of the tensor comes first in it.
template <typename T = std::int16_t>
std::vector<T> mapped_elements(const TensorMap& map, const Tensor& tensor, int position) {
  return elements_at<T>(map.data, tensor, [&](int d) {
    return d == position ? index{sizeof(T)} : map.stride[d < position ? d + 1 : d];
  });
}

template <typename T = std::int16_t>
std::vector<T> elements_of(const Tensor& tensor) {
  return elements_at<T>(tensor.data, tensor,
                        [&](int d) { return tensor.stride[d] * static_cast<index>(sizeof(T)); });
}

/// A copy whose lines run along the other dimension than those of a tensor of so many lines of so many elements.
template <typename T>
void check_turned_copy(index lines, index length) {
  CAPTURE(sizeof(T), lines, length);
  std::vector<T> data(static_cast<std::size_t>(lines * (length + 3)));
  for (std::size_t i = 0; i < data.size(); ++i) data[i] = static_cast<T>(i * 7 % 251);
  const Tensor source = strided_tensor(data.data(), {lines, length}, {length + 3, 1});
  const LaunchOptions named{.variant = 0};
  LaunchCheck check("turned");
  BoxedTensor<T, 2> turned(check, named, source, {0}, {lines, length});
  REQUIRE(turned.lie_along(0));
  CHECK(mapped_elements<T>(turned.template map<1, 0>(64), source, 0) == elements_of<T>(source));
  CHECK(check.ok());
}

}  // namespace

TEST_CASE("lines of a tensor are turned into those of a copy, whatever their elements have of bytes") {
  for (const auto& [lines, length] :
       {std::pair<index, index>{1, 1}, {1, 130}, {127, 3}, {128, 64}, {129, 257}}) {
    check_turned_copy<std::int8_t>(lines, length);
    check_turned_copy<std::int16_t>(lines, length);
    check_turned_copy<float>(lines, length);
    check_turned_copy<double>(lines, length);
  }
}

TEST_CASE("what a tile or two read stays in the second-level cache no longer than that") {
  std::vector<std::int16_t> data(64 * 64);
  const Tensor whole = tensor(data.data(), {64, 64});
  const auto policy = [&](index others) {
    const LaunchOptions any{};
    LaunchCheck check("policy");
    BoxedTensor<std::int16_t, 2> boxed(check, any, whole, {0, 1}, {64, others, 64});
    return boxed.map<0, 1>(64).policy;
  };
  Tensor deep = whole;
  deep.rank = 1 << 30;
  LaunchCheck failed("too deep");
  failed.require(false, "a tensor has the rank of its parameter");
  const LaunchOptions options{};
  BoxedTensor<std::int16_t, 2> refused(failed, options, deep, {0, 1}, {64, 64, 64});  // looks at no dimension
  CHECK_FALSE(refused.are_there());
  CHECK(refused.bytes() == 0);
  CHECK(policy(1) == CachePolicy::evict_first);
  CHECK(policy(128) == CachePolicy::evict_first);
  CHECK(policy(129) == CachePolicy::normal);
}

TEST_CASE("a copy is worth so many terms, and of elements that have one place in memory so many of each") {
  std::vector<std::int16_t> data(200 * 200);
  const LaunchOptions any{};
  LaunchCheck check("worth");
  const auto is_copied = [&](const Tensor& factor, std::initializer_list<index> extents) {
    return BoxedTensor<std::int16_t, 2>(check, any, factor, {0, 1}, extents).are_there();
  };
  const Tensor shifted = strided_tensor(data.data() + 1, {100, 70}, {71, 1});
  CHECK_FALSE(is_copied(shifted, {100, 70, 7000}));
  CHECK(is_copied(shifted, {100, 70, 8000}));
  const Tensor one_line = strided_tensor(data.data() + 1, {100, 70}, {0, 1});
  CHECK(is_copied(one_line, {100, 70, 8000}));
  const Tensor many_of_one_line = strided_tensor(data.data() + 1, {1'000'000, 70}, {0, 1});
  CHECK_FALSE(is_copied(many_of_one_line, {1'000'000, 70, 31}));
  CHECK(check.ok());
}

TEST_CASE("boxes of a tensor are copied from it, or from a copy that has them") {
  std::vector<std::int16_t> data(200 * 200);
  for (std::size_t i = 0; i < data.size(); ++i) data[i] = static_cast<std::int16_t>(i);
  const LaunchOptions any{}, named{.variant = 0};
  const std::initializer_list<index> few{100, 100, 100}, many{2000, 2000, 2000};
  LaunchCheck check("boxed");

  const Tensor aligned = strided_tensor(data.data(), {100, 70}, {80, 1});
  BoxedTensor<std::int16_t, 2> as_it_is(check, named, aligned, {0, 1}, many);
  CHECK(as_it_is.lie_along(1));
  CHECK_FALSE(as_it_is.lie_along(0));
  CHECK(as_it_is.map<0, 1>(64).data == data.data());

  const Tensor shifted = strided_tensor(data.data() + 1, {100, 70}, {71, 1});
  CHECK_FALSE(BoxedTensor<std::int16_t, 2>(check, any, shifted, {0, 1}, few).lie_along(1));
  CHECK_FALSE(BoxedTensor<std::int16_t, 2>(check, any, shifted, {0, 1}, {100, 70, 2'000'000}).lie_along(0));
  CHECK_FALSE(
      BoxedTensor<std::int16_t, 2>(check, any, tensor(data.data(), {0, 71}), {0, 1}, many).lie_along(1));
  for (const LaunchOptions& options : {any, named}) {
    BoxedTensor<std::int16_t, 2> copied(check, options, shifted, {0, 1}, options.variant < 0 ? many : few);
    CHECK(copied.lie_along(1));
    const TensorMap map = copied.map<0, 1>(64);
    CHECK(map.stride[1] == 256);
    CHECK(mapped_elements(map, shifted, 1) == elements_of(shifted));
    BoxedTensor<std::int16_t, 2> across(check, options, aligned, {0}, options.variant < 0 ? many : few);
    CHECK(across.lie_along(0));
    CHECK(mapped_elements(across.map<1, 0>(64), aligned, 0) == elements_of(aligned));
  }

  const Tensor scattered = strided_tensor(data.data(), {3, 67, 2, 5}, {11, 40, 2, 3000});
  BoxedTensor<std::int16_t, 4> of_four(check, named, scattered, {1, 3}, few);
  CHECK(of_four.lie_along(3));
  CHECK(mapped_elements(of_four.map<1, 3>(64), scattered, 3) == elements_of(scattered));
  CHECK(check.ok());
}

TEST_CASE("a copy has lines along the dimension that it is asked for") {
  std::vector<std::int8_t> data(64 * 65);
  const LaunchOptions named{.variant = 0};
  LaunchCheck check("copies");
  const auto boxed = [&](index pitch, std::initializer_list<int> dimensions, int copied) {
    const Tensor by_rows = strided_tensor(data.data(), {64, 64}, {pitch, 1});
    return BoxedTensor<std::int8_t, 2>(check, named, by_rows, dimensions, {64, 64, 64}, copied);
  };
  CHECK(boxed(64, {0, 1}, 0).lie_along(1));  // as it is
  CHECK(boxed(64, {0, 0}, 0).lie_along(0));
  CHECK(boxed(65, {0, 1}, kAsTheyRun).lie_along(1));
  CHECK(boxed(65, {0, 1}, 0).lie_along(0));
  CHECK_FALSE(boxed(65, {0, 1}, 0).lie_along(1));
  CHECK(check.ok());
}

TEST_CASE("a launch that names a variant takes no other") {
  CHECK(may_take({}, 3, 2));
  CHECK(may_take({.variant = 3}, 3, 2));
  CHECK(may_take({.variant = 4}, 3, 2));
  CHECK_FALSE(may_take({.variant = 2}, 3, 2));
  CHECK_FALSE(may_take({.variant = 5}, 3, 2));
}

}  // namespace boxed_tensor
