// SPDX-License-Identifier: Apache-2.0
// Where a tensor lies in its memory; see placement.h.
#include "sweep/placement.h"

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>

namespace tessera::sweep {

namespace {

/// Canaries at each end of an allocation; a multiple of every alignment that is asked for.
constexpr std::int64_t kGuardBytes = 512;
constexpr std::int64_t kPitch = 16;  // elements
constexpr std::int64_t kPadding = 3;

template <typename T>
void store(std::byte* to, double value) {
  const T stored = [&] {
    if constexpr (std::is_arithmetic_v<T>)
      return static_cast<T>(value);
    else
      return from_double<T>(value);
  }();
  std::memcpy(to, &stored, sizeof stored);
}

template <typename T>
double load(const std::byte* from) {
  T stored;
  std::memcpy(&stored, from, sizeof stored);
  if constexpr (std::is_arithmetic_v<T>)
    return static_cast<double>(stored);
  else
    return static_cast<double>(to_float(stored));
}

/// Bytes other than 0 and 1 are no bool; they must show as different from both.
double load_bool(const std::byte* from) { return static_cast<double>(*from); }

template <typename T>
Storage storage(const char* name) {
  return {name, kDType<T>, sizeof(T), store<T>, std::is_same_v<T, bool> ? load_bool : load<T>};
}

/// Row-major strides whose rows are `pitch` elements apart.
std::vector<std::int64_t> row_strides(const std::vector<std::int64_t>& shape, std::int64_t pitch) {
  std::vector<std::int64_t> strides(shape.size(), 1);
  for (std::size_t d = shape.size(); d-- > 1;) {
    strides[d - 1] = d + 1 == shape.size() ? pitch : strides[d] * std::max<std::int64_t>(shape[d], 1);
  }
  return strides;
}

std::vector<std::int64_t> transposed_strides(const std::vector<std::int64_t>& shape) {
  std::vector<std::int64_t> strides(shape.size(), 1);
  for (std::size_t d = 1; d < shape.size(); ++d)
    strides[d] = strides[d - 1] * std::max<std::int64_t>(shape[d - 1], 1);
  return strides;
}

std::vector<std::int64_t> strides_of(Layout layout, const std::vector<std::int64_t>& shape) {
  const std::int64_t row = shape.empty() ? 1 : std::max<std::int64_t>(shape.back(), 1);
  switch (layout) {
    case Layout::pitched: return row_strides(shape, (row + kPitch) / kPitch * kPitch);
    case Layout::padded: return row_strides(shape, row + kPadding);
    case Layout::transposed: return transposed_strides(shape);
    default: return row_strides(shape, row);
  }
}

Layout layout_of_tensor(Layout layout, std::size_t number) {
  constexpr Layout kMixture[] = {Layout::padded, Layout::dense, Layout::misaligned};
  return layout == Layout::mixed ? kMixture[number % 3] : layout;
}

}  // namespace

const char* to_string(Layout layout) {
  switch (layout) {
    case Layout::dense: return "dense";
    case Layout::misaligned: return "misaligned";
    case Layout::pitched: return "pitched";
    case Layout::padded: return "padded";
    case Layout::transposed: return "transposed";
    case Layout::spread: return "spread";
    case Layout::mixed: return "mixed";
    case Layout::broadcast: return "broadcast";
  }
  return "?";
}

const Storage& storage_of(const std::string& dtype) {
  static const Storage kAll[] = {
      storage<bool>("bool"),         storage<std::int8_t>("i8"),    storage<std::int16_t>("i16"),
      storage<std::int32_t>("i32"),  storage<std::int64_t>("i64"),  storage<std::uint8_t>("u8"),
      storage<std::uint16_t>("u16"), storage<std::uint32_t>("u32"), storage<std::uint64_t>("u64"),
      storage<fp8_e4m3>("fp8_e4m3"), storage<fp8_e5m2>("fp8_e5m2"), storage<f16>("f16"),
      storage<bf16>("bf16"),         storage<float>("f32"),         storage<double>("f64")};
  const auto found = std::ranges::find(kAll, dtype, &Storage::name);
  if (found == std::end(kAll)) {
    std::fprintf(stderr, "sweep: no storage for the dtype %s\n", dtype.c_str());
    std::abort();
  }
  return *found;
}

Placement::Placement(Layout layout, const reference::TensorSpec& spec, std::vector<std::int64_t> shape,
                     std::size_t number)
    : storage_(storage_of(spec.dtype)), shape_(std::move(shape)) {
  const Layout own = layout_of_tensor(layout, number);
  strides_ = strides_of(own, shape_);
  if (own == Layout::spread) {
    for (std::int64_t& stride : strides_) stride *= 2;
  }
  if (own == Layout::broadcast && !spec.output && !shape_.empty())
    strides_[broadcast_dimension(number, shape_.size())] = 0;
  first_ = kGuardBytes / storage_.bytes + (own == Layout::misaligned ? 1 : 0);
  std::int64_t last = 0;
  for (std::size_t d = 0; d < shape_.size(); ++d)
    last += std::max<std::int64_t>(shape_[d] - 1, 0) * strides_[d];
  bytes_ = (first_ + last + 1) * storage_.bytes + kGuardBytes;
}

/// Calls body(position in row-major order, element of the allocation).
template <typename Body>
void Placement::visit(Body&& body) const {
  std::int64_t count = 1;
  for (const std::int64_t extent : shape_) count *= extent;
  std::vector<std::int64_t> index(shape_.size(), 0);
  std::int64_t element = first_;
  for (std::int64_t position = 0; position < count; ++position) {
    body(position, element);
    for (std::size_t d = shape_.size(); d-- > 0;) {
      element += strides_[d];
      if (++index[d] < shape_[d]) break;
      element -= strides_[d] * shape_[d];
      index[d] = 0;
    }
  }
}

TesseraTensor Placement::tensor(void* memory, std::int32_t device) const {
  TesseraTensor tensor{};
  tensor.data = static_cast<std::byte*>(memory) + first_ * storage_.bytes;
  tensor.rank = static_cast<std::int32_t>(shape_.size());
  std::ranges::copy(shape_, tensor.extent);
  std::ranges::copy(strides_, tensor.stride);
  tensor.dtype = storage_.dtype;
  tensor.device = device;
  return tensor;
}

std::vector<std::byte> Placement::write(const std::vector<double>& values) const {
  std::vector<std::byte> memory(static_cast<std::size_t>(bytes_), static_cast<std::byte>(kPoison));
  visit([&](std::int64_t position, std::int64_t element) {
    storage_.store(memory.data() + element * storage_.bytes, values[static_cast<std::size_t>(position)]);
  });
  return memory;
}

std::vector<double> Placement::take(std::vector<std::byte>& memory) const {
  std::vector<double> values;
  visit([&](std::int64_t, std::int64_t element) {
    std::byte* const at = memory.data() + element * storage_.bytes;
    values.push_back(storage_.load(at));
    std::memset(at, kPoison, static_cast<std::size_t>(storage_.bytes));
  });
  return values;
}

std::size_t broadcast_dimension(std::size_t number, std::size_t rank) { return number % rank; }

void repeat_values(reference::Problem& problem) {
  const std::vector<reference::TensorSpec>& tensors = problem.description().tensors;
  for (std::size_t number = 0; number < tensors.size(); ++number) {
    if (tensors[number].output || tensors[number].dims.empty()) continue;
    const std::vector<std::int64_t> shape = problem.shape(tensors[number].name);
    const std::size_t repeated = broadcast_dimension(number, shape.size());
    std::int64_t inner = 1;  // elements from one coordinate of the dimension to the next
    for (std::size_t d = repeated + 1; d < shape.size(); ++d) inner *= shape[d];
    std::vector<double>& values = problem.values(tensors[number].name);
    for (std::size_t i = 0; i < values.size(); ++i) {
      const auto position = static_cast<std::int64_t>(i);
      const std::int64_t coordinate = position / inner % shape[repeated];
      values[i] = values[static_cast<std::size_t>(position - coordinate * inner)];
    }
  }
}

}  // namespace tessera::sweep
