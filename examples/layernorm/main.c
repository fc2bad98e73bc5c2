/* SPDX-License-Identifier: Apache-2.0 */
/* Layer normalisation through the C interface; every element of a few rows is compared with a loop in f64. */
#include <math.h>

#include "../common/device.h"
#include "../common/numbers.h"
#include "layernorm.h"

enum { R = 37, C = 129 };

static const float kEps = 1e-5f;

static TesseraTensor vector_of_c(void* data) {
  return (TesseraTensor){.data = data,
                         .extent = {C},
                         .stride = {1},
                         .rank = 1,
                         .dtype = TESSERA_BF16,
                         .device = device_ordinal()};
}

static TesseraTensor matrix(void* data) {
  return (TesseraTensor){.data = data,
                         .extent = {R, C},
                         .stride = {C, 1},
                         .rank = 2,
                         .dtype = TESSERA_BF16,
                         .device = device_ordinal()};
}

/* The error that is permitted: see main.cpp. */
static double compare_row(const uint16_t* x, const uint16_t* gain, const uint16_t* bias, const uint16_t* y) {
  const double u = 0x1p-24;
  double mean = 0, magnitude = 0, square = 0, ratio = 0;
  for (int c = 0; c < C; ++c) mean += bf16_value(x[c]) / C, magnitude += fabs(bf16_value(x[c])) / C;
  for (int c = 0; c < C; ++c) square += pow(bf16_value(x[c]) - mean, 2) / C;
  const double s = sqrt(square + kEps), mean_error = (C + 1) * u * magnitude;
  for (int c = 0; c < C; ++c) {
    const double d = bf16_value(x[c]) - mean, g = bf16_value(gain[c]),
                 expected = d / s * g + bf16_value(bias[c]);
    const double d_error = mean_error + fabs(d) * (mean_error / s + (C / 2 + 12) * u);
    const double bound = 1.01 * fabs(g) / s * d_error + (0x1p-8 + 2 * u) * fabs(expected);
    ratio = fmax(ratio, error_ratio(fabs(bf16_value(y[c]) - expected), bound));
  }
  return ratio;
}

int main(void) {
  static uint16_t x[R * C], gain[C], bias[C], y[R * C]; /* the bits of bf16 */
  for (int i = 0; i < R * C; ++i) x[i] = bf16_random(-1, 3);
  for (int c = 0; c < C; ++c) gain[c] = bf16_random(-2, 2), bias[c] = bf16_random(-1, 1);
  const TesseraTensor x_tensor = matrix(device_copy(x, sizeof x)),
                      y_tensor = matrix(device_poisoned(sizeof y));
  const TesseraTensor gain_tensor = vector_of_c(device_copy(gain, sizeof gain));
  const TesseraTensor bias_tensor = vector_of_c(device_copy(bias, sizeof bias));

  launch_must(tessera_layernorm(&x_tensor, &gain_tensor, &bias_tensor, &y_tensor, kEps, NULL));

  device_read(y, y_tensor.data, sizeof y);
  double ratio = 0;
  for (int r = 0; r < R; r += 9) ratio = fmax(ratio, compare_row(x + r * C, gain, bias, y + r * C));
  device_free(x_tensor.data);
  device_free(gain_tensor.data);
  device_free(bias_tensor.data);
  device_free(y_tensor.data);
  return report_ratio("layernorm", (R + 8) / 9 * C, ratio);
}
