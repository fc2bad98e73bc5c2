// SPDX-License-Identifier: Apache-2.0
// How much there is to compute for a problem: tensors may be small and their products large.
#pragma once

#include "commands/problem.h"

namespace tessera::commands {

/// Values of single points that a run computes, all operations together, products not below what whole tiles of them
/// take; as a floating number, for it may be huge.
double count_terms(const Problem& problem);

}  // namespace tessera::commands
