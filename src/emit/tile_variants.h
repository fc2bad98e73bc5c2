// SPDX-License-Identifier: Apache-2.0
// The instantiations of a function in tiles: one for each shape and way of copying and, where threads copy, for each order of
// the factors in memory.
#pragma once

#include <string>

#include "emit/plan.h"

namespace tessera::emit {

/// Fills `plan.phase.variants`, in the order in which the launcher tries them; the last ones take every launch.
void choose_tile_variants(KernelPlan& plan);

/// Whether threads copy chunks of 16 bytes in a variant of a function in tiles. Where they copy element by element in all,
/// what they bring is there as soon as they meet.
bool copies_chunks(KernelPlan& plan, size_t function);

/// The last of the choices of the requests, which the launcher tries one after another.
size_t last_choice(const KernelPlan& plan);

/// The tiles, products and shapes of a plan as text, for `--emit=plan`.
std::string describe_tiles(const KernelPlan& plan);

}  // namespace tessera::emit
