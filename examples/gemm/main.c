/* SPDX-License-Identifier: Apache-2.0 */
/* A product of matrices through the C interface, the first factor given by its transpose; every element is compared
   with a loop in f64. */
#include <math.h>

#include "../common/device.h"
#include "../common/numbers.h"
#include "gemm.h"

enum { M = 33, N = 41, K = 52 };

int main(void) {
  static uint16_t A_transposed[K * M], B[K * N], C[M * N]; /* the bits of bf16 */
  for (int i = 0; i < K * M; ++i) A_transposed[i] = bf16_random(-2, 2);
  for (int i = 0; i < K * N; ++i) B[i] = bf16_random(-2, 2);

  /* Element (m, k) of A lies at k * M + m: its strides say so, and nothing is copied. */
  const TesseraTensor A_tensor = {.data = device_copy(A_transposed, sizeof A_transposed),
                                  .extent = {M, K},
                                  .stride = {1, M},
                                  .rank = 2,
                                  .dtype = TESSERA_BF16,
                                  .device = device_ordinal()};
  TesseraTensor B_tensor = A_tensor, C_tensor = A_tensor;
  B_tensor.data = device_copy(B, sizeof B);
  B_tensor.extent[0] = K, B_tensor.extent[1] = N, B_tensor.stride[0] = N, B_tensor.stride[1] = 1;
  C_tensor.data = device_poisoned(sizeof C);
  C_tensor.extent[0] = M, C_tensor.extent[1] = N, C_tensor.stride[0] = N, C_tensor.stride[1] = 1;

  launch_must(tessera_gemm(&A_tensor, &B_tensor, &C_tensor, NULL));

  device_read(C, C_tensor.data, sizeof C);
  double ratio = 0;
  for (int m = 0; m < M; ++m) {
    for (int n = 0; n < N; ++n) {
      double sum = 0, magnitude = 0;
      for (int k = 0; k < K; ++k) {
        const double term = bf16_value(A_transposed[k * M + m]) * bf16_value(B[k * N + n]);
        sum += term, magnitude += fabs(term);
      }
      const double error = product_error(K, magnitude);
      const double bound = error + bf16_rounding(fabs(sum) + error);
      ratio = fmax(ratio, error_ratio(fabs(bf16_value(C[m * N + n]) - sum), bound));
    }
  }
  device_free(A_tensor.data);
  device_free(B_tensor.data);
  device_free(C_tensor.data);
  return report_ratio("gemm", M * N, ratio);
}
