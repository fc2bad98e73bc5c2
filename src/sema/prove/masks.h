// SPDX-License-Identifier: Apache-2.0
// A warning for masks made of -inf: where all of a window is masked, max - max is NaN. Absence has no such trap.
#pragma once

#include "sema/context.h"

namespace tessera::sema {

/// Warns where a value masked with -inf meets, in a difference, its own maximum.
void warn_infinite_masks(Context& context);

}  // namespace tessera::sema
