// SPDX-License-Identifier: Apache-2.0
// Two stores with the same indices in one block become one: `y[i] = a; y[i] = b;` is `y[i] = b ?? a;`.
#pragma once

#include "sema/ir/module.h"

namespace tessera::sema {

/// Afterwards an instance stores to each element once; that no others meet was proved (prove/legality.cpp).
void merge_stores(ir::Kernel& kernel);

}  // namespace tessera::sema
