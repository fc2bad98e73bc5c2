// SPDX-License-Identifier: Apache-2.0
// Plain loops of tests/corners/early.tsr: whole numbers, whose sums are exact.
#include "corners.h"

namespace tessera::reference {

namespace {

/// y(m, n) = the sum over j of term(m, n, j), a whole number.
template <typename Term>
void summed_over_groups(Problem& problem, const Term& term) {
  const auto y = problem.out("y");
  for_matrix(problem.dim("M"), problem.dim("N"), [&](int64_t m, int64_t n) {
    y(m, n) = total(problem.dim("J"), [&](int64_t j) { return term(m, n, j); });
  });
}

/// The sum over k of the products of two tensors in a group.
double product_of_group(Problem& problem, const char* left, const char* right, int64_t m, int64_t n,
                        int64_t j) {
  const auto a = problem.in(left), b = problem.in(right);
  return total(problem.dim("K"), [&](int64_t k) { return a(m, j, k) * b(n, j, k); });
}

void early_scales(Problem& problem) {
  const auto u = problem.in("u"), v = problem.in("v");
  summed_over_groups(problem, [&](int64_t m, int64_t n, int64_t j) {
    return product_of_group(problem, "a", "b", m, n, j) * u(m, j) * v(n, j);
  });
}

void early_shifts(Problem& problem) {
  const auto u = problem.in("u"), v = problem.in("v"), w = problem.in("w");
  summed_over_groups(problem, [&](int64_t m, int64_t n, int64_t j) {
    return (product_of_group(problem, "a", "b", m, n, j) + w(n, j) * u(m, j)) * (2 * v(n, j) + 1);
  });
}

void early_twice(Problem& problem) {
  const auto v = problem.in("v");
  summed_over_groups(problem, [&](int64_t m, int64_t n, int64_t j) {
    return product_of_group(problem, "a", "b", m, n, j) * v(n, j) +
           product_of_group(problem, "a", "c", m, n, j) - v(n, j);
  });
}

void early_of_held(Problem& problem) {
  const auto v = problem.in("v"), w = problem.in("w");
  summed_over_groups(problem, [&](int64_t m, int64_t n, int64_t j) {
    return product_of_group(problem, "a", "b", m, n, j) * v(n) * w(n, j) + v(n) + w(n, j);
  });
}

void early_later(Problem& problem) {
  const auto v = problem.in("v");
  summed_over_groups(problem, [&](int64_t m, int64_t n, int64_t j) {
    const double part = product_of_group(problem, "a", "b", m, n, j);
    return part + (part + 1) * v(n, j, 0) - v(n, j, 1);
  });
}

void early_of_product(Problem& problem) {
  const auto u = problem.in("u"), v = problem.in("v");
  summed_over_groups(problem, [&](int64_t m, int64_t n, int64_t j) {
    return product_of_group(problem, "a", "b", m, n, j) * (2 * v(n, j) + 1) + u(m, j) * v(n, j);
  });
}

}  // namespace

void add_early_cases(std::vector<Case>& cases) {
  const auto add = [&](const char* kernel, std::vector<TensorSpec> tensors, void reference(Problem&)) {
    tensors.push_back(output("y", "f32", {"M", "N"}));
    cases.push_back(corner("early.tsr", kernel, {"M", "N", "J", "K"}, std::move(tensors), reference));
    cases.back().allowed = [](const Sizes& sizes) { return few_terms(sizes) && sizes.at("J") <= 7; };
  };
  const auto factor = [](const char* name, const char* dtype, const char* lines) {
    return input(name, dtype, {lines, "J", "K"}, -8, 8, 1);
  };
  add("early_scales",
      {factor("a", "i8", "M"), factor("b", "i8", "N"), input("u", "bf16", {"M", "J"}, -2, 2, 1),
       input("v", "f16", {"N", "J"}, -2, 2, 1)},
      early_scales);
  add("early_shifts",
      {factor("a", "i8", "M"), factor("b", "i8", "N"), input("u", "i8", {"M", "J"}, -9, 9, 1),
       input("v", "bf16", {"N", "J"}, -2, 2, 1), input("w", "i32", {"N", "J"}, -9, 9, 1)},
      early_shifts);
  add("early_twice",
      {factor("a", "f16", "M"), factor("b", "f16", "N"), factor("c", "f16", "N"),
       input("v", "f16", {"N", "J"}, -2, 2, 1)},
      early_twice);
  add("early_of_held",
      {factor("a", "i8", "M"), factor("b", "i8", "N"), input("v", "f32", {"N"}, -2, 2, 1),
       input("w", "bf16", {"N", "J"}, -2, 2, 1)},
      early_of_held);
  add("early_later",
      {factor("a", "i8", "M"), factor("b", "i8", "N"), input("v", "f32", {"N", "J", "2"}, -2, 2, 1)},
      early_later);
  add("early_of_product",
      {factor("a", "bf16", "M"), factor("b", "bf16", "N"), input("u", "bf16", {"M", "J"}, -2, 2, 1),
       input("v", "f32", {"N", "J"}, -2, 2, 1)},
      early_of_product);
}

}  // namespace tessera::reference
