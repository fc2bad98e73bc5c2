// SPDX-License-Identifier: Apache-2.0
// What a kernel computes where a condition holds at no point: which values do not exist, which loops do nothing. Rounds
// of a loop and terms of a sum that come to nothing need not be computed, so loops may end where a relation does.
#pragma once

#include <vector>

#include "sema/ir/conjunct.h"
#include "sema/ir/module.h"

namespace tessera::ir {

/// The comparisons that mention `axis` and stand in filters of these values' operands or of a loop's body. Ends of the
/// axis may follow from them: where one fails everywhere, the value is absent, or the round has no effect.
std::vector<Conjunct> ends_of_value(const Kernel& kernel, SizeTable& sizes, ValueId value, AxisId axis);
std::vector<Conjunct> ends_of_loop(const Kernel& kernel, SizeTable& sizes, const Loop& loop);

}  // namespace tessera::ir
