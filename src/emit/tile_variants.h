// SPDX-License-Identifier: Apache-2.0
// The instantiations of a function in tiles: one for each shape, way of copying and order of the factors in memory.
#pragma once

#include <string>

#include "emit/plan.h"

namespace tessera::emit {

/// Fills `plan.phase.variants`, in the order in which the launcher tries them; the last ones take every launch.
void choose_tile_variants(KernelPlan& plan);

/// The tiles, products and shapes of a plan as text, for `--emit=plan`.
std::string describe_tiles(const KernelPlan& plan);

}  // namespace tessera::emit
