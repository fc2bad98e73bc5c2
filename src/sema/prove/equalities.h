// SPDX-License-Identifier: Apache-2.0
// Symbols that constraints make equal to other sizes: `where W == 2*D` lets 2*D stand for W, and `where C % 2 == 0`
// lets 2*(C/2) stand for C.
#pragma once

#include <map>

#include "sema/ir/module.h"

namespace tessera::sema {

/// What stands for a symbol in proofs. To replace twice is to replace once: no symbol that is replaced occurs in a
/// replacement, but for a multiple of its own quotient.
std::map<ir::SymbolId, ir::SizeId> find_equalities(ir::Kernel& kernel);

}  // namespace tessera::sema
