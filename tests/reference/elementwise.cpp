// SPDX-License-Identifier: Apache-2.0
// Elementwise kernels: every element of an output is an expression of a few elements of the inputs.
#include "reference.h"

namespace tessera::reference {
namespace {

/// y = gelu(x * a + b)
void scale_shift_gelu(Problem& problem) {
  const auto x = problem.in("x"), a = problem.in("a"), b = problem.in("b");
  const auto y = problem.out("y");
  const auto M = problem.dim("M"), N = problem.dim("N");
  for (std::int64_t m = 0; m < M; ++m) {
    for (std::int64_t n = 0; n < N; ++n) y(m, n) = gelu(F32(x(m, n)) * F32(a(n)) + F32(b(n)));
  }
}

void swiglu(Problem& problem) {
  const auto x = problem.in("x");
  const auto y = problem.out("y");
  const auto R = problem.dim("R"), F = problem.dim("F");
  for (std::int64_t r = 0; r < R; ++r) {
    for (std::int64_t f = 0; f < F; ++f) y(r, f) = silu(F32(x(r, f))) * F32(x(r, f + F));
  }
}

void rotary(Problem& problem) {
  const auto x = problem.in("x"), cosine = problem.in("cosine"), sine = problem.in("sine");
  const auto y = problem.out("y");
  const auto B = problem.dim("B"), S = problem.dim("S"), H = problem.dim("H"), D = problem.dim("D");
  for (std::int64_t b = 0; b < B; ++b) {
    for (std::int64_t s = 0; s < S; ++s) {
      for (std::int64_t h = 0; h < H; ++h) {
        for (std::int64_t d = 0; d < D; ++d) {
          const F32 re = x(b, s, h, 2 * d), im = x(b, s, h, 2 * d + 1);
          const F32 c = cosine(s, d), t = sine(s, d);
          y(b, s, h, d) = re * c - im * t;
          y(b, s, h, d + D) = im * c + re * t;
        }
      }
    }
  }
}

void adamw(Problem& problem) {
  const auto w = problem.in("w"), grad = problem.in("grad"), m = problem.in("m"), v = problem.in("v");
  const auto w_next = problem.out("w_next"), m_next = problem.out("m_next"), v_next = problem.out("v_next");
  const auto w_copy = problem.out("w_copy");
  const F32 correction1 = problem.scalar("correction1"), correction2 = problem.scalar("correction2");
  const F32 rate = problem.scalar("rate"), eps = problem.scalar("eps"), decay = problem.scalar("decay");
  const F32 beta1 = problem.scalar("beta1"), beta2 = problem.scalar("beta2");
  const F32 one = 1;
  for (std::int64_t i = 0; i < problem.dim("N"); ++i) {
    const F32 g = grad(i), weight = w(i);
    const F32 first = beta1 * F32(m(i)) + (one - beta1) * g;
    const F32 second = beta2 * F32(v(i)) + (one - beta2) * (g * g);
    const F32 update = (first / correction1) / (sqrt(second / correction2) + eps);
    const F32 next = weight - rate * (update + decay * weight);
    w_next(i) = next;
    m_next(i) = first;
    v_next(i) = second;
    w_copy(i) = next;
  }
}

F32 squared_relu(F32 x) {
  const F32 positive = max(x, F32(0));
  return positive * positive;
}

template <F32 activation(F32)>
void bias_act_residual(Problem& problem) {
  const auto x = problem.in("x"), bias = problem.in("bias"), keep = problem.in("keep");
  const auto residual = problem.in("residual");
  const auto y = problem.out("y");
  const F32 scale = problem.scalar("scale");
  const auto R = problem.dim("R"), C = problem.dim("C");
  for (std::int64_t r = 0; r < R; ++r) {
    for (std::int64_t c = 0; c < C; ++c) {
      const F32 h = activation(F32(x(r, c)) + F32(bias(c))) * scale;
      y(r, c) = F32(residual(r, c)) + (keep(r, c) != 0 ? h : F32(0));
    }
  }
}

Case adamw_case(const std::string& dtype) {
  return {
      .name = "adamw_" + dtype,
      .file = "tests/outsider/adamw.tsr",
      .kernel = "adamw_" + dtype,
      .symbols = {"N"},
      .tensors = {input("w", "f32", {"N"}), input("grad", dtype, {"N"}), input("m", "f32", {"N"}, -0.5, 0.5),
                  input("v", "f32", {"N"}, 0, 0.25), output("w_next", "f32", {"N"}),
                  output("m_next", "f32", {"N"}), output("v_next", "f32", {"N"}),
                  output("w_copy", dtype, {"N"})},
      .scalars = {{"correction1", "f32", 0.271},
                  {"correction2", "f32", 0.002997},
                  {"rate", "f32", 1e-3},
                  {"beta1", "f32", 0.9},
                  {"beta2", "f32", 0.999},
                  {"eps", "f32", 1e-8},
                  {"decay", "f32", 0.01}},
      .reference = adamw,
  };
}

Case bias_act_case(const std::string& activation, void reference(Problem&)) {
  return {
      .name = "bias_" + activation + "_residual",
      .file = "tests/outsider/bias_act_residual.tsr",
      .kernel = "bias_" + activation + "_residual",
      .symbols = {"R", "C"},
      .tensors = {input("x", "bf16", {"R", "C"}, -4, 4), input("bias", "bf16", {"C"}),
                  input("keep", "bool", {"R", "C"}, 0, 1), input("residual", "bf16", {"R", "C"}),
                  output("y", "bf16", {"R", "C"})},
      .scalars = {{"scale", "f32", 1.25}},
      .reference = reference,
  };
}

}  // namespace

void add_elementwise_cases(std::vector<Case>& cases) {
  cases.push_back({
      .name = "scale_shift_gelu",
      .file = "examples/elementwise/scale_shift_gelu.tsr",
      .kernel = "scale_shift_gelu",
      .symbols = {"M", "N"},
      .tensors = {input("x", "f32", {"M", "N"}, -3, 3), input("a", "f32", {"N"}), input("b", "f32", {"N"}),
                  output("y", "f32", {"M", "N"})},
      .reference = scale_shift_gelu,
  });
  cases.push_back({
      .name = "swiglu",
      .file = "tests/outsider/swiglu.tsr",
      .kernel = "swiglu",
      .symbols = {"R", "F"},
      .derived = {{"P", [](const Sizes& sizes) { return 2 * sizes.at("F"); }}},
      .tensors = {input("x", "bf16", {"R", "P"}, -6, 6), output("y", "bf16", {"R", "F"})},
      .reference = swiglu,
  });
  cases.push_back({
      .name = "rotary",
      .file = "tests/outsider/rotary.tsr",
      .kernel = "rotary",
      .symbols = {"B", "S", "H", "D"},
      .derived = {{"W", [](const Sizes& sizes) { return 2 * sizes.at("D"); }}},
      .tensors = {input("x", "f16", {"B", "S", "H", "W"}), input("cosine", "f32", {"S", "D"}, -1, 1),
                  input("sine", "f32", {"S", "D"}, -1, 1), output("y", "f16", {"B", "S", "H", "W"})},
      .reference = rotary,
  });
  for (const char* dtype : {"bf16", "f16", "f32"}) cases.push_back(adamw_case(dtype));
  cases.push_back(bias_act_case("gelu", bias_act_residual<gelu>));
  cases.push_back(bias_act_case("squared_relu", bias_act_residual<squared_relu>));
}

}  // namespace tessera::reference
