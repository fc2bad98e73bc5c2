// SPDX-License-Identifier: Apache-2.0
// Arrays on the host.
#include "interp/array.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <cstring>

#include "interp/random.h"
#include "interp/storage.h"

namespace tessera::interp {

namespace {

template <typename T>
bool same_element(T a, T b) {
  if constexpr (kIsNarrowFloat<T>) {
    return a.bits == b.bits || (std::isnan(to_float(a)) && std::isnan(to_float(b)));
  } else if constexpr (std::is_floating_point_v<T>) {
    return std::memcmp(&a, &b, sizeof a) == 0 || (std::isnan(a) && std::isnan(b));
  } else {
    return a == b;
  }
}

/// |a - b|, 0 for equal infinities and for two NaNs; NaN if only one is.
double distance(double a, double b) {
  if (a == b || (std::isnan(a) && std::isnan(b))) return 0;
  return std::abs(a - b);
}

void note_difference(Difference& difference, int64_t position) {
  ++difference.count;
  if (!difference.first) difference.first = position;
}

}  // namespace

Array Array::zeros(DType dtype, std::vector<int64_t> extents) {
  Array array{dtype, std::move(extents), {}};
  array.data.resize(static_cast<size_t>(array.count()) * size_in_bytes(dtype));
  return array;
}

int64_t Array::count() const {
  int64_t count = 1;
  for (const int64_t extent : extents) count *= extent;
  return count;
}

double element_as_double(const Array& array, int64_t position) {
  return with_storage(array.dtype, [&](auto tag) {
    using T = typename decltype(tag)::Type;
    return convert<double>(array.as<T>()[position]);
  });
}

void set_element(Array& array, int64_t position, double value) {
  with_storage(array.dtype, [&](auto tag) {
    using T = typename decltype(tag)::Type;
    array.as<T>()[position] = convert<T>(value);
  });
}

void fill_random(Array& array, uint64_t seed, double low, double high) {
  Random random(seed);
  const int64_t count = array.count();
  with_storage(array.dtype, [&](auto tag) {
    using T = typename decltype(tag)::Type;
    T* elements = array.as<T>();
    for (int64_t i = 0; i < count; ++i) {
      if constexpr (std::is_same_v<T, bool>) {
        elements[i] = random.uniform() < 0.5;
      } else if constexpr (std::is_integral_v<T>) {
        elements[i] = convert<T>(std::floor(low + (high - low) * random.uniform()));
      } else {
        elements[i] = convert<T>(low + (high - low) * random.uniform());
      }
    }
  });
}

void fill_bytes(Array& array, std::byte byte) { std::fill(array.data.begin(), array.data.end(), byte); }

std::string spell_position(const std::vector<int64_t>& extents, int64_t position) {
  std::vector<int64_t> indices(extents.size());
  for (size_t d = extents.size(); d-- > 0;) {
    indices[d] = position % extents[d];
    position /= extents[d];
  }
  return fmt::format("[{}]", fmt::join(indices, ", "));
}

Difference compare_bits(const Array& a, const Array& b) {
  TESSERA_CHECK(a.dtype == b.dtype && a.extents == b.extents, "compared arrays have one type and shape");
  Difference difference;
  const int64_t count = a.count();
  with_storage(a.dtype, [&](auto tag) {
    using T = typename decltype(tag)::Type;
    for (int64_t i = 0; i < count; ++i) {
      if (same_element(a.as<T>()[i], b.as<T>()[i])) continue;
      note_difference(difference, i);
      const double error = distance(convert<double>(a.as<T>()[i]), convert<double>(b.as<T>()[i]));
      difference.largest_error = std::max(difference.largest_error, error);
    }
  });
  return difference;
}

Difference compare_within(const Array& actual, const Array& expected, double relative, double absolute) {
  TESSERA_CHECK(actual.extents == expected.extents, "compared arrays have one shape");
  Difference difference;
  const int64_t count = actual.count();
  for (int64_t i = 0; i < count; ++i) {
    const double wanted = element_as_double(expected, i);
    const double error = distance(element_as_double(actual, i), wanted);
    const double bound = absolute + relative * std::abs(wanted);
    const bool is_right = error == 0 || (std::isfinite(error) && error <= bound);
    if (!is_right) note_difference(difference, i);
    difference.largest_error = std::max(difference.largest_error, error);
    if (bound > 0) difference.largest_ratio = std::max(difference.largest_ratio, error / bound);
  }
  return difference;
}

}  // namespace tessera::interp
