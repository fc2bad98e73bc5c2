// SPDX-License-Identifier: Apache-2.0
// What products are compared with: plain loops.
#pragma once

#include "example.h"

namespace example {

/// The values of an array.
template <typename T>
std::vector<double> widen_all(const std::vector<T>& values) {
  std::vector<double> result(values.size());
  for (std::size_t i = 0; i < values.size(); ++i) result[i] = widen(values[i]);
  return result;
}

/// Sums of products, and what the magnitudes of their terms add up to.
struct Sums {
  std::vector<double> value, magnitude;
};

/// A row of K elements times a matrix of K rows and N columns. Sums in long double leave f64 something to be
/// compared with.
inline Sums multiply(const double* row, const double* matrix, index K, index N) {
  std::vector<long double> value(N), magnitude(N);
  for (index k = 0; k < K; ++k) {
    for (index n = 0; n < N; ++n) {
      const long double term = static_cast<long double>(row[k]) * matrix[k * N + n];
      value[n] += term;
      magnitude[n] += std::abs(term);
    }
  }
  return {{value.begin(), value.end()}, {magnitude.begin(), magnitude.end()}};
}

/// Compares rows on all cores: `compare_row(row, comparison)` adds the elements of one of them.
template <typename CompareRow>
Comparison compare_rows(index rows, const CompareRow& compare_row) {
  std::vector<Comparison> of_row(rows);
  parallel(rows, [&](index row) { compare_row(row, of_row[row]); });
  Comparison comparison;
  for (const Comparison& one : of_row) comparison.add(one);
  return comparison;
}

}  // namespace example
