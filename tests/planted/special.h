// SPDX-License-Identifier: Apache-2.0
// Numbers that plain problems lack: NaN, infinities, denormals, ties of rounding. The interpreter says what is right.
#pragma once

#include <memory>
#include <optional>
#include <vector>

#include "planted/kernel_set.h"
#include "planted/trial.h"

namespace tessera::planted {

/// A problem with such numbers among its inputs, and what the interpreter makes of them.
struct SpecialProblem {
  std::unique_ptr<reference::Problem> problem;
  sweep::Outputs expected;
  bool bitwise;  ///< or which elements are NaN or infinite, where the order of sums is open
};
using SpecialProblems = std::vector<SpecialProblem>;

/// One for each kernel of a set that reads floats.
SpecialProblems special_problems(const KernelSet& set);

/// Runs every variant.
std::optional<Kill> try_special(const Program& program, SpecialProblems& problems);

}  // namespace tessera::planted
