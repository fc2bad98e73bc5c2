// SPDX-License-Identifier: Apache-2.0
// The matrices of a product: random factors, poisoned results, and the comparison with f64.
#pragma once

#include <cstdint>
#include <vector>

#include "cases.h"
#include "cuda.h"

namespace bench {

/// Where the elements of a matrix lie.
struct Layout {
  std::int64_t rows = 0, columns = 0;
  bool by_columns = false;
  std::int64_t pitch = 0;

  __host__ __device__ std::int64_t lines() const { return by_columns ? columns : rows; }
  __host__ __device__ std::int64_t length() const { return by_columns ? rows : columns; }
  __host__ __device__ std::int64_t line_stride() const { return length() + pitch; }
  __host__ __device__ std::int64_t row_stride() const { return by_columns ? 1 : line_stride(); }
  __host__ __device__ std::int64_t column_stride() const { return by_columns ? line_stride() : 1; }
  std::int64_t elements() const { return lines() * line_stride(); }
};

/// What a comparison found. `ok` is whether all elements are written and those looked at are near enough.
struct Outcome {
  double error = 0;            ///< the greatest difference, relative to the greatest result
  unsigned long long far = 0;  ///< elements farther away than the type permits, of those looked at
  unsigned long long unwritten = 0;

  bool ok() const { return far == 0 && unwritten == 0; }
};

/// One or more sets of random matrices; launches take turns among them, so that no factor waits in the cache.
class Operands {
 public:
  Operands(const Case& product, Shape shape, Orders orders, std::int64_t pitch, int sets);

  const Layout& a() const { return a_; }
  const Layout& b() const { return b_; }
  const Layout& c() const { return c_; }
  int sets() const { return static_cast<int>(sets_.size()); }
  void* a_data(int set) const { return sets_[static_cast<std::size_t>(set)].a.data(); }
  void* b_data(int set) const { return sets_[static_cast<std::size_t>(set)].b.data(); }
  void* c_data(int set) const { return sets_[static_cast<std::size_t>(set)].c.data(); }
  void* bias() const { return bias_.data(); }

  /// Fills the results of a set with what no product gives.
  void poison(int set) const;
  /// Compares the results of a set, some of them with a product in f64, after all work of the device. The library may
  /// add parts of a sum in the type of results, and its GELU is by tanh or of rounded sums: it is permitted as much.
  Outcome compare(int set, bool of_library) const;

 private:
  struct Set {
    Buffer a, b, c;
  };

  Case product_;
  Layout a_, b_, c_;
  std::vector<Set> sets_;
  Buffer bias_;
};

/// Bytes that a product must move at least: each matrix once.
std::int64_t bytes_of(const Type& type, const Shape& shape);

/// y = gelu(y) on rows of bf16, in the order of the stream: what stands behind a library's product in two kernels.
void gelu_in_place(void* data, std::int64_t elements, cudaStream_t stream);

}  // namespace bench
