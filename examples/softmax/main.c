/* SPDX-License-Identifier: Apache-2.0 */
/* Softmax of rows through the C interface; every element of a few rows is compared with a loop in f64. */
#include <math.h>

#include "../common/device.h"
#include "../common/numbers.h"
#include "softmax.h"

enum { R = 37, C = 129 };

/* The error that is permitted: see main.cpp. */
static double compare_row(const uint16_t* x, const uint16_t* y) {
  double max = bf16_value(x[0]), min = max, sum = 0, ratio = 0;
  for (int c = 0; c < C; ++c) max = fmax(max, bf16_value(x[c])), min = fmin(min, bf16_value(x[c]));
  for (int c = 0; c < C; ++c) sum += exp(bf16_value(x[c]) - max);
  for (int c = 0; c < C; ++c) {
    const double expected = exp(bf16_value(x[c]) - max) / sum;
    const double bound = expected * ((C + 8 + 2 * (max - min)) * 0x1p-24 * (1 + 0x1p-8) + 0x1p-8);
    ratio = fmax(ratio, error_ratio(fabs(bf16_value(y[c]) - expected), bound));
  }
  return ratio;
}

int main(void) {
  static uint16_t x[R * C], y[R * C]; /* the bits of bf16 */
  for (int i = 0; i < R * C; ++i) x[i] = bf16_random(-8, 8);

  const TesseraTensor x_tensor = {.data = device_copy(x, sizeof x),
                                  .extent = {R, C},
                                  .stride = {C, 1},
                                  .rank = 2,
                                  .dtype = TESSERA_BF16,
                                  .device = device_ordinal()};
  TesseraTensor y_tensor = x_tensor;
  y_tensor.data = device_poisoned(sizeof y);

  launch_must(tessera_softmax(&x_tensor, &y_tensor, NULL));

  device_read(y, y_tensor.data, sizeof y);
  double ratio = 0;
  for (int r = 0; r < R; r += 9) ratio = fmax(ratio, compare_row(x + r * C, y + r * C));
  device_free(x_tensor.data);
  device_free(y_tensor.data);
  return report_ratio("softmax", (R + 8) / 9 * C, ratio);
}
