// SPDX-License-Identifier: Apache-2.0
// Which names a lowered block mentions, and the removal of locals that nothing mentions.
#pragma once

#include <set>
#include <string>

#include "emit/lowered.h"

namespace tessera::emit {

/// Every identifier in expressions and loop headers; the names that locals declare do not count.
std::set<std::string> identifiers_in(const lowered::Block& block);

/// Removes locals without a use, and loops and branches that are left empty.
void remove_unused_locals(lowered::Block& block);

}  // namespace tessera::emit
