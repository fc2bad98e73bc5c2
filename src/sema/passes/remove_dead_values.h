// SPDX-License-Identifier: Apache-2.0
// Removes values that nothing reads, variables that nothing reads, and numbers what is left in the order of
// definition.
#pragma once

#include "sema/ir/module.h"

namespace tessera::sema {

void remove_dead_values(ir::Kernel& kernel);

}  // namespace tessera::sema
