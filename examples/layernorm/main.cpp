// SPDX-License-Identifier: Apache-2.0
// Layer normalisation through the C++ interface; every element is compared with a loop in f64.
#include "../common/example.h"
#include "layernorm.h"

using example::bf16;
using example::widen;

namespace {

const example::Shapes<2> kShapes = {.kernel = "layernorm",
                                    .symbols = {"R", "C"},
                                    .twin = {{37, 129}, {5, 2000}},
                                    .gpu = {{8191, 4097}, {16384, 4096}}};

constexpr float kEps = 1e-5f;

/// The error that R24 and docs/math.md permit, with u = 2^-24 and the deviation s: a mean of C terms is off
/// by (C + 1) u times the mean of their magnitudes, and so is d = x - mean. The mean of d^2 is relatively
/// off by twice that over s and by its own C + 6 roundings, rsqrt by half of it and 1.5 ulp; then come two
/// products, a sum and the store.
void compare_row(const bf16* x, const bf16* gain, const bf16* bias, const bf16* y, int64_t C,
                 example::Comparison& comparison) {
  constexpr double u = example::kUnit<float>;
  const double n = static_cast<double>(C);
  double mean = 0, magnitude = 0, square = 0;
  for (int64_t c = 0; c < C; ++c) mean += widen(x[c]) / n, magnitude += std::abs(widen(x[c])) / n;
  for (int64_t c = 0; c < C; ++c) square += (widen(x[c]) - mean) * (widen(x[c]) - mean) / n;
  const double s = std::sqrt(square + kEps), mean_error = (n + 1) * u * magnitude;
  for (int64_t c = 0; c < C; ++c) {
    const double d = widen(x[c]) - mean, g = widen(gain[c]), expected = d / s * g + widen(bias[c]);
    const double d_error = mean_error + std::abs(d) * (mean_error / s + (n / 2 + 12) * u);
    const double error = std::abs(g) / s * d_error + u * std::abs(expected);
    comparison.add(widen(y[c]), expected, error + example::store_rounding<bf16>(std::abs(expected) + error));
  }
}

bool layernorm(const example::Shape<2>& shape) {
  const auto [R, C] = shape;
  const std::vector<bf16> x = example::random<bf16>(R * C, -1, 3), gain = example::random<bf16>(C, -2, 2),
                          bias = example::random<bf16>(C, -1, 1);
  const example::DeviceArray<bf16> x_device(x), gain_device(gain), bias_device(bias), y_device(R * C);

  const tessera::Tensor x_tensor = x_device.tensor({R, C}), gain_tensor = gain_device.tensor({C}),
                        bias_tensor = bias_device.tensor({C}), y_tensor = y_device.tensor({R, C});
  const example::Timing timing = example::run([&](const tessera::LaunchOptions& options) {
    return kernels::layernorm(x_tensor, gain_tensor, bias_tensor, y_tensor, kEps, options);
  });

  const std::vector<bf16> y = y_device.read();
  example::Comparison comparison;
  for (int64_t r = 0; r < R; ++r) compare_row(&x[r * C], gain.data(), bias.data(), &y[r * C], C, comparison);
  return example::report(kShapes, shape, timing, comparison,
                         x_device.bytes() + gain_device.bytes() + bias_device.bytes() + y_device.bytes());
}

}  // namespace

int main(int argc, char** argv) { return example::main(argc, argv, kShapes, layernorm); }
