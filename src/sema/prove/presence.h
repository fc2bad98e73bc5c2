// SPDX-License-Identifier: Apache-2.0
// Which values exist everywhere and which indices are inside: `Value::total` and the `in_bounds` bits.
#pragma once

#include "sema/ir/module.h"
#include "sema/prove/prover.h"

namespace tessera::sema {

/// Fills in `total` and `in_bounds` of a whole kernel. A value is total if it exists at every point at which
/// something observes it: below `y[r, :] = e / sum[C](e)` a point has a coordinate in C, so `max[C](x)` has one to
/// choose from, and is total although C may be 0. `in_bounds` never leans on that.
void mark_presence(Prover& prover);

}  // namespace tessera::sema
