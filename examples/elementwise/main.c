/* SPDX-License-Identifier: Apache-2.0 */
/* y = gelu(x a + b) through the C interface; every element of a few rows is compared with a loop in f64. */
#include <math.h>

#include "../common/device.h"
#include "../common/numbers.h"
#include "scale_shift_gelu.h"

enum { M = 37, N = 129 };

static TesseraTensor vector_of_n(void* data) {
  return (TesseraTensor){.data = data,
                         .extent = {N},
                         .stride = {1},
                         .rank = 1,
                         .dtype = TESSERA_F32,
                         .device = device_ordinal()};
}

static TesseraTensor matrix(void* data) {
  return (TesseraTensor){.data = data,
                         .extent = {M, N},
                         .stride = {N, 1},
                         .rank = 2,
                         .dtype = TESSERA_F32,
                         .device = device_ordinal()};
}

int main(void) {
  static float x[M][N], a[N], b[N], y[M][N];
  for (int n = 0; n < N; ++n) {
    a[n] = (float)random_between(-2, 2);
    b[n] = (float)random_between(-2, 2);
    for (int m = 0; m < M; ++m) x[m][n] = (float)random_between(-4, 4);
  }
  const TesseraTensor x_tensor = matrix(device_copy(x, sizeof x)),
                      y_tensor = matrix(device_poisoned(sizeof y));
  const TesseraTensor a_tensor = vector_of_n(device_copy(a, sizeof a)),
                      b_tensor = vector_of_n(device_copy(b, sizeof b));

  launch_must(tessera_scale_shift_gelu(&x_tensor, &a_tensor, &b_tensor, &y_tensor, NULL));

  device_read(y, y_tensor.data, sizeof y);
  double ratio = 0;
  for (int m = 0; m < M; m += 9) {
    for (int n = 0; n < N; ++n) { /* the error that is permitted: see main.cpp */
      const double product = (double)x[m][n] * a[n], t = product + b[n];
      const double expected = 0.5 * t * erfc(-t / sqrt(2.0));
      const double bound = (1.14 * (fabs(product) + fabs(t)) + 10.5 * fabs(expected)) * 0x1p-24;
      ratio = fmax(ratio, error_ratio(fabs(y[m][n] - expected), bound));
    }
  }
  device_free(x_tensor.data);
  device_free(a_tensor.data);
  device_free(b_tensor.data);
  device_free(y_tensor.data);
  return report_ratio("scale_shift_gelu", (M + 8) / 9 * N, ratio);
}
