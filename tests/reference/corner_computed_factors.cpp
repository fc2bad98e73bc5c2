// SPDX-License-Identifier: Apache-2.0
// Plain loops of tests/corners/computed_factors.tsr: whole numbers, whose sums are exact in f32.
#include <algorithm>

#include "corners.h"

namespace tessera::reference {

namespace {

void rows(Problem& problem) {
  const auto a = problem.in("a"), c = problem.in("c"), turn = problem.in("turn"), b = problem.in("b"),
             d = problem.in("d");
  const auto y = problem.out("y"), z = problem.out("z");
  const int64_t K = problem.dim("K");
  for_matrix(problem.dim("M"), problem.dim("N"), [&](int64_t m, int64_t n) {
    const auto x = [&](int64_t k) { return a(m, k) * turn(k) + c(m, k); };
    y(m, n) = total(K, [&](int64_t k) { return x(k) * b(k, n); });
    z(m, n) = 1 - total(K, [&](int64_t k) { return x(k) * d(n, k); });
  });
}

void columns(Problem& problem) {
  const auto a = problem.in("a"), b = problem.in("b"), on = problem.in("on");
  const auto y = problem.out("y");
  for_matrix(problem.dim("M"), problem.dim("N"), [&](int64_t m, int64_t n) {
    y(m, n) = total(problem.dim("K"), [&](int64_t k) { return on(k) != 0 ? a(m, k) * b(k, n) : 0; });
  });
}

void both(Problem& problem) {
  constexpr int64_t kBlock = 64;
  const auto a = problem.in("a"), b = problem.in("b"), c = problem.in("c"), d = problem.in("d");
  const auto y = problem.out("y"), z = problem.out("z");
  const int64_t K = problem.dim("K");
  for_matrix(problem.dim("M"), problem.dim("N"), [&](int64_t m, int64_t n) {
    double most = -100;
    for (int64_t first = 0; first < K; first += kBlock)
      most = std::max(most, total(std::min(kBlock, K - first), [&](int64_t k) {
                        return std::max(a(m, first + k), 0.0) * (b(first + k, n) + 1);
                      }));
    y(m, n) = most;
    z(m, n) = total(problem.dim("L"), [&](int64_t l) { return 2 * c(l, m) * d(l, n); });
  });
}

void bytes(Problem& problem) {
  const auto a = problem.in("a"), b = problem.in("b");
  const auto y = problem.out("y");
  for_matrix(problem.dim("M"), problem.dim("N"), [&](int64_t m, int64_t n) {
    y(m, n) = total(problem.dim("K"), [&](int64_t k) { return std::max(a(k, m), 0.0) * b(n, k); });
  });
}

void quantized_rows(Problem& problem) {
  const auto x = problem.in("x"), scale = problem.in("scale"), w = problem.in("w");
  const auto y = problem.out("y");
  for_matrix(problem.dim("M"), problem.dim("N"), [&](int64_t m, int64_t n) {
    y(m, n) = total(problem.dim("K"), [&](int64_t k) { return x(m, k) / scale(m) * w(n, k); }) * scale(m);
  });
}

void quantized_both(Problem& problem) {
  const auto a = problem.in("a"), b = problem.in("b"), turn = problem.in("turn");
  const auto y = problem.out("y");
  for_matrix(problem.dim("M"), problem.dim("N"), [&](int64_t m, int64_t n) {
    y(m, n) = 1 - total(problem.dim("K"), [&](int64_t k) { return a(m, k) * turn(k) * b(n, k); });
  });
}

void quantized_gated(Problem& problem) {
  const auto x = problem.in("x"), u = problem.in("u"), v = problem.in("v");
  const auto y = problem.out("y"), z = problem.out("z");
  const int64_t K = problem.dim("K");
  for_matrix(problem.dim("M"), problem.dim("N"), [&](int64_t m, int64_t n) {
    const auto q = [&](int64_t k) { return std::max(x(m, k), 0.0); };
    y(m, n) = total(K, [&](int64_t k) { return q(k) * u(n, k); });
    z(m, n) = 2 - total(K, [&](int64_t k) { return q(k) * v(n, k); });
  });
}

void quantized_columns(Problem& problem) {
  const auto x = problem.in("x"), w = problem.in("w"), scale = problem.in("scale");
  const auto y = problem.out("y");
  for_matrix(problem.dim("M"), problem.dim("N"), [&](int64_t m, int64_t n) {
    y(m, n) = total(problem.dim("K"), [&](int64_t k) { return x(m, k) * w(n, k) * scale(n); });
  });
}

void quantized_centred(Problem& problem) {
  const auto x = problem.in("x"), w = problem.in("w");
  const auto y = problem.out("y");
  const int64_t K = problem.dim("K");
  for_matrix(problem.dim("M"), problem.dim("N"), [&](int64_t m, int64_t n) {
    double top = K > 0 ? x(m, 0) : 0;
    for (int64_t k = 1; k < K; ++k) top = std::max(top, x(m, k));
    y(m, n) = total(K, [&](int64_t k) { return (x(m, k) - top) * w(n, k); });
  });
}

void quantized_apart(Problem& problem) {
  const auto a = problem.in("a"), b = problem.in("b"), c = problem.in("c"), w = problem.in("w");
  const auto y = problem.out("y"), z = problem.out("z");
  const int64_t K = problem.dim("K");
  for_matrix(problem.dim("M"), problem.dim("N"), [&](int64_t m, int64_t n) {
    y(m, n) = total(K, [&](int64_t k) { return a(m, k) * w(n, k); });
    z(m, n) = total(K, [&](int64_t k) { return b(m, k) * c(n, k); });
  });
}

void less_zeros(Problem& problem, double scale) {
  const auto x = problem.in("x"), w = problem.in("w"), zero = problem.in("z");
  const auto y = problem.out("y");
  for_matrix(problem.dim("M"), problem.dim("N"), [&](int64_t m, int64_t n) {
    y(m, n) = total(problem.dim("K"), [&](int64_t k) { return (scale * x(m, k) - zero(m)) * w(n, k); });
  });
}

void quantized_zeros(Problem& problem) { less_zeros(problem, 2); }
void zeros_of_fp8(Problem& problem) { less_zeros(problem, 1); }

void computed_behind_doubles(Problem& problem) {
  const auto a = problem.in("a"), b = problem.in("b"), x = problem.in("x"), w = problem.in("w");
  const auto y = problem.out("y"), z = problem.out("z");
  const int64_t K = problem.dim("K");
  for_matrix(problem.dim("M"), problem.dim("N"), [&](int64_t m, int64_t n) {
    y(m, n) = total(K, [&](int64_t k) { return a(m, k) * b(n, k); });
    z(m, n) = total(K, [&](int64_t k) { return 2 * x(m, k) * w(n, k); });
  });
}

TensorSpec small(std::string name, const char* type, std::vector<std::string> dims) {
  return input(std::move(name), type, std::move(dims), -3, 3, 1);
}

}  // namespace

void add_computed_factor_cases(std::vector<Case>& cases) {
  const auto add = [&](const char* kernel, std::vector<std::string> symbols, std::vector<TensorSpec> tensors,
                       void reference(Problem&)) {
    cases.push_back(
        corner("computed_factors.tsr", kernel, std::move(symbols), std::move(tensors), reference));
    cases.back().allowed = few_terms;
  };
  add("computed_rows", {"M", "N", "K"},
      {small("a", "i8", {"M", "K"}), small("c", "bf16", {"M", "K"}), small("turn", "f32", {"K"}),
       small("b", "bf16", {"K", "N"}), small("d", "bf16", {"N", "K"}), output("y", "f32", {"M", "N"}),
       output("z", "f32", {"M", "N"})},
      rows);
  add("computed_columns", {"M", "N", "K"},
      {small("a", "f16", {"M", "K"}), input("b", "u8", {"K", "N"}, 0, 3, 1),
       input("on", "u8", {"K"}, 0, 2, 1), output("y", "f16", {"M", "N"})},
      columns);
  add("computed_both", {"M", "N", "K", "L"},
      {small("a", "f32", {"M", "K"}), small("b", "bf16", {"K", "N"}), small("c", "bf16", {"L", "M"}),
       small("d", "bf16", {"L", "N"}), output("y", "f32", {"M", "N"}), output("z", "f32", {"M", "N"})},
      both);
  add("computed_bytes", {"M", "N", "K"},
      {small("a", "i8", {"K", "M"}), small("b", "i8", {"N", "K"}), result("y", {"M", "N"})}, bytes);
  add("quantized_rows", {"M", "N", "K"},
      {small("x", "bf16", {"M", "K"}), input("scale", "f32", {"M"}, 1, 2, 1),
       small("w", "fp8_e4m3", {"N", "K"}), output("y", "f32", {"M", "N"})},
      quantized_rows);
  add("quantized_both", {"M", "N", "K"},
      {small("a", "fp8_e4m3", {"M", "K"}), small("b", "i8", {"N", "K"}),
       input("turn", "f32", {"K"}, -1, 2, 1), output("y", "f32", {"M", "N"})},
      quantized_both);
  add("quantized_gated", {"M", "N", "K"},
      {small("x", "f16", {"M", "K"}), small("u", "fp8_e5m2", {"N", "K"}), small("v", "fp8_e5m2", {"N", "K"}),
       output("y", "f32", {"M", "N"}), output("z", "f32", {"M", "N"})},
      quantized_gated);
  add("quantized_columns", {"M", "N", "K"},
      {small("x", "fp8_e4m3", {"M", "K"}), input("w", "u8", {"N", "K"}, 0, 3, 1),
       input("scale", "f32", {"N"}, -1, 2, 1), output("y", "f32", {"M", "N"})},
      quantized_columns);
  add("quantized_centred", {"M", "N", "K"},
      {small("x", "i8", {"M", "K"}), small("w", "fp8_e4m3", {"N", "K"}), output("y", "f32", {"M", "N"})},
      quantized_centred);
  add("quantized_apart", {"M", "N", "K"},
      {small("a", "bf16", {"M", "K"}), small("b", "bf16", {"M", "K"}), small("c", "bf16", {"N", "K"}),
       small("w", "fp8_e4m3", {"N", "K"}), output("y", "f32", {"M", "N"}), output("z", "f32", {"M", "N"})},
      quantized_apart);
  add("quantized_zeros", {"M", "N", "K"},
      {small("x", "bf16", {"M", "K"}), small("w", "fp8_e4m3", {"N", "K"}), small("z", "f32", {"M"}),
       output("y", "f32", {"M", "N"})},
      quantized_zeros);
  add("zeros_of_fp8", {"M", "N", "K"},
      {small("x", "fp8_e4m3", {"M", "K"}), small("w", "fp8_e4m3", {"N", "K"}), small("z", "f32", {"M"}),
       output("y", "f32", {"M", "N"})},
      zeros_of_fp8);
  add("computed_behind_doubles", {"M", "N", "K"},
      {small("a", "f64", {"M", "K"}), small("b", "f64", {"N", "K"}), small("x", "bf16", {"M", "K"}),
       small("w", "bf16", {"N", "K"}), output("y", "f64", {"M", "N"}), output("z", "f32", {"M", "N"})},
      computed_behind_doubles);
}

}  // namespace tessera::reference
