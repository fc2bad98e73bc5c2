/* SPDX-License-Identifier: Apache-2.0 */
/* A linear layer with gelu through the C interface; every element is compared with a loop in f64. */
#include <math.h>

#include "../common/device.h"
#include "../common/numbers.h"
#include "linear.h"

enum { M = 33, N = 41, K = 52 };

static TesseraTensor matrix(void* data, int64_t rows, int64_t columns) {
  const TesseraTensor tensor = {.data = data,
                                .extent = {rows, columns},
                                .stride = {columns, 1},
                                .rank = 2,
                                .dtype = TESSERA_BF16,
                                .device = device_ordinal()};
  return tensor;
}

/* |y - gelu(x w + bias)| over the error that is permitted: see main.cpp. */
static double ratio_of(const uint16_t* x, const uint16_t* w, uint16_t bias, uint16_t y) {
  double sum = bf16_value(bias), magnitude = 0;
  for (int k = 0; k < K; ++k) {
    const double term = bf16_value(x[k]) * bf16_value(w[k]);
    sum += term, magnitude += fabs(term);
  }
  const double expected = sum * erfc(-sum / sqrt(2)) / 2;
  const double before = product_error(K, magnitude) * (1 + 0x1p-24) + 0x1p-24 * fabs(sum);
  const double error = 1.13 * before + 12 * 0x1p-24 * (fabs(expected) + 1.13 * before);
  return error_ratio(fabs(bf16_value(y) - expected), error + bf16_rounding(fabs(expected) + error));
}

int main(void) {
  static uint16_t x[M * K], w[N * K], bias[N], y[M * N]; /* the bits of bf16 */
  for (int i = 0; i < M * K; ++i) x[i] = bf16_random(-1, 1);
  for (int i = 0; i < N * K; ++i) w[i] = bf16_random(-1, 1);
  for (int i = 0; i < N; ++i) bias[i] = bf16_random(-1, 1);

  const TesseraTensor x_tensor = matrix(device_copy(x, sizeof x), M, K);
  const TesseraTensor w_tensor = matrix(device_copy(w, sizeof w), N, K);
  const TesseraTensor y_tensor = matrix(device_poisoned(sizeof y), M, N);
  const TesseraTensor bias_tensor = {.data = device_copy(bias, sizeof bias),
                                     .extent = {N},
                                     .stride = {1},
                                     .rank = 1,
                                     .dtype = TESSERA_BF16,
                                     .device = device_ordinal()};

  launch_must(tessera_linear_gelu(&x_tensor, &w_tensor, &bias_tensor, &y_tensor, NULL));

  device_read(y, y_tensor.data, sizeof y);
  double ratio = 0;
  for (int m = 0; m < M; ++m) {
    for (int n = 0; n < N; ++n) ratio = fmax(ratio, ratio_of(x + m * K, w + n * K, bias[n], y[m * N + n]));
  }
  device_free(x_tensor.data);
  device_free(w_tensor.data);
  device_free(bias_tensor.data);
  device_free(y_tensor.data);
  return report_ratio("linear_gelu", M * N, ratio);
}
