/* SPDX-License-Identifier: Apache-2.0 */
/* Numbers for the examples: random ones, the bits of bf16 (the upper half of a float), errors against
   bounds. */
#ifndef EXAMPLES_NUMBERS_H
#define EXAMPLES_NUMBERS_H

#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

/** A number between low and high: the same ones in every run of the program. */
static inline double random_between(double low, double high) {
  return low + (high - low) * rand() / RAND_MAX;
}

/** The value of a bf16: exact. */
static inline double bf16_value(uint16_t bits) {
  const uint32_t wide = (uint32_t)bits << 16;
  float value;
  memcpy(&value, &wide, sizeof value);
  return value;
}

/** A bf16 between low and high: a random float without its lower half. */
static inline uint16_t bf16_random(double low, double high) {
  const float value = (float)random_between(low, high);
  uint32_t bits;
  memcpy(&bits, &value, sizeof bits);
  return (uint16_t)(bits >> 16);
}

/** The error of a sum of `count` products of bf16 in f32, whose magnitudes add up to `magnitude`: see "Sums
    and products" in docs/math.md. */
static inline double product_error(int64_t count, double magnitude) {
  return 2.25 * (double)(count + 2) * 0x1p-24 * magnitude;
}

/** The largest error of storing a number of about `value` as bf16. */
static inline double bf16_rounding(double value) { return 0x1p-8 * fabs(value) + 0x1p-134; }

/** `error / bound`, infinite where there must be no error; NaN counts as infinitely wrong. */
static inline double error_ratio(double error, double bound) {
  if (error == 0) return 0;
  return bound > 0 && !isnan(error) ? error / bound : INFINITY;
}

#endif
