// SPDX-License-Identifier: Apache-2.0
// `@autotune`: every member is checked and priced, and the cheapest is taken. Nothing is run.
#pragma once

#include "emit/tile_shape.h"

namespace tessera::emit {

/// Sets the plan parameters of the kernel to the cheapest member that can be honoured, and notes all of them in the plan.
/// Returns why there is none, or "".
std::string pick_member(ir::Kernel& kernel, ir::SizeTable& sizes, const Target& target,
                        const PlanOverrides& overrides, TilePlan& plan);

}  // namespace tessera::emit
