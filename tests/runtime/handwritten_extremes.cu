// SPDX-License-Identifier: Apache-2.0
// Signed extremes of what is negated, of all widths that ptxas fuses.
#include "tessera/kernel.h"

using namespace tessera;

template <typename T>
TESSERA_DEVICE T extremes(View<const T, 1> x) {
  T most = integer::negate(x.load({0})), least = most, chosen = most;
  for (tessera::index i = 1; i < 4; ++i) {
    const T value = integer::negate(x.load({i}));
    most = maximum(most, value);
    least = minimum(least, value);
    chosen = chosen < value ? value : opaque(chosen);
  }
  return integer::subtract(integer::subtract(most, chosen), integer::abs(least));
}

#define EXTREMES(name, type)                                                              \
  TESSERA_KERNEL(32)                                                                      \
  void name(TESSERA_PARAMETER View<const type, 1> x, TESSERA_PARAMETER View<type, 1> y) { \
    if (thread_index() == 0) y.store({0}, extremes(x));                                   \
  }

EXTREMES(words, std::int32_t)
EXTREMES(halves, std::int16_t)
EXTREMES(bytes, std::int8_t)
