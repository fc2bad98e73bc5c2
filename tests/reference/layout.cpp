// SPDX-License-Identifier: Apache-2.0
// Kernels that move elements to another order of the axes.
#include "reference.h"

namespace tessera::reference {
namespace {

void transpose(Problem& problem) {
  const auto x = problem.in("x");
  const auto y = problem.out("y");
  const auto M = problem.dim("M"), N = problem.dim("N");
  for (std::int64_t m = 0; m < M; ++m) {
    for (std::int64_t n = 0; n < N; ++n) y(n, m) = x(m, n);
  }
}

void image_to_tensor(Problem& problem) {
  const auto image = problem.in("image"), average = problem.in("average"),
             deviation = problem.in("deviation");
  const auto y = problem.out("y");
  const auto N = problem.dim("N"), H = problem.dim("H"), W = problem.dim("W"), C = problem.dim("C");
  for (std::int64_t n = 0; n < N; ++n) {
    for (std::int64_t h = 0; h < H; ++h) {
      for (std::int64_t w = 0; w < W; ++w) {
        for (std::int64_t c = 0; c < C; ++c) {
          y(n, c, h, w) = (F32(image(n, h, w, c)) / F32(255) - F32(average(c))) / F32(deviation(c));
        }
      }
    }
  }
}

}  // namespace

void add_layout_cases(std::vector<Case>& cases) {
  cases.push_back({
      .name = "transpose",
      .file = "examples/transpose/transpose.tsr",
      .kernel = "transpose",
      .symbols = {"M", "N"},
      .tensors = {input("x", "f32", {"M", "N"}), output("y", "f32", {"N", "M"})},
      .reference = transpose,
  });
  cases.push_back({
      .name = "image_to_tensor",
      .file = "tests/outsider/image_to_tensor.tsr",
      .kernel = "image_to_tensor",
      .symbols = {"N", "H", "W", "C"},
      .tensors = {input("image", "u8", {"N", "H", "W", "C"}, 0, 255),
                  input("average", "f32", {"C"}, 0.4, 0.5), input("deviation", "f32", {"C"}, 0.2, 0.3),
                  output("y", "f16", {"N", "C", "H", "W"})},
      .reference = image_to_tensor,
  });
}

}  // namespace tessera::reference
