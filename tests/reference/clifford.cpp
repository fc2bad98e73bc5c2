// SPDX-License-Identifier: Apache-2.0
// The gated, weighted, normalised geometric product of Cl(2,0), term by term.
#include "clifford.h"

namespace tessera::reference {
namespace {

constexpr int kGrade[4] = {0, 1, 1, 2};  // of 1, e1, e2, e12

/// out[k] += sign * w[path] * x[i] * y[j]
struct Term {
  int k, i, j, sign, path;
};

constexpr Term kTerms[16] = {
    {0, 0, 0, +1, 0}, {0, 1, 1, +1, 3}, {0, 2, 2, +1, 3}, {0, 3, 3, -1, 7},  //
    {1, 0, 1, +1, 1}, {1, 1, 0, +1, 4}, {1, 2, 3, -1, 5}, {1, 3, 2, +1, 8},  //
    {2, 0, 2, +1, 1}, {2, 2, 0, +1, 4}, {2, 1, 3, +1, 5}, {2, 3, 1, -1, 8},  //
    {3, 0, 3, +1, 2}, {3, 1, 2, +1, 6}, {3, 2, 1, -1, 6}, {3, 3, 0, +1, 9},
};

/// (1 + erf(t / sqrt 2)) / 2
F32 normal_distribution(F32 t) { return F32(0.5) * (F32(1) + erf(t * F32(0.707106781186547524))); }

}  // namespace

void geometric_product_2d(Problem& problem, bool normalize) {
  const auto x = problem.in("x"), y = problem.in("y"), w = problem.in("w");
  const auto o = problem.out("o");
  const F32 eps = problem.scalar("eps");
  const auto B = problem.dim("B"), N = problem.dim("N");
  std::vector<std::array<F32, 4>> product(N);
  for (std::int64_t b = 0; b < B; ++b) {
    Sum<F32> squares[3];
    for (std::int64_t f = 0; f < N; ++f) {
      const F32 gate_x = normal_distribution(x(0, b, f)), gate_y = normal_distribution(y(0, b, f));
      Sum<F32> sum[4];
      for (const Term& term : kTerms) {
        const F32 left = F32(x(term.i, b, f)) * gate_x, right = F32(y(term.j, b, f)) * gate_y;
        sum[term.k].add(F32(term.sign) * F32(w(f, term.path)) * left * right);
      }
      for (int c = 0; c < 4; ++c) {
        product[f][c] = sum[c].total();
        squares[kGrade[c]].add(product[f][c] * product[f][c]);
      }
    }
    for (std::int64_t f = 0; f < N; ++f) {
      for (int c = 0; c < 4; ++c) {
        const F32 mean_square = squares[kGrade[c]].total() / F32(static_cast<double>(N));
        o(c, b, f) = normalize ? product[f][c] * rsqrt(mean_square + eps) : product[f][c];
      }
    }
  }
}

void add_clifford_cases(std::vector<Case>& cases) {
  cases.push_back({
      .name = "geometric_product_2d",
      .file = "examples/geometric_product_2d/geometric_product_2d.tsr",
      .kernel = "geometric_product_2d",
      .symbols = {"B", "N"},
      .tensors = {input("x", "f32", {"4", "B", "N"}), input("y", "f32", {"4", "B", "N"}),
                  input("w", "f32", {"N", "10"}, -1, 1), output("o", "f32", {"4", "B", "N"})},
      .scalars = {{"eps", "f32", 1e-6}},
      .exactness = Exactness::kBounded,
      .reference = [](Problem& problem) { geometric_product_2d(problem, true); },
  });
}

}  // namespace tessera::reference
