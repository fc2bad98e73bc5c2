/* SPDX-License-Identifier: Apache-2.0 */
/* bf16 for the C examples, which hold its bits: the upper half of a float. */
#ifndef EXAMPLES_BF16_H
#define EXAMPLES_BF16_H

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

/** The value of a bf16: exact. */
static inline double bf16_value(uint16_t bits) {
  const uint32_t wide = (uint32_t)bits << 16;
  float value;
  memcpy(&value, &wide, sizeof value);
  return value;
}

/** A bf16 between low and high, the same ones in every run: a random float without its lower half. */
static inline uint16_t bf16_random(double low, double high) {
  const float value = (float)(low + (high - low) * rand() / RAND_MAX);
  uint32_t bits;
  memcpy(&bits, &value, sizeof bits);
  return (uint16_t)(bits >> 16);
}

#endif
