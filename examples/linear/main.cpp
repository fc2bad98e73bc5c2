// SPDX-License-Identifier: Apache-2.0
// A linear layer with and without an activation through the C++ interface; every element is compared with a loop in
// f64.
#include "../common/example.h"
#include "linear.h"

using example::bf16;
using example::widen;

namespace {

using example::index;

const example::Shapes<3> kShapes = {
    .kernel = "linear",
    .symbols = {"M", "N", "K"},
    .twin = {{37, 29, 70}, {136, 72, 200}},
    .gpu = {{4096, 4096, 4096}, {1023, 2049, 777}},
};

/// What is true, and how far a correct evaluation in f32 may lie from it.
struct Bounded {
  double value, error;
};

/// The activations: what arrives is off by `error`, which the slope changes; each adds its own rounding.
Bounded identity(Bounded x) { return x; }
Bounded gelu(Bounded x) {
  constexpr double kLargestSlope = 1.13, kUlps = 6;  // docs/math.md; an ulp is at most two unit roundoffs
  const double y = x.value * std::erfc(-x.value / std::sqrt(2.0)) / 2;
  const double error = kLargestSlope * x.error;
  return {y, error + 2 * kUlps * example::kUnit<float> * (std::abs(y) + error)};
}

/// Sums of products with the bias, before the activation. The magnitudes of the terms add up to at most the
/// product of the lengths of both rows (Cauchy and Schwarz).
std::vector<Bounded> sums(const std::vector<bf16>& x, const std::vector<bf16>& w,
                          const std::vector<bf16>& bias, index M, index N, index K) {
  std::vector<Bounded> result(M * N);
  const auto product = [K](const bf16* a, const bf16* b) {
    double sum = 0;
    for (index k = 0; k < K; ++k) sum += widen(a[k]) * widen(b[k]);
    return sum;
  };
  std::vector<double> squares(N);
  example::parallel(N, [&](index n) { squares[n] = product(&w[n * K], &w[n * K]); });
  example::parallel(M, [&](index m) {
    const bf16* row = &x[m * K];
    const double square = product(row, row);
    for (index n = 0; n < N; ++n) {
      const double value = product(row, &w[n * K]) + widen(bias[n]);
      const double error = product_error(K, std::sqrt(square * squares[n]));
      result[m * N + n] = {value, error + example::kUnit<float> * (std::abs(value) + error)};
    }
  });
  return result;
}

example::Comparison compare(const std::vector<bf16>& y, const std::vector<Bounded>& before,
                            Bounded (*act)(Bounded)) {
  example::Comparison comparison;
  for (std::size_t i = 0; i < y.size(); ++i) {
    const Bounded expected = act(before[i]);
    comparison.add(widen(y[i]), expected.value,
                   expected.error + example::store_rounding<bf16>(std::abs(expected.value) + expected.error));
  }
  return comparison;
}

bool linear(const example::Shape<3>& shape) {
  const index M = shape[0], N = shape[1], K = shape[2];
  const std::vector<bf16> x = example::random<bf16>(M * K, -1, 1), w = example::random<bf16>(N * K, -1, 1),
                          bias = example::random<bf16>(N, -1, 1);
  const std::vector<Bounded> before = sums(x, w, bias, M, N, K);
  const example::DeviceArray<bf16> x_device(x), w_device(w), bias_device(bias);
  const tessera::Tensor x_tensor = x_device.tensor({M, K}), w_tensor = w_device.tensor({N, K}),
                        bias_tensor = bias_device.tensor({N});

  const struct {
    const char* name;
    tessera::Status (*launch)(const tessera::Tensor& x, const tessera::Tensor& w, const tessera::Tensor& bias,
                              const tessera::Tensor& y, const tessera::LaunchOptions& options);
    Bounded (*act)(Bounded);
  } layers[] = {{"linear", kernels::linear, identity}, {"linear_gelu", kernels::linear_gelu, gelu}};

  bool right = true;
  for (const auto& layer : layers) {
    const example::DeviceArray<bf16> y_device(M * N);
    const tessera::Tensor y_tensor = y_device.tensor({M, N});
    const example::Timing timing = example::run([&](const tessera::LaunchOptions& options) {
      return layer.launch(x_tensor, w_tensor, bias_tensor, y_tensor, options);
    });
    const example::Comparison comparison = compare(y_device.read(), before, layer.act);
    example::Shapes<3> shapes = kShapes;
    shapes.kernel = layer.name;
    right = example::report_products(shapes, shape, timing, comparison, M * N * K) && right;
  }
  return right;
}

}  // namespace

int main(int argc, char** argv) { return example::main(argc, argv, kShapes, linear); }
