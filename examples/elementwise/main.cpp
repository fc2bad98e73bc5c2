// SPDX-License-Identifier: Apache-2.0
// y = gelu(x a + b) through the C++ interface; every element is compared with a loop in f64.
#include "../common/example.h"
#include "scale_shift_gelu.h"

namespace {

const example::Shapes<2> kShapes = {.kernel = "scale_shift_gelu",
                                    .symbols = {"M", "N"},
                                    .twin = {{37, 129}, {5, 2000}},
                                    .gpu = {{8191, 4097}, {16384, 4096}}};

/// gelu(t) = t (1 + erf(t / sqrt 2)) / 2, written so that no digit is lost for negative t.
double gelu(double t) { return 0.5 * t * std::erfc(-t / std::sqrt(2.0)); }

/// The error that R24 and docs/math.md permit. With u = 2^-24: x a and the sum may each be rounded (or
/// fused: once), and gelu, whose slope is below 1.13, hands that on; gelu itself adds 5.25 ulp, each at
/// most 2u.
void compare(float x, float a, float b, float y, example::Comparison& comparison) {
  constexpr double u = example::kUnit<float>;
  const double product = double(x) * a, t = product + b, expected = gelu(t);
  const double rounding = u * (std::abs(product) + std::abs(t)) * (1 + u);
  const double bound = 1.13 * rounding + 5.25 * 2 * u * (std::abs(expected) + 1.13 * rounding);
  comparison.add(y, expected, bound + 6 * example::kHalfDenormal<float>);
}

bool scale_shift_gelu(const example::Shape<2>& shape) {
  const auto [M, N] = shape;
  const std::vector<float> x = example::random<float>(M * N, -4, 4), a = example::random<float>(N, -2, 2),
                           b = example::random<float>(N, -2, 2);
  const example::DeviceArray<float> x_device(x), a_device(a), b_device(b), y_device(M * N);

  const tessera::Tensor x_tensor = x_device.tensor({M, N}), a_tensor = a_device.tensor({N}),
                        b_tensor = b_device.tensor({N}), y_tensor = y_device.tensor({M, N});
  const example::Timing timing = example::run([&](const tessera::LaunchOptions& options) {
    return kernels::scale_shift_gelu(x_tensor, a_tensor, b_tensor, y_tensor, options);
  });

  const std::vector<float> y = y_device.read();
  example::Comparison comparison;
  for (int64_t m = 0; m < M; ++m) {
    for (int64_t n = 0; n < N; ++n) compare(x[m * N + n], a[n], b[n], y[m * N + n], comparison);
  }
  return example::report(kShapes, shape, timing, comparison,
                         x_device.bytes() + a_device.bytes() + b_device.bytes() + y_device.bytes());
}

}  // namespace

int main(int argc, char** argv) { return example::main(argc, argv, kShapes, scale_shift_gelu); }
