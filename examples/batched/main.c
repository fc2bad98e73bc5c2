/* SPDX-License-Identifier: Apache-2.0 */
/* Products of many matrices with one matrix through the C interface; every element is compared with a loop in f64. */
#include <math.h>

#include "../common/device.h"
#include "../common/numbers.h"
#include "batched.h"

enum { L = 3, M = 33, N = 41, K = 52 };

int main(void) {
  static uint16_t A[L * M * K], B[K * N], C[L * M * N]; /* the bits of bf16 */
  for (int i = 0; i < L * M * K; ++i) A[i] = bf16_random(-2, 2);
  for (int i = 0; i < K * N; ++i) B[i] = bf16_random(-2, 2);

  const TesseraTensor A_tensor = {.data = device_copy(A, sizeof A),
                                  .extent = {L, M, K},
                                  .stride = {M * K, K, 1},
                                  .rank = 3,
                                  .dtype = TESSERA_BF16,
                                  .device = device_ordinal()};
  TesseraTensor B_tensor = A_tensor, C_tensor = A_tensor;
  B_tensor.data = device_copy(B, sizeof B);
  B_tensor.extent[1] = K, B_tensor.extent[2] = N;
  B_tensor.stride[0] = 0, B_tensor.stride[1] = N; /* from a batch to the next one: no step */
  C_tensor.data = device_poisoned(sizeof C);
  C_tensor.extent[2] = N, C_tensor.stride[0] = M * N, C_tensor.stride[1] = N;

  launch_must(tessera_batched(&A_tensor, &B_tensor, &C_tensor, NULL));

  device_read(C, C_tensor.data, sizeof C);
  double ratio = 0;
  for (int row = 0; row < L * M; ++row) {
    for (int n = 0; n < N; ++n) {
      double sum = 0, magnitude = 0;
      for (int k = 0; k < K; ++k) {
        const double term = bf16_value(A[row * K + k]) * bf16_value(B[k * N + n]);
        sum += term, magnitude += fabs(term);
      }
      const double error = product_error(K, magnitude);
      const double bound = error + bf16_rounding(fabs(sum) + error);
      ratio = fmax(ratio, error_ratio(fabs(bf16_value(C[row * N + n]) - sum), bound));
    }
  }
  device_free(A_tensor.data);
  device_free(B_tensor.data);
  device_free(C_tensor.data);
  return report_ratio("batched", L * M * N, ratio);
}
