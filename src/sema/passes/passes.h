// SPDX-License-Identifier: Apache-2.0
// The passes of sema, none of which knows a chip.
#pragma once

#include "sema/ir/module.h"

namespace tessera::sema {

/// Runs all passes over a legal kernel; `ir::verify` holds after each.
void run_passes(ir::Kernel& kernel);

}  // namespace tessera::sema
