// SPDX-License-Identifier: Apache-2.0
// One compiled program on the host twin: layouts, variants, schedules.
#pragma once

#include <string>

#include "fuzz/evaluate.h"
#include "sweep/executor.h"

namespace tessera::fuzz {

/// Runs a program in one layout of its tensors, which the seed chooses for each of four schedules (forward and reverse,
/// two at random; copies early and late): the variant that the launcher chooses under all of them, every other one
/// under one. Outputs are poisoned before, and no byte around an element may change. What is wrong, or nothing.
std::string run_on_twin(sweep::Entry entry, const Program& program, int problem, const Expected& expected,
                        std::uint64_t seed, std::size_t& runs);

}  // namespace tessera::fuzz
