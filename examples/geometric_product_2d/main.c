/* SPDX-License-Identifier: Apache-2.0 */
/* The geometric product of Cl(2,0) through the C interface; the scalar parts are compared with a loop in
   f64. */
#include <math.h>

#include "../common/device.h"
#include "../common/numbers.h"
#include "geometric_product_2d.h"

enum { B = 7, N = 129 };

static const float kEps = 1e-6f;

static TesseraTensor multivectors(void* data) {
  return (TesseraTensor){.data = data,
                         .extent = {4, B, N},
                         .stride = {B * N, N, 1},
                         .rank = 3,
                         .dtype = TESSERA_F32,
                         .device = device_ordinal()};
}

static double gate(double t) { return 0.5 * erfc(-t / sqrt(2.0)); }

/* The scalar part of row b; the error that is permitted: see main.cpp. */
static double compare_row(float x[4][B][N], float y[4][B][N], float w[N][10], float o[4][B][N], int b) {
  const double u = 0x1p-24;
  double r[N], error[N], square = 0, square_error = 0, ratio = 0;
  for (int n = 0; n < N; ++n) {
    const double terms[4] = {
        (double)w[n][0] * x[0][b][n] * y[0][b][n], (double)w[n][3] * x[1][b][n] * y[1][b][n],
        (double)w[n][3] * x[2][b][n] * y[2][b][n], -(double)w[n][7] * x[3][b][n] * y[3][b][n]};
    r[n] = gate(x[0][b][n]) * gate(y[0][b][n]) * (terms[0] + terms[1] + terms[2] + terms[3]);
    error[n] = 21 * u * (fabs(terms[0]) + fabs(terms[1]) + fabs(terms[2]) + fabs(terms[3]));
    square += r[n] * r[n] / N;
    square_error += ((2 * fabs(r[n]) + error[n]) * error[n] + (N + 8) * u * r[n] * r[n]) / N;
  }
  const double inverse = 1 / sqrt(square + kEps), relative = 0.5 * square_error / (square + kEps) + 6 * u;
  for (int n = 0; n < N; ++n) {
    const double bound = 1.01 * inverse * (error[n] + fabs(r[n]) * relative);
    ratio = fmax(ratio, error_ratio(fabs(o[0][b][n] - r[n] * inverse), bound));
  }
  return ratio;
}

int main(void) {
  static float x[4][B][N], y[4][B][N], w[N][10], o[4][B][N];
  for (int i = 0; i < 4 * B * N; ++i) {
    x[i / (B * N)][i / N % B][i % N] = (float)random_between(-2, 2);
    y[i / (B * N)][i / N % B][i % N] = (float)random_between(-2, 2);
  }
  for (int i = 0; i < 10 * N; ++i) w[i / 10][i % 10] = (float)random_between(-1, 1);
  const TesseraTensor x_tensor = multivectors(device_copy(x, sizeof x));
  const TesseraTensor y_tensor = multivectors(device_copy(y, sizeof y));
  const TesseraTensor o_tensor = multivectors(device_poisoned(sizeof o));
  const TesseraTensor w_tensor = {.data = device_copy(w, sizeof w),
                                  .extent = {N, 10},
                                  .stride = {10, 1},
                                  .rank = 2,
                                  .dtype = TESSERA_F32,
                                  .device = device_ordinal()};

  launch_must(tessera_geometric_product_2d(&x_tensor, &y_tensor, &w_tensor, &o_tensor, kEps, NULL));

  device_read(o, o_tensor.data, sizeof o);
  double ratio = 0;
  for (int b = 0; b < B; ++b) ratio = fmax(ratio, compare_row(x, y, w, o, b));
  device_free(x_tensor.data);
  device_free(y_tensor.data);
  device_free(w_tensor.data);
  device_free(o_tensor.data);
  return report_ratio("geometric_product_2d", B * N, ratio);
}
