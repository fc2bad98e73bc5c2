// SPDX-License-Identifier: Apache-2.0
#include "emit/plan_lanes.h"

#include <fmt/format.h>

#include "emit/plan_requests.h"
#include "sema/ir/extents.h"

namespace tessera::emit {

namespace {

// Elements of a thread are written out one by one, and those that are kept are registers.
constexpr int kMostElements = 256;

struct Wording {
  std::string text;
  Span span;
  std::string nearest;
};

Wording wording_of(const ir::Kernel& kernel, const PlanOverrides& overrides, const Lane& lane, int64_t extent,
                   int64_t most) {
  const ir::Axis& axis = kernel.axes[lane.axis];
  std::string before = axis.name + " = ";
  Span span = axis.span;
  if (overrides.tiles.contains(axis.name)) {
    before = fmt::format("--plan tile.{}=", axis.name);
    span = kernel.span;
  } else if (lane.tile > 0) {
    before = axis.step == ir::StepKind::plan ? axis.step_name + " = " : "by ";
    span = axis.step_span;
  }
  return {before + std::to_string(extent), span, before + std::to_string(most)};
}

}  // namespace

int64_t fixed_extent(KernelPlan& plan, const Lane& lane) {
  if (lane.tile > 0) return lane.tile;
  if (lane.chunked || plan.phase.analysis.loops.contains(lane.axis)) return 0;
  return ir::greatest_extent(*plan.kernel, plan.sizes, lane.axis).value_or(0);
}

bool check_lanes(KernelPlan& plan, const PlanOverrides& overrides, DiagnosticSink& sink) {
  // Rows that do not fit are read again, and staged ones are cut into boxes.
  if (plan.phase.has_row_functions() || plan.phase.staging) return true;
  const std::optional<int> warps = requested_warps(*plan.kernel, overrides);
  const int threads = warps ? *warps * kWarp : kBlockThreads;
  const int64_t most = int64_t{threads} * kMostElements;
  for (const Lane& lane : plan.phase.lanes) {
    const int64_t extent = fixed_extent(plan, lane);
    if (extent <= most) continue;
    const auto [text, span, nearest] = wording_of(*plan.kernel, overrides, lane, extent, most);
    sink.report(Diag::request_impossible, span, text,
                fmt::format("{} threads take all of it at once, and at most {} elements each", threads,
                            kMostElements))
        .help("the nearest that can be is `{}`", nearest);
    return false;
  }
  return true;
}

}  // namespace tessera::emit
