// SPDX-License-Identifier: Apache-2.0
// A transposition through the C++ interface, compared element by element; and a wrong call, which the
// launcher refuses.
#include "../common/example.h"
#include "transpose.h"

namespace {

const example::Shapes<2> kShapes = {.kernel = "transpose",
                                    .symbols = {"M", "N"},
                                    .twin = {{37, 129}, {200, 64}},
                                    .gpu = {{8191, 8193}, {16384, 8192}}};

/// The output has the shape of the input: nothing is launched, and the status says what is wrong.
bool refuses_wrong_shape(const tessera::Tensor& x, const tessera::Tensor& shaped_like_x) {
  const tessera::Status status = kernels::transpose(x, shaped_like_x);
  std::printf("refused: %s\n", status.message().c_str());
  return status.code == TESSERA_WRONG_EXTENT;
}

bool transpose(const example::Shape<2>& shape) {
  const auto [M, N] = shape;
  const std::vector<float> x = example::random<float>(M * N, -1, 1);
  const example::DeviceArray<float> x_device(x), y_device(M * N);
  const tessera::Tensor x_tensor = x_device.tensor({M, N}), y_tensor = y_device.tensor({N, M});

  const bool refused = M == N || refuses_wrong_shape(x_tensor, y_device.tensor({M, N}));
  const example::Timing timing = example::run(
      [&](const tessera::LaunchOptions& options) { return kernels::transpose(x_tensor, y_tensor, options); });

  const std::vector<float> y = y_device.read();
  example::Comparison comparison;
  for (int64_t m = 0; m < M; ++m) {
    for (int64_t n = 0; n < N; ++n)
      comparison.add(y[n * M + m], x[m * N + n], 0);  // moving a number is exact
  }
  return example::report(kShapes, shape, timing, comparison, x_device.bytes() + y_device.bytes()) && refused;
}

}  // namespace

int main(int argc, char** argv) { return example::main(argc, argv, kShapes, transpose); }
