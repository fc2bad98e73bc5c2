// SPDX-License-Identifier: Apache-2.0
// Kernels that reduce over an axis or two and use the result.
#include "reference.h"

namespace tessera::reference {
namespace {

void softmax(Problem& problem) {
  const auto x = problem.in("x");
  const auto y = problem.out("y");
  const auto R = problem.dim("R"), C = problem.dim("C");
  std::vector<F32> e(C);
  for (std::int64_t r = 0; r < R; ++r) {
    double top = -INFINITY;
    for (std::int64_t c = 0; c < C; ++c) top = std::max(top, x(r, c));
    Sum<F32> sum;
    for (std::int64_t c = 0; c < C; ++c) {
      e[c] = exp(F32(x(r, c)) - F32(top));
      sum.add(e[c]);
    }
    const F32 total = sum.total();
    for (std::int64_t c = 0; c < C; ++c) y(r, c) = e[c] / total;
  }
}

void layernorm(Problem& problem) {
  const auto x = problem.in("x"), gain = problem.in("gain"), bias = problem.in("bias");
  const auto y = problem.out("y");
  const F32 eps = problem.scalar("eps");
  const auto R = problem.dim("R"), C = problem.dim("C");
  for (std::int64_t r = 0; r < R; ++r) {
    Sum<F32> sum, squares;
    for (std::int64_t c = 0; c < C; ++c) sum.add(x(r, c));
    const F32 mean = sum.mean();
    for (std::int64_t c = 0; c < C; ++c) {
      const F32 d = F32(x(r, c)) - mean;
      squares.add(d * d);
    }
    const F32 inverse = rsqrt(squares.mean() + eps);
    for (std::int64_t c = 0; c < C; ++c)
      y(r, c) = (F32(x(r, c)) - mean) * inverse * F32(gain(c)) + F32(bias(c));
  }
}

void group_norm(Problem& problem) {
  const auto x = problem.in("x"), gain = problem.in("gain"), bias = problem.in("bias");
  const auto y = problem.out("y");
  const F32 eps = problem.scalar("eps");
  const auto B = problem.dim("B"), G = problem.dim("G"), C = problem.dim("C"), S = problem.dim("S");
  for (std::int64_t b = 0; b < B; ++b) {
    for (std::int64_t g = 0; g < G; ++g) {
      Sum<F32> sum, squares;
      for (std::int64_t c = 0; c < C; ++c) {
        for (std::int64_t s = 0; s < S; ++s) sum.add(x(b, g, c, s));
      }
      const F32 mean = sum.mean();
      for (std::int64_t c = 0; c < C; ++c) {
        for (std::int64_t s = 0; s < S; ++s) {
          const F32 d = F32(x(b, g, c, s)) - mean;
          squares.add(d * d);
        }
      }
      const F32 inverse = rsqrt(squares.mean() + eps);
      for (std::int64_t c = 0; c < C; ++c) {
        for (std::int64_t s = 0; s < S; ++s) {
          y(b, g, c, s) = (F32(x(b, g, c, s)) - mean) * inverse * F32(gain(g, c)) + F32(bias(g, c));
        }
      }
    }
  }
}

/// Maximum, division and rounding are exact operations, so this is float arithmetic itself; only a tie of
/// `round` accepts both neighbours.
void quantize_rows(Problem& problem) {
  const auto x = problem.in("x");
  const auto q = problem.out("q"), scale = problem.out("scale");
  const auto R = problem.dim("R"), C = problem.dim("C");
  for (std::int64_t r = 0; r < R; ++r) {
    float top = 0;
    for (std::int64_t c = 0; c < C; ++c) top = std::max(top, std::abs(static_cast<float>(x(r, c))));
    const float unit = top > 0 ? top / 127.0f : 1.0f;
    scale(r) = static_cast<double>(unit);
    for (std::int64_t c = 0; c < C; ++c) q(r, c) = round(F32(static_cast<float>(x(r, c)) / unit));
  }
}

/// The kernel streams the row: total = total * exp(top - higher) + sum(exp(x - higher)) tile by tile.
/// Whatever the tiles are, `total` is really rescaled only where a new maximum appears, at most once per
/// record of the row (elsewhere the factor is exp(0) = 1), and the subtractions on a term's way add up to its
/// distance from the top.
void logit_summary(Problem& problem) {
  const auto logits = problem.in("logits");
  const auto lse = problem.out("lse"), best = problem.out("best");
  const auto R = problem.dim("R"), V = problem.dim("V");
  for (std::int64_t r = 0; r < R; ++r) {
    double top = -INFINITY;
    std::int64_t first_of_top = -1, records = 0;
    for (std::int64_t v = 0; v < V; ++v) {
      if (logits(r, v) > top) {
        top = logits(r, v);
        first_of_top = v;
        ++records;
      }
    }
    const double rescaling = static_cast<double>(records) * (2 * ulps::kExp + 1) * F32::kUnit;
    Sum<F32> total;
    for (std::int64_t v = 0; v < V; ++v) {
      F32 term = exp(F32(logits(r, v)) - F32(top));
      term.error += rescaling * (term.value + term.error);
      total.add(term);
    }
    lse(r) = F32(top) + log(total.total());
    best(r) = static_cast<double>(first_of_top);
  }
}

}  // namespace

void add_row_cases(std::vector<Case>& cases) {
  cases.push_back({
      .name = "softmax",
      .file = "examples/softmax/softmax.tsr",
      .kernel = "softmax",
      .symbols = {"R", "C"},
      .tensors = {input("x", "bf16", {"R", "C"}, -8, 8), output("y", "bf16", {"R", "C"})},
      .exactness = Exactness::kBounded,
      .reference = softmax,
  });
  cases.push_back({
      .name = "layernorm",
      .file = "examples/layernorm/layernorm.tsr",
      .kernel = "layernorm",
      .symbols = {"R", "C"},
      .tensors = {input("x", "bf16", {"R", "C"}), input("gain", "bf16", {"C"}), input("bias", "bf16", {"C"}),
                  output("y", "bf16", {"R", "C"})},
      .scalars = {{"eps", "f32", 1e-5}},
      .exactness = Exactness::kBounded,
      .reference = layernorm,
  });
  cases.push_back({
      .name = "group_norm",
      .file = "tests/outsider/group_norm.tsr",
      .kernel = "group_norm",
      .symbols = {"B", "G", "C", "S"},
      .tensors = {input("x", "f32", {"B", "G", "C", "S"}, -1, 3), input("gain", "f32", {"G", "C"}),
                  input("bias", "f32", {"G", "C"}), output("y", "f32", {"B", "G", "C", "S"})},
      .scalars = {{"eps", "f32", 1e-5}},
      .exactness = Exactness::kBounded,
      .reference = group_norm,
      // A line takes the twin as long as the threads of its block, however short it is.
      .allowed = [](const Sizes& sizes) { return sizes.at("B") * sizes.at("G") * sizes.at("C") <= 10000; },
  });
  cases.push_back({
      .name = "quantize_rows",
      .file = "tests/outsider/quantize_rows.tsr",
      .kernel = "quantize_rows",
      .symbols = {"R", "C"},
      .tensors = {input("x", "f32", {"R", "C"}, -3, 3), output("q", "i8", {"R", "C"}),
                  output("scale", "f32", {"R"})},
      .reference = quantize_rows,
  });
  cases.push_back({
      .name = "logit_summary",
      .file = "tests/outsider/logit_summary.tsr",
      .kernel = "logit_summary",
      .symbols = {"R", "V"},
      .tensors = {input("logits", "f16", {"R", "V"}, -10, 10, 0.125), output("lse", "f32", {"R"}),
                  output("best", "i32", {"R"})},
      .exactness = Exactness::kBounded,
      .reference = logit_summary,
  });
}

}  // namespace tessera::reference
