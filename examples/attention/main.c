/* SPDX-License-Identifier: Apache-2.0 */
/* Attention through the C interface; every element is compared with a loop in f64. */
#include <math.h>

#include "../common/device.h"
#include "../common/numbers.h"
#include "attention.h"

enum { B = 1, H = 2, S = 37, D = 64, kElements = B * H * S * D };

/* The error that is permitted: main.cpp says why. Here sums of magnitudes are taken from the largest query, 4, and the
   largest key and value, 1; every weight is as far off as the one of the least logit; the maximum rises S times. */
static double compare_row(const uint16_t* q, const uint16_t* keys, const uint16_t* values,
                          const uint16_t* row, double scale) {
  double logit[S], top = -INFINITY, bottom = INFINITY, norm = 0, ratio = 0;
  for (int t = 0; t < S; ++t) {
    logit[t] = 0;
    for (int d = 0; d < D; ++d) logit[t] += scale * bf16_value(q[d]) * bf16_value(keys[t * D + d]);
    top = fmax(top, logit[t]), bottom = fmin(bottom, logit[t]);
  }
  for (int t = 0; t < S; ++t) norm += exp(logit[t] - top);
  const double distance = top - bottom, largest = fmax(fabs(top), fabs(bottom));
  const double exponent = scale * product_error(D, 4.0 * D) + 0x1p-24 * (largest + distance);
  const double weight = expm1(exponent + 0x1p-20 * (1 + distance) + S * (0x1p-20 + 0x1p-23));
  const double narrowed = weight + 0x1p-8 * (1 + weight);
  for (int d = 0; d < D; ++d) {
    double expected = 0;
    for (int t = 0; t < S; ++t) expected += exp(logit[t] - top) / norm * bf16_value(values[t * D + d]);
    const double sum_error = weight + (S + 2) * 0x1p-24 * (1 + weight);
    const double error =
        (narrowed + product_error(S, 1 + narrowed) + fabs(expected) * sum_error) / (1 - sum_error) +
        0x1p-24 * fabs(expected);
    const double bound = error + bf16_rounding(fabs(expected) + error);
    ratio = fmax(ratio, error_ratio(fabs(bf16_value(row[d]) - expected), bound));
  }
  return ratio;
}

int main(void) {
  static uint16_t q[kElements], k[kElements], v[kElements], o[kElements]; /* the bits of bf16 */
  for (int i = 0; i < kElements; ++i)
    q[i] = bf16_random(-4, 4), k[i] = bf16_random(-1, 1), v[i] = bf16_random(-1, 1);

  const TesseraTensor q_tensor = {.data = device_copy(q, sizeof q),
                                  .extent = {B, H, S, D},
                                  .stride = {H * S * D, S * D, D, 1},
                                  .rank = 4,
                                  .dtype = TESSERA_BF16,
                                  .device = device_ordinal()};
  TesseraTensor k_tensor = q_tensor, v_tensor = q_tensor, o_tensor = q_tensor;
  k_tensor.data = device_copy(k, sizeof k);
  v_tensor.data = device_copy(v, sizeof v);
  o_tensor.data = device_poisoned(sizeof o);
  const float scale = 0.125f; /* 1 / sqrt(D) */

  launch_must(tessera_attention(&q_tensor, &k_tensor, &v_tensor, &o_tensor, scale, NULL));

  device_read(o, o_tensor.data, sizeof o);
  double ratio = 0;
  for (int row = 0; row < B * H * S; ++row) {
    const int head = row / S * S;
    ratio = fmax(ratio, compare_row(q + row * D, k + head * D, v + head * D, o + row * D, scale));
  }
  device_free(q_tensor.data);
  device_free(k_tensor.data);
  device_free(v_tensor.data);
  device_free(o_tensor.data);
  return report_ratio("attention", kElements, ratio);
}
