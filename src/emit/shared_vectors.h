// SPDX-License-Identifier: Apache-2.0
// What threads share of rows or columns in registers, where they compute from it what has other coordinates.
#pragma once

#include <set>

#include "emit/tile_plan.h"

namespace tessera::emit {

/// Adds what is in registers below a value, if each of these is known for each row (column) along `width` alone; false if
/// not, or if it is a product or a variable.
bool collect_vectors(const ir::Kernel& kernel, const TilePlan& plan, ir::ValueId value, ir::AxisId width,
                     std::set<ir::ValueId>& vectors);

}  // namespace tessera::emit
