// SPDX-License-Identifier: Apache-2.0
// Makes a program that fails smaller, as long as it fails in the same way.
#pragma once

#include <functional>

#include "fuzz/program.h"

namespace tessera::fuzz {

/// Drops statements, outputs and problems, shrinks extents, and puts operands in the place of operations, until nothing
/// of it keeps `still_fails` true. Candidates may be programs that the checker refuses; they do not fail then.
Program reduce(Program program, const std::function<bool(const Program&)>& still_fails,
               int most_attempts = 400);

}  // namespace tessera::fuzz
