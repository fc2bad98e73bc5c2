// SPDX-License-Identifier: Apache-2.0
// Products of matrices in f64, f16 and i8 through the C++ interface; every element is compared with a loop in long
// double, those of i8 exactly.
#include <cstdint>

#include "../common/products.h"
#include "gemm_types.h"

using example::f16;
using example::widen;

namespace {

using example::index;

const example::Shapes<3> kShapes = {
    .kernel = "gemm_of",
    .symbols = {"M", "N", "K"},
    .twin = {{37, 29, 70}, {136, 80, 208}},
    .gpu = {{2048, 2048, 2048}, {1023, 2049, 777}},
};

/// The largest error of a sum of `count` products of elements of type T, whose magnitudes add up to
/// `magnitude`: "Sums and products" in docs/math.md.
template <typename T>
double sum_error(index count, double magnitude) {
  if (std::is_integral_v<T>) return 0;
  if (std::is_same_v<T, f16>) return product_error(count, magnitude);
  return static_cast<double>(count + 2) * example::kUnit<T> * magnitude;
}

using Launch = tessera::Status (*)(const tessera::Tensor& A, const tessera::Tensor& B,
                                   const tessera::Tensor& C, const tessera::LaunchOptions& options);

/// One instance of the kernel: T is the type of the factors, whose elements are at most `largest`.
template <typename T, typename Stored>
bool product(const char* name, Launch launch, double largest, const example::Shape<3>& shape) {
  const index M = shape[0], N = shape[1], K = shape[2];
  const std::vector<T> A = example::random<T>(M * K, -largest, largest),
                       B = example::random<T>(K * N, -largest, largest);
  const example::DeviceArray<T> a(A), b(B);
  const example::DeviceArray<Stored> c(M * N);
  const tessera::Tensor a_tensor = a.tensor({M, K}), b_tensor = b.tensor({K, N}), c_tensor = c.tensor({M, N});
  const example::Timing timing = example::run(
      [&](const tessera::LaunchOptions& options) { return launch(a_tensor, b_tensor, c_tensor, options); });

  const std::vector<Stored> C = c.read();
  const std::vector<double> rows = example::widen_all(A), matrix = example::widen_all(B);
  const example::Comparison comparison = example::compare_rows(M, [&](index m, example::Comparison& row) {
    const example::Sums sums = example::multiply(&rows[m * K], matrix.data(), K, N);
    for (index n = 0; n < N; ++n) {
      const double error = sum_error<T>(K, sums.magnitude[n]);
      row.add(widen(C[m * N + n]), sums.value[n],
              error + example::store_rounding<Stored>(std::abs(sums.value[n]) + error));
    }
  });
  example::Shapes<3> shapes = kShapes;
  shapes.kernel = name;
  return example::report_products(shapes, shape, timing, comparison, M * N * K);
}

bool products(const example::Shape<3>& shape) {
  const bool of_f64 = product<double, double>("gemm_f64", kernels::gemm_f64, 2, shape);
  const bool of_f16 = product<f16, f16>("gemm_f16", kernels::gemm_f16, 2, shape);
  const bool of_i8 = product<std::int8_t, std::int32_t>("gemm_i8", kernels::gemm_i8, 127, shape);
  return of_f64 && of_f16 && of_i8;
}

}  // namespace

int main(int argc, char** argv) { return example::main(argc, argv, kShapes, products); }
