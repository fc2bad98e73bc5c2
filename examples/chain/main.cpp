// SPDX-License-Identifier: Apache-2.0
// Two products in a pass through the C++ interface; every element is compared with plain loops.
#include "../common/products.h"
#include "chain.h"

using example::bf16;
using example::widen;

namespace {

using example::index;

const example::Shapes<4> kShapes = {
    .kernel = "product_chain",
    .symbols = {"M", "N", "K", "R"},
    .twin = {{37, 29, 70, 64}, {72, 136, 40, 24}},
    .gpu = {{4096, 1024, 4096, 64}, {1023, 2049, 777, 40}},
};

/// Compares a row of (A B) C. The sums of the row of A B are off by `error`: their own, and that of the
/// nearest bf16. In the second product each of those counts as often as its factor says.
void compare_row(const double* a, const double* B, const double* C, const bf16* y,
                 const example::Shape<4>& shape, example::Comparison& comparison) {
  const index N = shape[1], K = shape[2], R = shape[3];
  const example::Sums inner = example::multiply(a, B, K, R);
  std::vector<double> error(R);
  for (index r = 0; r < R; ++r) {
    const double sum_error = product_error(K, inner.magnitude[r]);
    error[r] = sum_error + example::store_rounding<bf16>(std::abs(inner.value[r]) + sum_error);
  }
  const example::Sums outer = example::multiply(inner.value.data(), C, R, N);
  const std::vector<double> passed_on = example::multiply(error.data(), C, R, N).magnitude;
  for (index n = 0; n < N; ++n) {
    const double bound = passed_on[n] + product_error(R, outer.magnitude[n] + passed_on[n]);
    comparison.add(widen(y[n]), outer.value[n],
                   bound + example::store_rounding<bf16>(std::abs(outer.value[n]) + bound));
  }
}

bool chain(const example::Shape<4>& shape) {
  const index M = shape[0], N = shape[1], K = shape[2], R = shape[3];
  const std::vector<bf16> A = example::random<bf16>(M * K, -1, 1), B = example::random<bf16>(K * R, -1, 1),
                          C = example::random<bf16>(R * N, -1, 1);
  const example::DeviceArray<bf16> a(A), b(B), c(C), y(M * N);
  const tessera::Tensor a_tensor = a.tensor({M, K}), b_tensor = b.tensor({K, R}), c_tensor = c.tensor({R, N}),
                        y_tensor = y.tensor({M, N});
  const example::Timing timing = example::run([&](const tessera::LaunchOptions& options) {
    return kernels::product_chain(a_tensor, b_tensor, c_tensor, y_tensor, options);
  });

  const std::vector<bf16> Y = y.read();
  const std::vector<double> rows = example::widen_all(A), inner = example::widen_all(B),
                            outer = example::widen_all(C);
  const example::Comparison comparison = example::compare_rows(M, [&](index m, example::Comparison& row) {
    compare_row(&rows[m * K], inner.data(), outer.data(), &Y[m * N], shape, row);
  });
  return example::report_products(kShapes, shape, timing, comparison, M * R * (K + N));
}

}  // namespace

int main(int argc, char** argv) { return example::main(argc, argv, kShapes, chain); }
