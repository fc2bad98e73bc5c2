// SPDX-License-Identifier: Apache-2.0
// One compiled program where its code runs, on the host twin or on a GPU: layouts, variants, orders.
#pragma once

#include <string>

#include "fuzz/evaluate.h"
#include "sweep/executor.h"

namespace tessera::fuzz {

/// Runs a program in four layouts of its tensors, which the seed chooses: in each the variant that the launcher takes
/// and one more, in the last one every variant that is left. On the twin each layout comes with an order of its own:
/// threads forward, in reverse or at random, copies that arrive late or early, few blocks or as many as there are
/// tiles. Outputs are poisoned before, and no byte around an element may change. What is wrong, or nothing.
std::string launch_everywhere(sweep::Entry entry, const Program& program, int problem,
                              const Expected& expected, std::uint64_t seed, std::size_t& runs);

}  // namespace tessera::fuzz
