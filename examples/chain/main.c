/* SPDX-License-Identifier: Apache-2.0 */
/* Two products in a pass through the C interface; every element is compared with loops in f64. */
#include <math.h>

#include "../common/device.h"
#include "../common/numbers.h"
#include "chain.h"

enum { M = 33, N = 41, K = 52, R = 20 };

static TesseraTensor matrix(void* data, int64_t rows, int64_t columns) {
  const TesseraTensor tensor = {.data = data,
                                .extent = {rows, columns},
                                .stride = {columns, 1},
                                .rank = 2,
                                .dtype = TESSERA_BF16,
                                .device = device_ordinal()};
  return tensor;
}

/* What a row of the first product is, and its largest error. */
static void multiply_row(const uint16_t* a, const uint16_t* B, double* sum, double* error) {
  for (int r = 0; r < R; ++r) {
    double magnitude = 0;
    sum[r] = 0;
    for (int k = 0; k < K; ++k) {
      const double term = bf16_value(a[k]) * bf16_value(B[k * R + r]);
      sum[r] += term, magnitude += fabs(term);
    }
    const double sum_error = product_error(K, magnitude);
    error[r] = sum_error + bf16_rounding(fabs(sum[r]) + sum_error);
  }
}

/* The largest error of a row of the result, over what is permitted. */
static double compare_row(const uint16_t* a, const uint16_t* B, const uint16_t* C, const uint16_t* y) {
  double inner[R], inner_error[R], ratio = 0;
  multiply_row(a, B, inner, inner_error);
  for (int n = 0; n < N; ++n) {
    double sum = 0, magnitude = 0, passed_on = 0;
    for (int r = 0; r < R; ++r) {
      const double factor = bf16_value(C[r * N + n]);
      sum += inner[r] * factor;
      magnitude += (fabs(inner[r]) + inner_error[r]) * fabs(factor);
      passed_on += inner_error[r] * fabs(factor);
    }
    const double error = passed_on + product_error(R, magnitude);
    ratio = fmax(ratio, error_ratio(fabs(bf16_value(y[n]) - sum), error + bf16_rounding(fabs(sum) + error)));
  }
  return ratio;
}

int main(void) {
  static uint16_t A[M * K], B[K * R], C[R * N], Y[M * N]; /* the bits of bf16 */
  for (int i = 0; i < M * K; ++i) A[i] = bf16_random(-1, 1);
  for (int i = 0; i < K * R; ++i) B[i] = bf16_random(-1, 1);
  for (int i = 0; i < R * N; ++i) C[i] = bf16_random(-1, 1);

  const TesseraTensor A_tensor = matrix(device_copy(A, sizeof A), M, K);
  const TesseraTensor B_tensor = matrix(device_copy(B, sizeof B), K, R);
  const TesseraTensor C_tensor = matrix(device_copy(C, sizeof C), R, N);
  const TesseraTensor Y_tensor = matrix(device_poisoned(sizeof Y), M, N);

  launch_must(tessera_product_chain(&A_tensor, &B_tensor, &C_tensor, &Y_tensor, NULL));

  device_read(Y, Y_tensor.data, sizeof Y);
  double ratio = 0;
  for (int m = 0; m < M; ++m) ratio = fmax(ratio, compare_row(A + m * K, B, C, Y + m * N));
  device_free(A_tensor.data);
  device_free(B_tensor.data);
  device_free(C_tensor.data);
  device_free(Y_tensor.data);
  return report_ratio("product_chain", M * N, ratio);
}
