// SPDX-License-Identifier: Apache-2.0
// Softmax of rows through the C++ interface; every element is compared with a loop in f64.
#include "../common/example.h"
#include "softmax.h"

using example::bf16;
using example::widen;

namespace {

const example::Shapes<2> kShapes = {.kernel = "softmax",
                                    .symbols = {"R", "C"},
                                    .twin = {{37, 129}, {5, 2000}},
                                    .gpu = {{8191, 4097}, {16384, 4096}}};

/// The error that R24 and docs/math.md permit. With u = 2^-24 and d = |x - max|: the subtraction is off by
/// u d, which exp turns into a relative error, and exp adds 1 ulp = 2u. The sum of C positive terms adds C
/// u, the division u, the store half an ulp of bf16; a few u more for terms of second order.
void compare_row(const bf16* x, const bf16* y, int64_t C, example::Comparison& comparison) {
  constexpr double u = example::kUnit<float>;
  double max = -INFINITY, min = INFINITY;
  for (int64_t c = 0; c < C; ++c) {
    max = std::max(max, widen(x[c]));
    min = std::min(min, widen(x[c]));
  }
  double sum = 0;
  for (int64_t c = 0; c < C; ++c) sum += std::exp(widen(x[c]) - max);
  for (int64_t c = 0; c < C; ++c) {
    const double expected = std::exp(widen(x[c]) - max) / sum;
    const double relative = (static_cast<double>(C) + 8 + 2 * (max - min)) * u;
    comparison.add(widen(y[c]), expected,
                   relative * expected + example::store_rounding<bf16>(expected * (1 + relative)));
  }
}

bool softmax(const example::Shape<2>& shape) {
  const auto [R, C] = shape;
  const std::vector<bf16> x = example::random<bf16>(R * C, -8, 8);
  const example::DeviceArray<bf16> x_device(x), y_device(R * C);
  const tessera::Tensor x_tensor = x_device.tensor({R, C}), y_tensor = y_device.tensor({R, C});

  const example::Timing timing = example::run([&](const tessera::LaunchOptions& options) {
    return kernels::softmax(x_tensor, y_tensor, options);  // elsewhere: {.stream = stream}
  });

  const std::vector<bf16> y = y_device.read();
  example::Comparison comparison;
  for (int64_t r = 0; r < R; ++r) compare_row(&x[r * C], &y[r * C], C, comparison);
  return example::report(kShapes, shape, timing, comparison, x_device.bytes() + y_device.bytes());
}

}  // namespace

int main(int argc, char** argv) { return example::main(argc, argv, kShapes, softmax); }
