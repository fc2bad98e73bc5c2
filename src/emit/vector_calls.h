// SPDX-License-Identifier: Apache-2.0
// Functions that branch for rare arguments are called once for a whole vector, not once for each element.
#pragma once

#include <string>

#include "emit/lowered.h"
#include "emit/naming.h"

namespace tessera::emit {

/// Splits the loops over the elements of vectors, `for (int <item> = 0; <item> < <count>; …)`, at expressions
/// that have a vector form and at extremes of whole vectors. A loop stays as it is where the parts would see
/// each other's results in another order.
void call_on_vectors(lowered::Block& block, const std::string& item, const std::string& count,
                     NameAllocator& names);

}  // namespace tessera::emit
