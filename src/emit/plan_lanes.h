// SPDX-License-Identifier: Apache-2.0
// How much of a lane the threads of a block take at once, where tiles or literals say it.
#pragma once

#include "emit/plan.h"

namespace tessera::emit {

constexpr int kWarp = 32;
constexpr int kBlockThreads = 256;  // of a block that no annotation sizes

/// What tiles or literals fix of a lane's extent; 0 where they do not.
int64_t fixed_extent(KernelPlan& plan, const Lane& lane);

/// Refuses tiles of loops, and bounded state, of which a thread would take more elements than can be written out. False
/// after a diagnostic.
bool check_lanes(KernelPlan& plan, const PlanOverrides& overrides, DiagnosticSink& sink);

}  // namespace tessera::emit
