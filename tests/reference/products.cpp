// SPDX-License-Identifier: Apache-2.0
// Products of bf16, summed in f32: matrices, a linear layer, attention.
#include <algorithm>
#include <cmath>
#include <vector>

#include "reference.h"

namespace tessera::reference {
namespace {

void gemm(Problem& problem) {
  const auto A = problem.in("A"), B = problem.in("B");
  const auto C = problem.out("C");
  const auto M = problem.dim("M"), N = problem.dim("N"), K = problem.dim("K");
  for (std::int64_t m = 0; m < M; ++m) {
    for (std::int64_t n = 0; n < N; ++n) {
      ProductSum sum;
      for (std::int64_t k = 0; k < K; ++k) sum.add(A(m, k), B(k, n));
      C(m, n) = sum.total();
    }
  }
}

template <class Act>
void linear(Problem& problem, Act act) {
  const auto x = problem.in("x"), w = problem.in("w"), bias = problem.in("bias");
  const auto y = problem.out("y");
  const auto M = problem.dim("M"), N = problem.dim("N"), K = problem.dim("K");
  for (std::int64_t m = 0; m < M; ++m) {
    for (std::int64_t n = 0; n < N; ++n) {
      ProductSum sum;
      for (std::int64_t k = 0; k < K; ++k) sum.add(x(m, k), w(n, k));
      y(m, n) = act(sum.total() + F32(bias(n)));
    }
  }
}

/// The weights of a row's values. Keys arrive in tiles, and what was summed is scaled again where the maximum
/// rises: with an exp and a product, at most once for every logit that may be the greatest so far, and over
/// distances that add up to the one from the last maximum. An error of the maximum itself cancels.
std::vector<F32> weights(const std::vector<F32>& logits) {
  double top = -INFINITY, top_error = 0, rises = 0;
  for (const F32& logit : logits) {
    if (logit.value + logit.error >= top - top_error) ++rises;
    if (logit.value > top) top = logit.value, top_error = logit.error;
  }
  std::vector<F32> result;
  for (const F32& logit : logits) {
    F32 distance = F32::computed(logit.value - top, logit.error, 0);
    distance.error += F32::kUnit * (std::abs(distance.value) + distance.error);
    F32 weight = exp_fast(distance);
    weight.error += rises * (kExpFast + 2 * F32::kUnit) * (weight.value + weight.error);
    result.push_back(weight);
  }
  return result;
}

/// A number that was stored as bf16 on the way.
F32 as_bf16(F32 number) {
  const Bounded stored = store(format_of("bf16"), number);
  return F32::computed(stored.value, stored.error, 0);
}

void attention(Problem& problem) {
  const auto Q = problem.in("Q"), K = problem.in("K"), V = problem.in("V");
  const auto O = problem.out("O");
  const F32 scale = problem.scalar("scale");
  const auto S = problem.dim("S"), D = problem.dim("D");
  const auto row = [&](std::int64_t b, std::int64_t h, std::int64_t s) {
    std::vector<F32> logits;
    for (std::int64_t t = 0; t < S; ++t) {
      ProductSum sum;
      for (std::int64_t d = 0; d < D; ++d) sum.add(Q(b, h, s, d), K(b, h, t, d));
      logits.push_back(sum.total() * scale);
    }
    const std::vector<F32> weight = weights(logits);
    Sum<F32> norm;
    for (const F32& one : weight) norm.add(one);
    for (std::int64_t d = 0; d < D; ++d) {
      ProductSum sum;
      for (std::int64_t t = 0; t < S; ++t) sum.add(as_bf16(weight[t]), V(b, h, t, d));
      O(b, h, s, d) = sum.total() / norm.total();
    }
  };
  for (std::int64_t b = 0; b < problem.dim("B"); ++b) {
    for (std::int64_t h = 0; h < problem.dim("H"); ++h) {
      for (std::int64_t s = 0; s < S; ++s) row(b, h, s);
    }
  }
}

/// Tiles of 128 x 128 x 64, most of which may be empty, take a while on a host.
std::int64_t tiles(std::int64_t m, std::int64_t n, std::int64_t k) {
  return (m + 127) / 128 * ((n + 127) / 128) * ((k + 63) / 64);
}

bool few_tiles(const Sizes& sizes) { return tiles(sizes.at("M"), sizes.at("N"), sizes.at("K")) <= 12; }

void add_linear(std::vector<Case>& cases, const char* name, void reference(Problem&)) {
  cases.push_back({
      .name = name,
      .file = "examples/linear/linear.tsr",
      .kernel = name,
      .symbols = {"M", "N", "K"},
      .tensors = {input("x", "bf16", {"M", "K"}, -1, 1), input("w", "bf16", {"N", "K"}, -1, 1),
                  input("bias", "bf16", {"N"}), output("y", "bf16", {"M", "N"})},
      .exactness = Exactness::kBounded,
      .reference = reference,
      .allowed = few_tiles,
      .problems = 8,
  });
}

}  // namespace

void add_product_example_cases(std::vector<Case>& cases) {
  cases.push_back({
      .name = "gemm",
      .file = "examples/gemm/gemm.tsr",
      .kernel = "gemm",
      .symbols = {"M", "N", "K"},
      .tensors = {input("A", "bf16", {"M", "K"}), input("B", "bf16", {"K", "N"}),
                  output("C", "bf16", {"M", "N"})},
      .exactness = Exactness::kBounded,
      .reference = gemm,
      .allowed = few_tiles,
      .problems = 12,
  });
  add_linear(cases, "linear", [](Problem& problem) { linear(problem, [](F32 sum) { return sum; }); });
  add_linear(cases, "linear_gelu",
             [](Problem& problem) { linear(problem, [](F32 sum) { return gelu(sum); }); });
  cases.push_back({
      .name = "attention",
      .file = "examples/attention/attention.tsr",
      .kernel = "attention",
      .symbols = {"B", "H", "S"},
      // The values that D may have take turns.
      .derived = {{"D", [](const Sizes& sizes) { return 64 << (sizes.at("H") + sizes.at("S")) % 3; }}},
      .tensors = {input("Q", "bf16", {"B", "H", "S", "D"}, -4, 4),
                  input("K", "bf16", {"B", "H", "S", "D"}, -1, 1),
                  input("V", "bf16", {"B", "H", "S", "D"}, -1, 1), output("O", "bf16", {"B", "H", "S", "D"})},
      .scalars = {{"scale", "f32", 0.125}},
      .exactness = Exactness::kBounded,
      .reference = attention,
      .allowed =
          [](const Sizes& sizes) {
            return sizes.at("B") * sizes.at("H") * tiles(sizes.at("S"), 128, sizes.at("S")) <= 6;
          },
      .problems = 8,
  });
}

}  // namespace tessera::reference
