// SPDX-License-Identifier: Apache-2.0
// Loads at several constant distances from the point at hand: what neighbouring threads and elements share.
#pragma once

#include "emit/plan.h"

namespace tessera::emit {

/// Loops of at most as many turns are written out, so that neighbouring elements share what they read.
inline constexpr int64_t kUnrolledWindow = 5;

/// Finds the loads that differ by constant distances along a lane, and makes windows of them; then the unit axes along
/// which loads differ, so that neighbours are taken by one block. Vector accesses are known by now.
void choose_windows(const ir::Kernel& kernel, ir::SizeTable& sizes, PhasePlan& phase);

}  // namespace tessera::emit
