// SPDX-License-Identifier: Apache-2.0
// The comparison of what a run wrote with the independent evaluation.
#pragma once

#include <string>
#include <vector>

#include "fuzz/evaluate.h"

namespace tessera::fuzz {

/// What differs between an output of a run and the one expected; empty if nothing does. Numbers are compared, so that
/// zeros of both signs are equal: which of them is the greater one is left open (R26).
std::string difference(const Expected& expected, const std::string& name, const std::vector<double>& actual);

}  // namespace tessera::fuzz
