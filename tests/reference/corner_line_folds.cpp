// SPDX-License-Identifier: Apache-2.0
// Plain loops of tests/corners/line_folds.tsr: whole numbers, whose sums are exact in f32.
#include <algorithm>

#include "corners.h"

namespace tessera::reference {

namespace {

void beside(Problem& problem) {
  const auto a = problem.in("a"), b = problem.in("b");
  const auto y = problem.out("y");
  const int64_t K = problem.dim("K");
  for_matrix(problem.dim("M"), problem.dim("N"), [&](int64_t m, int64_t n) {
    const double squares = 1 + total(K, [&](int64_t k) { return a(m, k) * a(m, k); });
    double most = -9;
    for (int64_t k = 0; k < K; ++k) most = std::max(most, a(m, k));
    const double above = total(K, [&](int64_t k) { return b(k, n) > 1 ? b(k, n) : 0; });
    y(m, n) = total(K, [&](int64_t k) { return a(m, k) * b(k, n); }) + squares * most - above;
  });
}

void ahead(Problem& problem) {
  const auto x = problem.in("x"), gain = problem.in("gain"), w = problem.in("w");
  const auto y = problem.out("y");
  const int64_t K = problem.dim("K");
  for_matrix(problem.dim("M"), problem.dim("N"), [&](int64_t m, int64_t n) {
    const double all = total(K, [&](int64_t k) { return x(k, m) * x(k, m) + gain(k); });
    y(m, n) = total(K, [&](int64_t k) { return x(k, m) * gain(k) * w(n, k); }) - all;
  });
}

void before(Problem& problem) {
  const auto x = problem.in("x"), w = problem.in("w"), turn = problem.in("turn");
  const auto y = problem.out("y");
  const int64_t K = problem.dim("K");
  for (int64_t b = 0; b < problem.dim("B"); ++b) {
    for_matrix(problem.dim("M"), problem.dim("N"), [&](int64_t m, int64_t n) {
      double top = x(b, m, 0), far = -100;
      for (int64_t k = 1; k < K; ++k) top = std::max(top, x(b, m, k));
      for (int64_t k = 0; k < K; ++k) far = std::max(far, top - x(b, m, k) + turn(b, m));
      y(b, m, n) = total(K, [&](int64_t k) { return (x(b, m, k) - top) * far * w(b, k, n); }) + far;
    });
  }
}

void apart(Problem& problem) {
  const auto a = problem.in("a"), b = problem.in("b"), c = problem.in("c"), d = problem.in("d");
  const auto y = problem.out("y");
  const int64_t K = problem.dim("K");
  for_matrix(problem.dim("M"), problem.dim("N"), [&](int64_t m, int64_t n) {
    int64_t at = 0;
    double least = 9;
    for (int64_t k = 0; k < K; ++k) {
      if (d(k, n) > d(at, n)) at = k;
      if (c(m, k) > 0) least = std::min(least, c(m, k));
    }
    y(m, n) = total(K, [&](int64_t k) { return a(m, k) * b(n, k); }) + static_cast<double>(at) * least;
  });
}

void each_round(Problem& problem) {
  constexpr int64_t kBlock = 64;
  const auto a = problem.in("a"), b = problem.in("b");
  const auto y = problem.out("y");
  const int64_t K = problem.dim("K");
  for_matrix(problem.dim("M"), problem.dim("N"), [&](int64_t m, int64_t n) {
    double most = 0;
    for (int64_t first = 0; first < K; first += kBlock) {
      double top = b(n, first);
      for (int64_t k = first; k < std::min(K, first + kBlock); ++k) top = std::max(top, b(n, k));
      most += top;
    }
    y(m, n) = total(K, [&](int64_t k) { return 2 * a(m, k) * b(n, k); }) - most;
  });
}

void in_turn(Problem& problem) {
  const auto a = problem.in("a"), b = problem.in("b"), c = problem.in("c"), d = problem.in("d");
  const auto y = problem.out("y");
  const int64_t K = problem.dim("K");
  for_matrix(problem.dim("M"), problem.dim("N"), [&](int64_t m, int64_t n) {
    double top = a(m, 0);
    for (int64_t k = 1; k < K; ++k) top = std::max(top, a(m, k));
    const double columns = total(K, [&](int64_t k) { return b(n, k); });
    const double below = total(K, [&](int64_t k) { return top - a(m, k); });
    const double other = total(problem.dim("L"), [&](int64_t l) { return c(m, l) * d(n, l); });
    y(m, n) = total(K, [&](int64_t k) { return a(m, k) * b(n, k); }) - below + columns * top + other;
  });
}

void computed_in_turn(Problem& problem) {
  const auto x = problem.in("x"), c = problem.in("c"), w = problem.in("w");
  const auto y = problem.out("y");
  const int64_t K = problem.dim("K");
  for_matrix(problem.dim("M"), problem.dim("N"), [&](int64_t m, int64_t n) {
    double top = x(m, 0), least = x(m, 0);
    for (int64_t k = 1; k < K; ++k) {
      top = std::max(top, x(m, k));
      least = std::min(least, x(m, k));
    }
    y(m, n) = total(K, [&](int64_t k) { return (x(m, k) + c(m, k) - top - x(m, k) - least) * w(n, k); });
  });
}

void bytes(Problem& problem) {
  const auto a = problem.in("a"), b = problem.in("b"), left = problem.in("left"), right = problem.in("right");
  const auto y = problem.out("y");
  const int64_t K = problem.dim("K");
  for_matrix(problem.dim("M"), problem.dim("N"), [&](int64_t m, int64_t n) {
    const double rows = total(K, [&](int64_t k) { return a(m, k); });
    const double columns = total(K, [&](int64_t k) { return b(k, n); });
    y(m, n) = total(K, [&](int64_t k) { return a(m, k) * b(k, n); }) - right(n) * rows - left(m) * columns;
  });
}

constexpr int kSlowProblems = 6;  // whose instances in batches are many

bool has_terms(const Sizes& sizes) { return sizes.at("K") >= 1 && few_terms(sizes); }

TensorSpec small(std::string name, const char* type, std::vector<std::string> dims) {
  return input(std::move(name), type, std::move(dims), -3, 3, 1);
}

}  // namespace

void add_line_fold_cases(std::vector<Case>& cases) {
  const auto add = [&](const char* kernel, std::vector<std::string> symbols, std::vector<TensorSpec> tensors,
                       void reference(Problem&), bool allowed(const Sizes&)) {
    cases.push_back(corner("line_folds.tsr", kernel, std::move(symbols), std::move(tensors), reference));
    cases.back().allowed = allowed;
  };
  const TensorSpec y = output("y", "f32", {"M", "N"});
  add("folded_beside", {"M", "N", "K"}, {small("a", "f16", {"M", "K"}), small("b", "f16", {"K", "N"}), y},
      beside, few_terms);
  add("folded_ahead", {"M", "N", "K"},
      {small("x", "bf16", {"K", "M"}), small("gain", "f32", {"K"}), small("w", "bf16", {"N", "K"}), y}, ahead,
      few_terms);
  add("folded_before", {"B", "M", "N", "K"},
      {small("x", "bf16", {"B", "M", "K"}), small("w", "bf16", {"B", "K", "N"}),
       small("turn", "f32", {"B", "M"}), output("y", "f32", {"B", "M", "N"})},
      before, has_terms);
  cases.back().problems = kSlowProblems;
  add("folded_apart", {"M", "N", "K"},
      {small("a", "f16", {"M", "K"}), small("b", "f16", {"N", "K"}), small("c", "f32", {"M", "K"}),
       small("d", "bf16", {"K", "N"}), y},
      apart, has_terms);
  add("folded_each_round", {"M", "N", "K"}, {small("a", "f16", {"M", "K"}), small("b", "f16", {"N", "K"}), y},
      each_round, few_terms);
  add("folded_in_turn", {"M", "N", "K", "L"},
      {small("a", "f16", {"M", "K"}), small("b", "f16", {"N", "K"}), small("c", "f16", {"M", "L"}),
       small("d", "f16", {"N", "L"}), y},
      in_turn, has_terms);
  cases.back().problems = kSlowProblems;
  add("computed_in_turn", {"M", "N", "K"},
      {small("x", "bf16", {"M", "K"}), small("c", "bf16", {"M", "K"}), small("w", "bf16", {"N", "K"}), y},
      computed_in_turn, has_terms);
  add("folded_bytes", {"M", "N", "K"},
      {input("a", "u8", {"M", "K"}, 0, 3, 1), small("b", "i8", {"K", "N"}), small("left", "i32", {"M"}),
       small("right", "i32", {"N"}), result("y", {"M", "N"})},
      bytes, few_terms);
}

}  // namespace tessera::reference
