// SPDX-License-Identifier: Apache-2.0
// Symbols that constraints make equal to other sizes: `where W == 2*D` lets 2*D stand for W.
#pragma once

#include <map>

#include "sema/ir/module.h"

namespace tessera::sema {

/// What stands for a symbol in proofs; no symbol that is replaced occurs in a replacement.
std::map<ir::SymbolId, ir::SizeId> find_equalities(ir::Kernel& kernel);

}  // namespace tessera::sema
