// SPDX-License-Identifier: Apache-2.0
// A Laplacian on a periodic grid through the C++ interface; every point is compared with a loop in f64.
#include "../common/example.h"
#include "laplacian.h"

namespace {

// One grid is smaller than the stencil: its windows wrap around more than once.
const example::Shapes<3> kShapes = {.kernel = "laplacian",
                                    .symbols = {"X", "Y", "Z"},
                                    .twin = {{3, 13, 37}, {10, 9, 64}},
                                    .gpu = {{3, 131, 517}, {384, 384, 384}}};

constexpr double kSpacing = 0.125;
constexpr double kWeights[5] = {-205.0 / 72.0, 8.0 / 5.0, -1.0 / 5.0, 8.0 / 315.0, -1.0 / 560.0};

int64_t wrap(int64_t i, int64_t extent) {
  while (i < 0) i += extent;
  while (i >= extent) i -= extent;
  return i;
}

/// One point. The kernel and this loop add the same 25 terms, rounded in different places: either is off by
/// at most (25 + 5) u times the sum of the magnitudes, with u = 2^-53 and five roundings for weights,
/// products and the division.
void compare_point(const std::vector<double>& u, const example::Shape<3>& shape, const example::Shape<3>& at,
                   double actual, example::Comparison& comparison) {
  double sum = 0, magnitude = 0;
  const auto add = [&](double weight, int dimension, int64_t step) {
    example::Shape<3> point = at;
    point[dimension] = wrap(point[dimension] + step, shape[dimension]);
    const double term = weight * u[(point[0] * shape[1] + point[1]) * shape[2] + point[2]];
    sum += term, magnitude += std::abs(term);
  };
  for (int dimension = 0; dimension < 3; ++dimension) {
    add(kWeights[0], dimension, 0);
    for (int i = 1; i < 5; ++i) add(kWeights[i], dimension, -i), add(kWeights[i], dimension, i);
  }
  const double area = kSpacing * kSpacing;
  comparison.add(actual, sum / area, 2 * (25 + 5) * example::kUnit<double> * magnitude / area);
}

bool laplacian(const example::Shape<3>& shape) {
  const auto [X, Y, Z] = shape;
  const std::vector<double> u = example::random<double>(X * Y * Z, -1, 1);
  const example::DeviceArray<double> u_device(u), v_device(X * Y * Z);

  const tessera::Tensor u_tensor = u_device.tensor({X, Y, Z}), v_tensor = v_device.tensor({X, Y, Z});
  const example::Timing timing = example::run([&](const tessera::LaunchOptions& options) {
    return kernels::laplacian(u_tensor, v_tensor, kSpacing, options);
  });

  const std::vector<double> v = v_device.read();
  example::Comparison comparison;
  int64_t i = 0;
  for (int64_t x = 0; x < X; ++x) {
    for (int64_t y = 0; y < Y; ++y) {
      for (int64_t z = 0; z < Z; ++z) compare_point(u, shape, {x, y, z}, v[i++], comparison);
    }
  }
  return example::report(kShapes, shape, timing, comparison, u_device.bytes() + v_device.bytes());
}

}  // namespace

int main(int argc, char** argv) { return example::main(argc, argv, kShapes, laplacian); }
