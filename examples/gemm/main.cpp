// SPDX-License-Identifier: Apache-2.0
// A product of matrices through the C++ interface, with the rows or the columns of either factor contiguous; every
// element is compared with a loop in f64.
#include "../common/example.h"
#include "gemm.h"

using example::bf16;
using example::widen;

namespace {

using example::index;

const example::Shapes<3> kShapes = {
    .kernel = "gemm",
    .symbols = {"M", "N", "K"},
    .twin = {{37, 29, 70}, {136, 72, 200}},
    .gpu = {{4096, 4096, 4096}, {1023, 2049, 777}},
};

/// How the factors lie in memory. Nothing in the kernel says so: the tensors' strides do.
struct Order {
  const char* text;
  bool a_by_rows, b_by_rows;
};
const Order kOrders[] = {{"gemm, A by rows, B by rows", true, true},
                         {"gemm, A by rows, B by columns", true, false},
                         {"gemm, A by columns, B by rows", false, true},
                         {"gemm, A by columns, B by columns", false, false}};

/// The matrix of `rows` x `columns` with its columns contiguous.
std::vector<bf16> by_columns(const std::vector<bf16>& matrix, index rows, index columns) {
  std::vector<bf16> result(matrix.size());
  for (index r = 0; r < rows; ++r) {
    for (index c = 0; c < columns; ++c) result[c * rows + r] = matrix[r * columns + c];
  }
  return result;
}

/// An element of the product, and the error that is permitted. The magnitudes of its terms add up to at most
/// the product of the lengths of the row and the column (Cauchy and Schwarz).
struct Expected {
  double value, error;
};

std::vector<Expected> multiply(const std::vector<bf16>& A, const std::vector<bf16>& B_columns, index M,
                               index N, index K) {
  std::vector<Expected> C(M * N);
  const auto length = [K](const bf16* x) {
    double square = 0;
    for (index k = 0; k < K; ++k) square += widen(x[k]) * widen(x[k]);
    return std::sqrt(square);
  };
  std::vector<double> column_lengths(N);
  example::parallel(N, [&](index n) { column_lengths[n] = length(&B_columns[n * K]); });
  example::parallel(M, [&](index m) {
    const bf16* row = &A[m * K];
    const double row_length = length(row);
    for (index n = 0; n < N; ++n) {
      const bf16* column = &B_columns[n * K];
      double sum = 0;
      for (index k = 0; k < K; ++k) sum += widen(row[k]) * widen(column[k]);
      const double error = product_error(K, row_length * column_lengths[n]);
      C[m * N + n] = {sum, error + example::store_rounding<bf16>(std::abs(sum) + error)};
    }
  });
  return C;
}

bool gemm(const example::Shape<3>& shape) {
  const index M = shape[0], N = shape[1], K = shape[2];
  const std::vector<bf16> A = example::random<bf16>(M * K, -2, 2), B = example::random<bf16>(K * N, -2, 2);
  const std::vector<bf16> A_columns = by_columns(A, M, K), B_columns = by_columns(B, K, N);
  const std::vector<Expected> expected = multiply(A, B_columns, M, N, K);

  bool right = true;
  for (const Order& order : kOrders) {
    const example::DeviceArray<bf16> a(order.a_by_rows ? A : A_columns), b(order.b_by_rows ? B : B_columns);
    const example::DeviceArray<bf16> c(M * N);
    const tessera::Tensor a_tensor = order.a_by_rows ? a.tensor({M, K}) : a.tensor({M, K}, {1, M});
    const tessera::Tensor b_tensor = order.b_by_rows ? b.tensor({K, N}) : b.tensor({K, N}, {1, K});
    const tessera::Tensor c_tensor = c.tensor({M, N});
    const example::Timing timing = example::run([&](const tessera::LaunchOptions& options) {
      return kernels::gemm(a_tensor, b_tensor, c_tensor, options);
    });

    const std::vector<bf16> C = c.read();
    example::Comparison comparison;
    for (index i = 0; i < M * N; ++i) comparison.add(widen(C[i]), expected[i].value, expected[i].error);
    example::Shapes<3> shapes = kShapes;
    shapes.kernel = order.text;
    right = example::report_products(shapes, shape, timing, comparison, M * N * K) && right;
  }
  return right;
}

}  // namespace

int main(int argc, char** argv) { return example::main(argc, argv, kShapes, gemm); }
