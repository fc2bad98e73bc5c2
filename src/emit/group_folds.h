// SPDX-License-Identifier: Apache-2.0
// Folds along what products sum over, where warpgroups multiply: their threads read the lines of tiles that copies bring
// while products are under way.
#pragma once

#include <string>

#include "emit/tile_plan.h"

namespace tessera::emit {

/// Notes in a plan by warpgroups which tiles threads fold: lines of these run as their tensors are declared. Folds of what
/// factors are computed from read that; what they need of rows known before is shared.
void fold_beside_products(const ir::Kernel& kernel, TilePlan& plan);

/// Why the folds of a plan by warpgroups, or what is computed from rows known before, cannot be; "" if they can, as far as
/// their tiles can be brought by copies.
std::string obstacle_of_folds(const ir::Kernel& kernel, const TilePlan& plan);

/// Registers of a thread for the results of folds that no variable gets.
int64_t registers_of_folds(const ir::Kernel& kernel, const TilePlan& plan, const TileShape& shape);

}  // namespace tessera::emit
