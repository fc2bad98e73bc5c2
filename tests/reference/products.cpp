// SPDX-License-Identifier: Apache-2.0
// Products: matrices of several types and batches of them, a linear layer, a chain of two, attention.
#include <algorithm>
#include <cmath>
#include <vector>

#include "reference.h"

namespace tessera::reference {
namespace {

/// What a sum of products of f64 may be: each is exact.
class ProductSumF64 {
 public:
  void add(double a, double b) {
    const long double term = static_cast<long double>(a) * b;
    sum_.add(F64::computed(term, 0x1p-64L * std::abs(term), 0));  // of this loop
  }
  F64 total() const { return sum_.total(); }

 private:
  Sum<F64> sum_;
};

/// A sum of products of bytes, which stays far below 2^31.
class ProductSumI8 {
 public:
  void add(double a, double b) { total_ += a * b; }
  double total() const { return total_; }

 private:
  double total_ = 0;
};

template <class Total>
void gemm(Problem& problem) {
  const auto A = problem.in("A"), B = problem.in("B");
  const auto C = problem.out("C");
  const auto M = problem.dim("M"), N = problem.dim("N"), K = problem.dim("K");
  for (std::int64_t m = 0; m < M; ++m) {
    for (std::int64_t n = 0; n < N; ++n) {
      Total sum;
      for (std::int64_t k = 0; k < K; ++k) sum.add(A(m, k), B(k, n));
      C(m, n) = sum.total();
    }
  }
}

void batched(Problem& problem) {
  const auto A = problem.in("A"), B = problem.in("B");
  const auto C = problem.out("C");
  const auto M = problem.dim("M"), N = problem.dim("N"), K = problem.dim("K");
  for (std::int64_t b = 0; b < problem.dim("L"); ++b) {
    for (std::int64_t m = 0; m < M; ++m) {
      for (std::int64_t n = 0; n < N; ++n) {
        ProductSum sum;
        for (std::int64_t k = 0; k < K; ++k) sum.add(A(b, m, k), B(b, k, n));
        C(b, m, n) = sum.total();
      }
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

void product_chain(Problem& problem) {
  const auto A = problem.in("A"), B = problem.in("B"), C = problem.in("C");
  const auto Y = problem.out("Y");
  const auto K = problem.dim("K"), R = problem.dim("R");
  for (std::int64_t m = 0; m < problem.dim("M"); ++m) {
    std::vector<F32> inner;
    for (std::int64_t r = 0; r < R; ++r) {
      ProductSum sum;
      for (std::int64_t k = 0; k < K; ++k) sum.add(A(m, k), B(k, r));
      inner.push_back(as_bf16(sum.total()));
    }
    for (std::int64_t n = 0; n < problem.dim("N"); ++n) {
      ProductSum sum;
      for (std::int64_t r = 0; r < R; ++r) sum.add(inner[r], C(r, n));
      Y(m, n) = sum.total();
    }
  }
}

template <bool kCausal>
void attention(Problem& problem) {
  const auto Q = problem.in("Q"), K = problem.in("K"), V = problem.in("V");
  const auto O = problem.out("O");
  const F32 scale = problem.scalar("scale");
  const auto S = problem.dim("S"), D = problem.dim("D");
  const auto row = [&](std::int64_t b, std::int64_t h, std::int64_t s) {
    const std::int64_t seen = kCausal ? s + 1 : S;
    std::vector<F32> logits;
    for (std::int64_t t = 0; t < seen; ++t) {
      ProductSum sum;
      for (std::int64_t d = 0; d < D; ++d) sum.add(Q(b, h, s, d), K(b, h, t, d));
      logits.push_back(sum.total() * scale);
    }
    const std::vector<F32> weight = weights(logits);
    Sum<F32> norm;
    for (const F32& one : weight) norm.add(one);
    for (std::int64_t d = 0; d < D; ++d) {
      ProductSum sum;
      for (std::int64_t t = 0; t < seen; ++t) sum.add(as_bf16(weight[t]), V(b, h, t, d));
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

/// A product of matrices whose factors are of type `factors` and lie between -largest and largest.
void add_gemm(std::vector<Case>& cases, const char* name, const char* file, const char* factors,
              const char* stored, double largest, void reference(Problem&)) {
  cases.push_back({
      .name = name,
      .file = file,
      .kernel = name,
      .symbols = {"M", "N", "K"},
      .tensors = {input("A", factors, {"M", "K"}, -largest, largest),
                  input("B", factors, {"K", "N"}, -largest, largest), output("C", stored, {"M", "N"})},
      .exactness = format_of(stored).is_float() ? Exactness::kBounded : Exactness::kBitwise,
      .reference = reference,
      .allowed = few_tiles,
      .problems = 8,
  });
}

void add_batched(std::vector<Case>& cases) {
  cases.push_back({
      .name = "batched",
      .file = "examples/batched/batched.tsr",
      .kernel = "batched",
      .symbols = {"L", "M", "N", "K"},
      .tensors = {input("A", "bf16", {"L", "M", "K"}), input("B", "bf16", {"L", "K", "N"}),
                  output("C", "bf16", {"L", "M", "N"})},
      .exactness = Exactness::kBounded,
      .reference = batched,
      .allowed =
          [](const Sizes& sizes) {
            return sizes.at("L") * tiles(sizes.at("M"), sizes.at("N"), sizes.at("K")) <= 12;
          },
      .problems = 6,
  });
}

void add_product_chain(std::vector<Case>& cases) {
  cases.push_back({
      .name = "product_chain",
      .file = "examples/chain/chain.tsr",
      .kernel = "product_chain",
      .symbols = {"M", "N", "K", "R"},
      .tensors = {input("A", "bf16", {"M", "K"}, -1, 1), input("B", "bf16", {"K", "R"}, -1, 1),
                  input("C", "bf16", {"R", "N"}, -0.25, 0.25), output("Y", "bf16", {"M", "N"})},
      .exactness = Exactness::kBounded,
      .reference = product_chain,
      .allowed = [](const Sizes& sizes) { return sizes.at("R") <= 64 && few_tiles(sizes); },
      .problems = 6,
  });
}

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

void add_attention(std::vector<Case>& cases, const char* name, std::size_t problems,
                   void reference(Problem&)) {
  cases.push_back({
      .name = name,
      .file = "examples/attention/attention.tsr",
      .kernel = name,
      .symbols = {"B", "H", "S"},
      // The values that D may have take turns.
      .derived = {{"D", [](const Sizes& sizes) { return 64 << (sizes.at("H") + sizes.at("S")) % 3; }}},
      .tensors = {input("Q", "bf16", {"B", "H", "S", "D"}, -4, 4),
                  input("K", "bf16", {"B", "H", "S", "D"}, -1, 1),
                  input("V", "bf16", {"B", "H", "S", "D"}, -1, 1), output("O", "bf16", {"B", "H", "S", "D"})},
      .scalars = {{"scale", "f32", 0.125}},
      .exactness = Exactness::kBounded,
      .reference = reference,
      .allowed =
          [](const Sizes& sizes) {
            return sizes.at("B") * sizes.at("H") * tiles(sizes.at("S"), 128, sizes.at("S")) <= 6;
          },
      .problems = problems,
  });
}

}  // namespace

void add_product_example_cases(std::vector<Case>& cases) {
  add_gemm(cases, "gemm", "examples/gemm/gemm.tsr", "bf16", "bf16", 2, gemm<ProductSum>);
  cases.back().problems = 12;
  constexpr const char* kTypes = "examples/gemm/gemm_types.tsr";
  add_gemm(cases, "gemm_f64", kTypes, "f64", "f64", 2, gemm<ProductSumF64>);
  add_gemm(cases, "gemm_f16", kTypes, "f16", "f16", 2, gemm<ProductSum>);
  add_gemm(cases, "gemm_i8", kTypes, "i8", "i32", 127, gemm<ProductSumI8>);
  add_batched(cases);
  add_linear(cases, "linear", [](Problem& problem) { linear(problem, [](F32 sum) { return sum; }); });
  add_linear(cases, "linear_gelu",
             [](Problem& problem) { linear(problem, [](F32 sum) { return gelu(sum); }); });
  add_product_chain(cases);
  add_attention(cases, "attention", 8, attention<false>);
  add_attention(cases, "attention_causal", 6, attention<true>);
}

}  // namespace tessera::reference
