/* SPDX-License-Identifier: Apache-2.0 */
/* A product of matrices of bytes through the C interface; every element must be what a loop of integers gives. */
#include <math.h>

#include "../common/device.h"
#include "../common/numbers.h"
#include "gemm_types.h"

enum { M = 33, N = 41, K = 52 };

static TesseraTensor matrix(void* data, int64_t rows, int64_t columns, enum TesseraDType dtype) {
  const TesseraTensor tensor = {.data = data,
                                .extent = {rows, columns},
                                .stride = {columns, 1},
                                .rank = 2,
                                .dtype = dtype,
                                .device = device_ordinal()};
  return tensor;
}

int main(void) {
  static int8_t A[M * K], B[K * N];
  static int32_t C[M * N];
  for (int i = 0; i < M * K; ++i) A[i] = (int8_t)random_between(-127, 127);
  for (int i = 0; i < K * N; ++i) B[i] = (int8_t)random_between(-127, 127);

  const TesseraTensor A_tensor = matrix(device_copy(A, sizeof A), M, K, TESSERA_I8);
  const TesseraTensor B_tensor = matrix(device_copy(B, sizeof B), K, N, TESSERA_I8);
  const TesseraTensor C_tensor = matrix(device_poisoned(sizeof C), M, N, TESSERA_I32);

  launch_must(tessera_gemm_i8(&A_tensor, &B_tensor, &C_tensor, NULL));

  device_read(C, C_tensor.data, sizeof C);
  double ratio = 0;
  for (int m = 0; m < M; ++m) {
    for (int n = 0; n < N; ++n) {
      int32_t sum = 0;
      for (int k = 0; k < K; ++k) sum += A[m * K + k] * B[k * N + n];
      ratio = fmax(ratio, error_ratio(fabs((double)C[m * N + n] - sum), 0));
    }
  }
  device_free(A_tensor.data);
  device_free(B_tensor.data);
  device_free(C_tensor.data);
  return report_ratio("gemm_i8", M * N, ratio);
}
