// SPDX-License-Identifier: Apache-2.0
// The numbers that requests of one number take.
#pragma once

#include "sema/ir/module.h"

namespace tessera::ir {

inline constexpr RequestRange kSplitRange{1, 64};

}  // namespace tessera::ir
