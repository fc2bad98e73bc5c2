// SPDX-License-Identifier: Apache-2.0
// The reciprocal square root, from the two correctly rounded operations; sqrt itself is in bits.h.
#pragma once

#include "tessera/math/bits.h"

namespace tessera::math {

TESSERA_HD float rsqrt(float x) { return 1.0f / sqrt(x); }
TESSERA_HD double rsqrt(double x) { return 1.0 / sqrt(x); }

}  // namespace tessera::math
