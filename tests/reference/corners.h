// SPDX-License-Identifier: Apache-2.0
// What the cases of tests/corners share.
#pragma once

#include <algorithm>
#include <cmath>

#include "reference.h"

namespace tessera::reference {

using std::int64_t;

inline TensorSpec small(std::string name, std::vector<std::string> dims) {
  return input(std::move(name), "i32", std::move(dims), -9, 9);
}

inline TensorSpec result(std::string name, std::vector<std::string> dims) {
  return output(std::move(name), "i32", std::move(dims));
}

inline TensorSpec bytes(std::string name, std::vector<std::string> dims) {
  return input(std::move(name), "i8", std::move(dims), -9, 9);
}

/// The sum of `term(k)` for k below `count`.
template <class Term>
double total(int64_t count, Term term) {
  double sum = 0;
  for (int64_t k = 0; k < count; ++k) sum += term(k);
  return sum;
}

/// A float with the 11 digits of tf32: to nearest, ties to even.
inline double shortened(double value) {
  int exponent = 0;
  const double mantissa = std::frexp(value, &exponent);
  return std::ldexp(std::nearbyint(std::ldexp(mantissa, 11)), exponent - 11);
}

/// Calls `body(m, n)` for every element of a matrix.
template <class Body>
void for_matrix(int64_t rows, int64_t columns, Body body) {
  for (int64_t m = 0; m < rows; ++m)
    for (int64_t n = 0; n < columns; ++n) body(m, n);
}

/// So many terms of products take the twin about as long as other kernels.
inline bool few_terms(const Sizes& sizes) {
  int64_t terms = 1;
  for (const auto& [symbol, extent] : sizes) terms *= std::max<int64_t>(extent, 1);
  return terms <= int64_t{1} << 13;
}

inline Case corner(const char* file, const char* kernel, std::vector<std::string> symbols,
                   std::vector<TensorSpec> tensors, void reference(Problem&)) {
  return {
      .name = kernel,
      .file = std::string("tests/corners/") + file,
      .kernel = kernel,
      .symbols = std::move(symbols),
      .tensors = std::move(tensors),
      .reference = reference,
  };
}

inline bool has_columns(const Sizes& sizes) { return sizes.at("C") >= 1; }

inline int64_t around(int64_t i, int64_t extent) { return (i % extent + extent) % extent; }

/// `scale[j] * sum[k](a[z, m, j, k] * b[j, n, k])`, summed over j.
inline void scaled_parts(Problem& problem) {
  const auto a = problem.in("a"), b = problem.in("b"), scale = problem.in("scale");
  const auto y = problem.out("y");
  for (int64_t z = 0; z < problem.dim("B"); ++z)
    for_matrix(problem.dim("M"), problem.dim("N"), [&](int64_t m, int64_t n) {
      y(z, n, m) = total(problem.dim("J"), [&](int64_t j) {
        return scale(j) * total(problem.dim("K"), [&](int64_t k) { return a(z, m, j, k) * b(j, n, k); });
      });
    });
}

/// Cases of tests/corners/doubles.tsr.
void add_double_cases(std::vector<Case>& cases);
/// Cases of tests/corners/beside.tsr.
void add_beside_cases(std::vector<Case>& cases);
/// Cases of tests/corners/early.tsr.
void add_early_cases(std::vector<Case>& cases);
/// Cases of tests/corners/held.tsr.
void add_held_cases(std::vector<Case>& cases);
/// Cases of tests/corners/held_rows.tsr.
void add_held_row_cases(std::vector<Case>& cases);
/// Cases of tests/corners/line_folds.tsr.
void add_line_fold_cases(std::vector<Case>& cases);
/// Cases of tests/corners/lines.tsr.
void add_line_cases(std::vector<Case>& cases);
/// Cases of tests/corners/products.tsr.
void add_product_cases(std::vector<Case>& cases);

/// Cases of tests/corners/contractions.tsr.
void add_contraction_cases(std::vector<Case>& cases);

/// Cases of tests/corners/numbers.tsr.
void add_number_cases(std::vector<Case>& cases);

/// Cases of tests/corners/relations.tsr.
void add_relation_cases(std::vector<Case>& cases);

/// Cases of tests/corners/turned.tsr.
void add_turned_cases(std::vector<Case>& cases);

/// Cases of tests/corners/warpgroups.tsr.
void add_warpgroup_cases(std::vector<Case>& cases);

/// Cases of tests/corners/computed_factors.tsr.
void add_computed_factor_cases(std::vector<Case>& cases);

}  // namespace tessera::reference
