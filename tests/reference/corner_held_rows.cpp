// SPDX-License-Identifier: Apache-2.0
// Plain loops of tests/corners/held_rows.tsr: whole numbers, which f16 holds where rows are rounded.
#include <algorithm>
#include <vector>

#include "corners.h"

namespace tessera::reference {

namespace {

void adapted(Problem& problem) {
  const auto x = problem.in("x"), w = problem.in("w"), a = problem.in("a"), b = problem.in("b");
  const auto y = problem.out("y");
  const int64_t K = problem.dim("K");
  for_matrix(problem.dim("M"), problem.dim("N"), [&](int64_t m, int64_t n) {
    const double low = total(problem.dim("R"), [&](int64_t r) {
      return total(K, [&](int64_t k) { return x(m, k) * a(k, r); }) * b(r, n);
    });
    y(m, n) = total(K, [&](int64_t k) { return x(m, k) * w(k, n); }) - 2 * low;
  });
}

void weighted(Problem& problem) {
  const auto q = problem.in("q"), k = problem.in("k"), v = problem.in("v"), bias = problem.in("bias");
  const auto o = problem.out("o"), weights = problem.out("weights");
  const int64_t T = problem.dim("T"), D = problem.dim("D");
  for_matrix(problem.dim("H"), problem.dim("S"), [&](int64_t h, int64_t s) {
    std::vector<double> p;
    for (int64_t t = 0; t < T; ++t)
      p.push_back(
          std::max(0.0, total(D, [&](int64_t d) { return q(h, s, d) * k(h / 2, t, d); }) + bias(s, t)));
    const auto weight = [&](int64_t t) { return p[static_cast<std::size_t>(t)]; };
    weights(h, s) = total(T, weight);
    for (int64_t d = 0; d < D; ++d)
      o(h, s, d) = total(T, [&](int64_t t) { return weight(t) * v(h / 2, d, t); });
  });
}

void seen(Problem& problem) {
  const auto q = problem.in("q"), k = problem.in("k"), v = problem.in("v");
  const auto o = problem.out("o");
  const int64_t D = problem.dim("D");
  for_matrix(problem.dim("B"), problem.dim("S"), [&](int64_t b, int64_t s) {
    double most = -9;
    std::vector<double> sums(static_cast<std::size_t>(D), 1);
    for (int64_t t = 0; t < s; ++t) {
      const double p = total(D, [&](int64_t d) { return q(b, s, d) * k(b, t, d); });
      most = std::max(most, p);
      for (int64_t d = 0; d < D; ++d) sums[static_cast<std::size_t>(d)] -= (p > 0 ? p : -1) * v(b, t, d);
    }
    for (int64_t d = 0; d < D; ++d) o(b, s, d) = sums[static_cast<std::size_t>(d)] + most;
  });
}

void of_three(Problem& problem) {
  const auto a = problem.in("a"), b = problem.in("b"), c = problem.in("c"), d = problem.in("d"),
             e = problem.in("e");
  const auto y = problem.out("y"), z = problem.out("z");
  const int64_t K = problem.dim("K"), R = problem.dim("R");
  for_matrix(problem.dim("M"), problem.dim("N"), [&](int64_t m, int64_t n) {
    std::vector<double> rows;
    for (int64_t r = 0; r < R; ++r) rows.push_back(total(K, [&](int64_t k) { return a(m, k) * b(k, r); }));
    const auto first = [&](int64_t r) { return rows[static_cast<std::size_t>(r)]; };
    y(m, n) = total(R, [&](int64_t r) { return first(r) * c(r, n); });
    z(m, n) = total(problem.dim("Q"), [&](int64_t q) {
      const double second = total(R, [&](int64_t r) { return first(r) * d(q, r); });
      return std::clamp(second, -9.0, 9.0) * e(q, n);
    });
  });
}

void in_rounds(Problem& problem) {
  const auto a = problem.in("a"), b = problem.in("b"), c = problem.in("c");
  const auto y = problem.out("y");
  const int64_t K = problem.dim("K");
  for_matrix(problem.dim("M"), problem.dim("N"), [&](int64_t m, int64_t n) {
    y(m, n) = total(problem.dim("R"), [&](int64_t r) {
      return c(r, n) * total(problem.dim("L"), [&](int64_t l) {
               const double inner = total(K, [&](int64_t k) { return a(l, m, k) * b(l, k, r); });
               return std::max(inner, 0.0) + std::clamp(inner, -3.0, 3.0);
             });
    });
  });
}

constexpr int kSlowProblems = 8;  // with many instances

TensorSpec signs(std::string name, std::vector<std::string> dims) {
  return input(std::move(name), "f16", std::move(dims), -1, 1, 1);
}

}  // namespace

void add_held_row_cases(std::vector<Case>& cases) {
  const auto add = [&](const char* kernel, std::vector<std::string> symbols, std::vector<TensorSpec> tensors,
                       void reference(Problem&), bool allowed(const Sizes&)) {
    cases.push_back(corner("held_rows.tsr", kernel, std::move(symbols), std::move(tensors), reference));
    cases.back().allowed = allowed;
  };
  const TensorSpec y = output("y", "f32", {"M", "N"});
  add("rows_adapted", {"M", "N", "K", "R"},
      {signs("x", {"M", "K"}), signs("w", {"K", "N"}), signs("a", {"K", "R"}), signs("b", {"R", "N"}), y},
      adapted, [](const Sizes& sizes) { return sizes.at("R") <= 96 && few_terms(sizes); });
  add("rows_weighted", {"P", "S", "T", "D"},
      {signs("q", {"H", "S", "D"}), signs("k", {"P", "T", "D"}), signs("v", {"P", "D", "T"}),
       input("bias", "f32", {"S", "T"}, -9, 9, 1), output("o", "f32", {"H", "S", "D"}),
       output("weights", "f32", {"H", "S"})},
      weighted, [](const Sizes& sizes) { return sizes.at("D") <= 80 && few_terms(sizes); });
  cases.back().derived = {{"H", [](const Sizes& sizes) { return 2 * sizes.at("P"); }}};
  cases.back().problems = kSlowProblems;
  add("rows_seen", {"B", "S"},
      {signs("q", {"B", "S", "D"}), signs("k", {"B", "S", "D"}), signs("v", {"B", "S", "D"}),
       output("o", "f32", {"B", "S", "D"})},
      seen, [](const Sizes& sizes) { return sizes.at("B") * sizes.at("S") * sizes.at("S") <= 70000; });
  // The values that D may have take turns.
  cases.back().derived = {
      {"D", [](const Sizes& sizes) { return 64 << (sizes.at("B") + sizes.at("S")) % 2; }}};
  cases.back().problems = kSlowProblems;
  add("rows_of_three", {"M", "N", "K", "R", "Q"},
      {signs("a", {"M", "K"}), signs("b", {"K", "R"}), signs("c", {"R", "N"}), signs("d", {"Q", "R"}),
       signs("e", {"Q", "N"}), y, output("z", "f32", {"M", "N"})},
      of_three,
      [](const Sizes& sizes) { return sizes.at("R") <= 64 && sizes.at("Q") <= 32 && few_terms(sizes); });
  add("rows_in_rounds", {"L", "M", "N", "K", "R"},
      {signs("a", {"L", "M", "K"}), signs("b", {"L", "K", "R"}), signs("c", {"R", "N"}), y}, in_rounds,
      [](const Sizes& sizes) { return sizes.at("R") <= 64 && few_terms(sizes); });
  cases.back().problems = kSlowProblems;
}

}  // namespace tessera::reference
