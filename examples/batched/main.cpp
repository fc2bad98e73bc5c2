// SPDX-License-Identifier: Apache-2.0
// Products of many matrices through the C++ interface: matrix after matrix, rows of all matrices beside each other, and
// one factor that serves them all; every element is compared with a plain loop.
#include "../common/products.h"
#include "batched.h"

using example::bf16;
using example::widen;

namespace {

using example::index;

const example::Shapes<4> kShapes = {
    .kernel = "batched",
    .symbols = {"L", "M", "N", "K"},
    .twin = {{3, 37, 29, 70}, {2, 72, 136, 40}},
    .gpu = {{32, 1024, 1024, 1024}, {100, 65, 129, 333}},
};

/// How the matrices of the factors lie in memory. Nothing in the kernel says so: the tensors' strides do.
struct Layout {
  const char* text;
  bool rows_together;  ///< row m of A[0], row m of A[1], ...: what belongs to one matrix has gaps
  bool one_for_all;    ///< B[0] stands for every B[b]
};
const Layout kLayouts[] = {{"batched, matrix after matrix", false, false},
                           {"batched, rows of all A together", true, false},
                           {"batched, one B for all", false, true}};

bool batched(const Layout& layout, const example::Shape<4>& shape) {
  const index L = shape[0], M = shape[1], N = shape[2], K = shape[3];
  const index a_batch = layout.rows_together ? K : M * K, a_row = layout.rows_together ? L * K : K;
  const index b_batch = layout.one_for_all ? 0 : K * N;
  const std::vector<bf16> A = example::random<bf16>(L * M * K, -2, 2),
                          B = example::random<bf16>(layout.one_for_all ? K * N : L * K * N, -2, 2);
  const example::DeviceArray<bf16> a(A), b(B), c(L * M * N);
  const tessera::Tensor a_tensor = a.tensor({L, M, K}, {a_batch, a_row, 1}),
                        b_tensor = b.tensor({L, K, N}, {b_batch, N, 1}), c_tensor = c.tensor({L, M, N});
  const example::Timing timing = example::run([&](const tessera::LaunchOptions& options) {
    return kernels::batched(a_tensor, b_tensor, c_tensor, options);
  });

  const std::vector<bf16> C = c.read();
  const std::vector<double> rows = example::widen_all(A), matrices = example::widen_all(B);
  const auto compare_row = [&](index row, example::Comparison& comparison) {
    const index batch = row / M, m = row % M;
    const example::Sums sums =
        example::multiply(&rows[batch * a_batch + m * a_row], &matrices[batch * b_batch], K, N);
    for (index n = 0; n < N; ++n) {
      const double error = product_error(K, sums.magnitude[n]);
      comparison.add(widen(C[row * N + n]), sums.value[n],
                     error + example::store_rounding<bf16>(std::abs(sums.value[n]) + error));
    }
  };
  example::Shapes<4> shapes = kShapes;
  shapes.kernel = layout.text;
  return example::report_products(shapes, shape, timing, example::compare_rows(L * M, compare_row),
                                  L * M * N * K);
}

bool all_layouts(const example::Shape<4>& shape) {
  bool right = true;
  for (const Layout& layout : kLayouts) right = batched(layout, shape) && right;
  return right;
}

}  // namespace

int main(int argc, char** argv) { return example::main(argc, argv, kShapes, all_layouts); }
