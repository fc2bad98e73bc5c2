// SPDX-License-Identifier: Apache-2.0
// Plain loops of tests/corners/beside.tsr: whole numbers, whose sums are exact.
#include "corners.h"

namespace tessera::reference {

namespace {

/// The sum over k of what two tensors have in their lines m and n.
double product(Problem& problem, int64_t m, int64_t n) {
  const auto a = problem.in("a"), b = problem.in("b");
  return total(problem.dim("K"), [&](int64_t k) { return a(m, k) * b(n, k); });
}

/// The sum of a line of a tensor.
double line(Problem& problem, const char* tensor, int64_t number, const char* along) {
  const auto x = problem.in(tensor);
  return total(problem.dim(along), [&](int64_t i) { return x(number, i); });
}

/// y(m, n) = value(m, n)
template <typename Value>
void matrix(Problem& problem, const Value& value) {
  const auto y = problem.out("y");
  for_matrix(problem.dim("M"), problem.dim("N"), [&](int64_t m, int64_t n) { y(m, n) = value(m, n); });
}

void beside_loop(Problem& problem) {
  const auto u = problem.in("u");
  matrix(problem,
         [&](int64_t m, int64_t n) { return product(problem, m, n) - u(m) * line(problem, "b", n, "K"); });
}

void beside_two_loops(Problem& problem) {
  const auto u = problem.in("u");
  matrix(problem, [&](int64_t m, int64_t n) {
    return u(m) * (1 + line(problem, "b", n, "K")) - product(problem, m, n);
  });
}

void beside_named(Problem& problem) {
  matrix(problem, [&](int64_t m, int64_t n) {
    return 2 * product(problem, m, n) + line(problem, "a", m, "K") + line(problem, "c", n, "J") +
           line(problem, "b", n, "K");
  });
}

void beside_other(Problem& problem) {
  const auto u = problem.in("u"), v = problem.in("v"), w = problem.in("w");
  const int64_t J = problem.dim("J");
  const double all = total(J, [&](int64_t j) { return u(j); });
  matrix(problem, [&](int64_t m, int64_t n) {
    double most = J == 0 ? 3 : w(n, 0);
    for (int64_t j = 1; j < J; ++j) most = std::max<double>(most, w(n, j));
    return product(problem, m, n) + all * total(J, [&](int64_t j) { return v(m, j) * u(j); }) + most;
  });
}

void beside_groups(Problem& problem) {
  const auto a = problem.in("a"), b = problem.in("b"), v = problem.in("v");
  matrix(problem, [&](int64_t m, int64_t n) {
    return total(problem.dim("J"), [&](int64_t j) {
      const double scale = total(problem.dim("L"), [&](int64_t l) { return v(m, j, l); });
      return total(problem.dim("K"), [&](int64_t k) { return (a(m, j, k) * scale - 1) * b(n, j, k); });
    });
  });
}

void beside_shifted(Problem& problem) {
  const auto a = problem.in("a"), b = problem.in("b");
  const int64_t K = problem.dim("K");
  matrix(problem, [&](int64_t m, int64_t n) {
    double top = K == 0 ? 0 : a(m, 0);
    for (int64_t k = 1; k < K; ++k) top = std::max<double>(top, a(m, k));
    return total(K, [&](int64_t k) { return (a(m, k) - top) * b(n, k); }) + line(problem, "a", m, "K");
  });
}

void beside_each(Problem& problem) {
  const auto a = problem.in("a"), v = problem.in("v");
  const int64_t K = problem.dim("K"), J = problem.dim("J");
  matrix(problem, [&](int64_t m, int64_t n) {
    const auto sum = [&](int64_t j) { return total(K, [&](int64_t k) { return a(m, k) * v(k, j); }); };
    double most = J == 0 ? 5 : sum(0);
    for (int64_t j = 1; j < J; ++j) most = std::max(most, sum(j));
    return product(problem, m, n) + most;
  });
}

}  // namespace

void add_beside_cases(std::vector<Case>& cases) {
  const auto add = [&](const char* kernel, std::vector<std::string> more, std::vector<TensorSpec> tensors,
                       const char* dtype, void reference(Problem&)) {
    std::vector<std::string> symbols = {"M", "N", "K"};
    symbols.insert(symbols.end(), more.begin(), more.end());
    tensors.push_back(output("y", dtype, {"M", "N"}));
    cases.push_back(corner("beside.tsr", kernel, std::move(symbols), std::move(tensors), reference));
    cases.back().allowed = few_terms;
  };
  const auto whole = [](const char* name, const char* dtype, std::vector<std::string> dims) {
    return input(name, dtype, std::move(dims), -4, 4, 1);
  };
  add("beside_loop", {}, {bytes("a", {"M", "K"}), bytes("b", {"N", "K"}), small("u", {"M"})}, "i32",
      beside_loop);
  add("beside_two_loops", {},
      {whole("a", "bf16", {"M", "K"}), whole("b", "bf16", {"N", "K"}), whole("u", "f32", {"M"})}, "f32",
      beside_two_loops);
  add("beside_named", {"J"},
      {whole("a", "bf16", {"M", "K"}), whole("b", "bf16", {"N", "K"}), whole("c", "bf16", {"N", "J"})}, "f32",
      beside_named);
  add("beside_other", {"J"},
      {whole("a", "f16", {"M", "K"}), whole("b", "f16", {"N", "K"}), whole("u", "f32", {"J"}),
       whole("v", "f32", {"M", "J"}), whole("w", "f32", {"N", "J"})},
      "f32", beside_other);
  add("beside_groups", {"J", "L"},
      {bytes("a", {"M", "J", "K"}), bytes("b", {"N", "J", "K"}), small("v", {"M", "J", "L"})}, "i32",
      beside_groups);
  add("beside_shifted", {}, {whole("a", "bf16", {"M", "K"}), whole("b", "bf16", {"N", "K"})}, "f32",
      beside_shifted);
  add("beside_each", {"J"},
      {whole("a", "bf16", {"M", "K"}), whole("b", "bf16", {"N", "K"}), whole("v", "f32", {"K", "J"})}, "f32",
      beside_each);
}

}  // namespace tessera::reference
