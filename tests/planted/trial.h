// SPDX-License-Identifier: Apache-2.0
// Runs a program in every way the net has, until something is wrong.
#pragma once

#include <optional>
#include <string>

#include "planted/kernel_set.h"
#include "planted/program.h"

namespace tessera::planted {

/// What found a fault.
struct Kill {
  std::string how;     ///< "mismatch", "twin: shared race", "compile error"
  std::string detail;  ///< for people
};

/// All problems, dense and in other layouts, under several orders of threads, with early and late copies and with few
/// blocks. Nothing when all is well.
std::optional<Kill> try_problems(const Program& program, Problems& problems, std::size_t first_round,
                                 std::size_t rounds);

}  // namespace tessera::planted
