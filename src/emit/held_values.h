// SPDX-License-Identifier: Apache-2.0
// Values that a group of threads makes together, before its threads part for the elements that need them.
#pragma once

#include <map>
#include <optional>

#include "emit/plan.h"

namespace tessera::emit {

/// What a group folds for each coordinate of loops inside of its threads, and what is made of it alone, up to where
/// elements of lanes need it. Once the threads have parted for these, they can fold nothing together: so all coordinates are
/// folded before, and held, with their extents along each looped axis. Where several loops need a fold, it is held as well if
/// there is room, so that it is made once. `looped`: the axes that loops inside of threads bind. Nothing if what must be
/// held has no bound or takes more shared memory than a group has for it.
std::optional<std::map<ir::ValueId, HeldAxes>> held_values(const ir::Kernel& kernel, ir::SizeTable& sizes,
                                                           const PlanOverrides& overrides,
                                                           const PhasePlan& phase, const AxisSet& lanes,
                                                           const AxisSet& looped);

/// Shared memory that a group has for what a phase holds, at most.
int64_t held_bytes_of_group(const ir::Kernel& kernel, const PhasePlan& phase);

/// Looped axes that writes may loop over around their elements instead, so that nothing needs to be held along them: what is
/// folded for each of their coordinates goes into results for that coordinate, or into what no element of a lane has. Not
/// into a fold over the axis together with that of lanes: its loop stands inside of theirs.
AxisSet axes_around_writes(const ir::Kernel& kernel, const PhaseAnalysis& analysis, const AxisSet& lanes,
                           const AxisSet& looped);

}  // namespace tessera::emit
