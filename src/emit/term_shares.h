// SPDX-License-Identifier: Apache-2.0
// Whether blocks may share the terms of a tile, each of which sums a part of them.
#pragma once

#include <map>
#include <optional>
#include <string>

#include "emit/tile_plan.h"

namespace tessera::emit {

/// The axis that blocks may share out, or why there is none.
struct SharedAxis {
  std::optional<ir::AxisId> axis = {};
  std::string reason = {};
};

/// Of a phase whose products are all summed in one loop over tiles, which does nothing else, with as many rounds in every
/// instance, or by one product that walks over its depth: sums of floats are in the order of the plan, those of integers in
/// any. `uses` of each value, by values and statements.
SharedAxis shared_axis(const ir::Kernel& kernel, const std::map<ir::ValueId, int>& uses, ir::SizeTable& sizes,
                       const TilePlan& plan);

/// The axes of the terms that are computed from a tile of a plan: of a product that reads it, or else of a fold.
AxisSet axes_of_terms(const ir::Kernel& kernel, const PhaseAnalysis& analysis, const TilePlan& plan,
                      const TileFactor& tile);

/// The bytes of a tile's sums that blocks leave for each other.
int64_t bytes_of_sums(const TilePlan& plan, const TileShape& shape);

/// Whether blocks may share the terms of a tile where nobody says how many do. Large tiles are many where they are worth it,
/// and leave few registers to read other sums into; one that teams take in turn leaves it to the same without teams.
bool may_share_terms(const TilePlan& plan, const TileShape& shape);

}  // namespace tessera::emit
