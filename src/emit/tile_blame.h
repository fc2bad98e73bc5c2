// SPDX-License-Identifier: Apache-2.0
// Who is to blame when no shape of tiles fits what is asked for.
#pragma once

#include "emit/tile_shape.h"

namespace tessera::emit {

enum class ShapeOutcome {
  chosen,
  refused,     // for a request, which was reported
  impossible,  // whatever is asked for: products are sums
};

struct ShapeDecision {
  ShapeOutcome outcome = ShapeOutcome::chosen;
  std::string reason = {};              // of what is impossible
  std::optional<TilePlan> groups = {};  // the same phase by warpgroups, where they are asked for
  std::vector<TilePlan> turned = {};    // the same where a factor is turned
};

/// For a plan that no shape fits: reports each request that is in the way, with the limit and the nearest that can be.
/// Impossible if none is.
ShapeDecision blame(const ir::Kernel& kernel, const PhaseAnalysis& analysis, ir::SizeTable& sizes,
                    const Target& target, const PlanOverrides& overrides, const TilePlan& plan,
                    DiagnosticSink& sink);

}  // namespace tessera::emit
