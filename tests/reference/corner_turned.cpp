// SPDX-License-Identifier: Apache-2.0
// Plain loops of tests/corners/turned.tsr: whole numbers, whose sums are exact.
#include <algorithm>

#include "corners.h"

namespace tessera::reference {

namespace {

void words(Problem& problem) {
  const auto a = problem.in("a"), b = problem.in("b"), scale = problem.in("scale"), bias = problem.in("bias");
  const auto y = problem.out("y"), z = problem.out("z");
  for_matrix(problem.dim("M"), problem.dim("N"), [&](int64_t m, int64_t n) {
    const double p =
        scale(m) * total(problem.dim("K"), [&](int64_t k) { return a(m, k) * b(k, n); }) + bias(n);
    y(m, n) = p;
    z(m, n) = std::max(p, 0.0);
  });
}

void promoted(Problem& problem) {
  const auto a = problem.in("a"), b = problem.in("b"), scale = problem.in("scale");
  const auto y = problem.out("y");
  for (int64_t z = 0; z < problem.dim("B"); ++z)
    for_matrix(problem.dim("M"), problem.dim("N"), [&](int64_t m, int64_t n) {
      y(z, m, n) =
          (1 + total(problem.dim("K"), [&](int64_t k) { return a(z, m, k) * b(z, k, n); })) * scale(z);
    });
}

void pair(Problem& problem) {
  const auto a = problem.in("a"), c = problem.in("c"), w = problem.in("w");
  const auto y = problem.out("y");
  for_matrix(problem.dim("M"), problem.dim("N"), [&](int64_t m, int64_t n) {
    y(m, n) = total(problem.dim("K"), [&](int64_t k) { return (a(m, k) - 3 * c(m, k)) * w(k, n); });
  });
}

void of_unsigned(Problem& problem) {
  const auto a = problem.in("a"), b = problem.in("b");
  const auto y = problem.out("y");
  for_matrix(problem.dim("M"), problem.dim("N"), [&](int64_t m, int64_t n) {
    double most = -1;
    for (int64_t j = 0; j < problem.dim("J"); ++j)
      most = std::max(most, total(problem.dim("K"), [&](int64_t k) { return a(m, k) * b(j, k, n); }));
    y(m, n) = most;
  });
}

void both_ways(Problem& problem) {
  const auto a = problem.in("a"), b = problem.in("b"), s = problem.in("s");
  const auto y = problem.out("y"), z = problem.out("z"), w = problem.out("w");
  for_matrix(problem.dim("M"), problem.dim("N"), [&](int64_t m, int64_t n) {
    const double p = s(n) * total(problem.dim("K"), [&](int64_t k) { return a(m, k) * b(n, k); });
    y(m, n) = p;
    z(n, m) = p;
    w(n, m) = p;
  });
}

}  // namespace

void add_turned_cases(std::vector<Case>& cases) {
  const auto add = [&](const char* kernel, std::vector<std::string> symbols, std::vector<TensorSpec> tensors,
                       void reference(Problem&)) {
    cases.push_back(corner("turned.tsr", kernel, std::move(symbols), std::move(tensors), reference));
    cases.back().allowed = few_terms;
  };
  add("turned_words", {"M", "N", "K"},
      {input("a", "f32", {"M", "K"}, -9, 9, 1), input("b", "f32", {"K", "N"}, 129, 137, 1),
       input("scale", "f32", {"M"}, -2, 2, 1), input("bias", "f32", {"N"}, -9, 9, 1),
       output("y", "f32", {"M", "N"}), output("z", "bf16", {"M", "N"})},
      words);
  add("turned_promoted", {"B", "M", "N", "K"},
      {input("a", "fp8_e4m3", {"B", "M", "K"}, -8, 8, 1), input("b", "fp8_e5m2", {"B", "K", "N"}, -4, 4, 1),
       input("scale", "f32", {"B"}, -2, 2, 1), output("y", "f16", {"B", "M", "N"})},
      promoted);
  cases.back().allowed = [](const Sizes& sizes) { return few_terms(sizes) && sizes.at("B") <= 7; };
  add("turned_pair", {"M", "N", "K"},
      {input("a", "i8", {"M", "K"}, -128, 127, 1), input("c", "i8", {"M", "K"}, -128, 127, 1),
       input("w", "i8", {"K", "N"}, -128, 127, 1), result("y", {"M", "N"})},
      pair);
  add("turned_unsigned", {"J", "M", "N", "K"},
      {input("a", "u8", {"M", "K"}, 0, 255, 1), input("b", "u8", {"J", "K", "N"}, 0, 255, 1),
       result("y", {"M", "N"})},
      of_unsigned);
  cases.back().allowed = [](const Sizes& sizes) { return few_terms(sizes) && sizes.at("J") <= 7; };
  add("both_ways", {"M", "N", "K"},
      {input("a", "bf16", {"M", "K"}, -3, 3, 1), input("b", "bf16", {"N", "K"}, -3, 3, 1),
       input("s", "f32", {"N"}, -9, 9, 1), output("y", "f16", {"M", "N"}), output("z", "f32", {"N", "M"}),
       output("w", "bf16", {"N", "M"})},
      both_ways);
}

}  // namespace tessera::reference
