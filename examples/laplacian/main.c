/* SPDX-License-Identifier: Apache-2.0 */
/* A Laplacian on a periodic grid through the C interface; the points of one plane are compared with a loop
   in f64. */
#include <math.h>

#include "../common/device.h"
#include "../common/numbers.h"
#include "laplacian.h"

enum { X = 7, Y = 13, Z = 37 };

static const double kSpacing = 0.125;

/* One point of the grid against the kernel's value; the error that is permitted: see main.cpp. */
static double compare_point(double u[X][Y][Z], int x, int y, int z, double actual) {
  const double weights[5] = {-205.0 / 72.0, 8.0 / 5.0, -1.0 / 5.0, 8.0 / 315.0, -1.0 / 560.0};
  double sum = 0, magnitude = 0;
  for (int i = -4; i <= 4; ++i) { /* 5 X etc. keep the dividend positive */
    const double points[3] = {u[(x + i + 5 * X) % X][y][z], u[x][(y + i + 5 * Y) % Y][z],
                              u[x][y][(z + i + 5 * Z) % Z]};
    for (int dimension = 0; dimension < 3; ++dimension) {
      const double term = weights[abs(i)] * points[dimension];
      sum += term, magnitude += fabs(term);
    }
  }
  const double area = kSpacing * kSpacing;
  return error_ratio(fabs(actual - sum / area), 2 * (25 + 5) * 0x1p-53 * magnitude / area);
}

int main(void) {
  static double u[X][Y][Z], v[X][Y][Z];
  for (int x = 0; x < X; ++x) {
    for (int y = 0; y < Y; ++y) {
      for (int z = 0; z < Z; ++z) u[x][y][z] = random_between(-1, 1);
    }
  }
  const TesseraTensor u_tensor = {.data = device_copy(u, sizeof u),
                                  .extent = {X, Y, Z},
                                  .stride = {Y * Z, Z, 1},
                                  .rank = 3,
                                  .dtype = TESSERA_F64,
                                  .device = device_ordinal()};
  TesseraTensor v_tensor = u_tensor;
  v_tensor.data = device_poisoned(sizeof v);

  launch_must(tessera_laplacian(&u_tensor, &v_tensor, kSpacing, NULL));

  device_read(v, v_tensor.data, sizeof v);
  double ratio = 0;
  for (int y = 0; y < Y; ++y) {
    for (int z = 0; z < Z; ++z) ratio = fmax(ratio, compare_point(u, 0, y, z, v[0][y][z]));
  }
  device_free(u_tensor.data);
  device_free(v_tensor.data);
  return report_ratio("laplacian", Y * Z, ratio);
}
