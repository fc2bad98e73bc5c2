// SPDX-License-Identifier: Apache-2.0
// Plain loops of tests/corners/doubles.tsr: whole numbers, whose sums are exact.
#include <algorithm>

#include "corners.h"

namespace tessera::reference {

namespace {

void negated(Problem& problem) {
  const auto a = problem.in("a"), b = problem.in("b"), r = problem.in("r"), bias = problem.in("bias");
  const auto y = problem.out("y"), z = problem.out("z");
  for_matrix(problem.dim("M"), problem.dim("N"), [&](int64_t m, int64_t n) {
    const double sum = 0 - total(problem.dim("K"), [&](int64_t k) { return a(m, k) * b(k, n); });
    y(m, n) = sum + r(m, n) * bias(n);
    z(n, m) = sum;
  });
}

void in_turn(Problem& problem) {
  constexpr double kLeast = -1000000;
  const auto a = problem.in("a"), b = problem.in("b");
  const auto y = problem.out("y");
  for_matrix(problem.dim("B"), problem.dim("M"), [&](int64_t i, int64_t m) {
    double top = kLeast;
    for (int64_t n = 0; n < problem.dim("N"); ++n)
      top = std::max(top, total(problem.dim("K"), [&](int64_t k) { return a(i, m, k) * b(i, n, k); }));
    y(i, m) = top;
  });
}

TensorSpec whole(std::string name, std::vector<std::string> dims) {
  return input(std::move(name), "f64", std::move(dims), -9, 9, 1);
}

}  // namespace

void add_double_cases(std::vector<Case>& cases) {
  const auto add = [&](const char* kernel, std::vector<std::string> symbols, std::vector<TensorSpec> tensors,
                       void reference(Problem&)) {
    cases.push_back(corner("doubles.tsr", kernel, std::move(symbols), std::move(tensors), reference));
    cases.back().allowed = few_terms;
    cases.back().exactness = Exactness::kEqual;
  };
  add("doubles_negated", {"M", "N", "K"},
      {whole("a", {"M", "K"}), whole("b", {"K", "N"}), whole("r", {"M", "N"}), whole("bias", {"N"}),
       output("y", "f64", {"M", "N"}), output("z", "f64", {"N", "M"})},
      negated);
  add("doubles_in_turn", {"B", "M", "N", "K"},
      {whole("a", {"B", "M", "K"}), whole("b", {"B", "N", "K"}), output("y", "f64", {"B", "M"})}, in_turn);
  cases.back().allowed = [](const Sizes& sizes) { return few_terms(sizes) && sizes.at("B") <= 7; };
  add("doubles_in_parts", {"B", "M", "N", "J", "K"},
      {whole("a", {"B", "M", "J", "K"}), whole("b", {"J", "N", "K"}), whole("scale", {"J"}),
       output("y", "f32", {"B", "N", "M"})},
      scaled_parts);
  cases.back().allowed = [](const Sizes& sizes) {  // each of them takes a whole tile
    return few_terms(sizes) && sizes.at("B") * sizes.at("J") <= 7;
  };
}

}  // namespace tessera::reference
