// SPDX-License-Identifier: Apache-2.0
// Arrays on the host: what kernels are run on here, how they are filled and compared.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/dtype.h"

namespace tessera::interp {

/// A dense array in C order (the last dimension varies fastest), each element in the storage of its type.
struct Array {
  DType dtype = DType::f32;
  std::vector<int64_t> extents;  ///< none for a single element
  std::vector<std::byte> data;   ///< count() elements of size_in_bytes(dtype)

  /// An array of zeros. Extents are at least 0; packed types are not allowed.
  static Array zeros(DType dtype, std::vector<int64_t> extents);

  int64_t count() const;
  template <typename T>
  T* as() {
    return reinterpret_cast<T*>(data.data());
  }
  template <typename T>
  const T* as() const {
    return reinterpret_cast<const T*>(data.data());
  }
};

/// Element `position` (in C order) as a number; 64-bit integers beyond 2^53 are rounded.
double element_as_double(const Array& array, int64_t position);
/// Rounds `value` to the array's type (integers truncate and saturate) and stores it.
void set_element(Array& array, int64_t position, double value);

/// Numbers evenly from [low, high), rounded to the array's type; bool is true with probability 1/2. Floats
/// may round up to `high`. The same seed gives the same bits everywhere.
void fill_random(Array& array, uint64_t seed, double low, double high);

/// Sets every byte to `byte`: outputs are poisoned so that an unwritten element shows.
void fill_bytes(Array& array, std::byte byte);

/// The position as indices: "[3, 4]".
std::string spell_position(const std::vector<int64_t>& extents, int64_t position);

/// What distinguishes two arrays of one type and shape.
struct Difference {
  int64_t count = 0;             ///< elements that differ (or miss their bound)
  std::optional<int64_t> first;  ///< position of the first one
  double largest_error = 0;      ///< largest |a - b|
  double largest_ratio = 0;      ///< largest |a - b| / bound, where there is a bound
};

/// Compares bit by bit; NaNs of floating types are equal whatever their bits.
/// Both arrays have one type and shape.
Difference compare_bits(const Array& a, const Array& b);

/// Compares `actual` with `expected` (f64, as the interpreter gives it in its reference mode): an element is
/// right if |actual - expected| <= absolute + relative * |expected|, or both are NaN or the same infinity.
Difference compare_within(const Array& actual, const Array& expected, double relative, double absolute);

}  // namespace tessera::interp
