// SPDX-License-Identifier: Apache-2.0
// Operations on presence that have become idle, since it is proved what exists:
//   a ?? b, a total                   ->  a
//   where(c, a), total                ->  a       (c holds wherever it is observed)
//   count[c](a), a total, c a `let`   ->  the extent of c
// A value is only replaced by one with the same axes.
#pragma once

#include "sema/ir/module.h"

namespace tessera::sema {

void drop_presence_tests(ir::Kernel& kernel);

}  // namespace tessera::sema
