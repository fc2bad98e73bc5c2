// SPDX-License-Identifier: Apache-2.0
// What is asked of a phase in tiles: honoured, or refused where it is written, with the nearest that can be.
#pragma once

#include "emit/plan_choices.h"
#include "emit/tile_blame.h"

namespace tessera::emit {

/// Fills the shapes of a plan as the source and the command line ask for, choice by choice.
ShapeDecision choose_requested_shapes(std::vector<PlanChoice> choices, const PhaseAnalysis& analysis,
                                      ir::SizeTable& sizes, const Target& target,
                                      const PlanOverrides& overrides, TilePlan& plan, DiagnosticSink& sink);

/// Reports what only a phase in tiles can honour, of a kernel that is none. False if there was anything.
bool refuse_tile_requests(const ir::Kernel& kernel, const std::string& reason, DiagnosticSink& sink);

}  // namespace tessera::emit
