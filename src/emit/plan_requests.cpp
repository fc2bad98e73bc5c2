// SPDX-License-Identifier: Apache-2.0
// Checks of `@warps`, tiles and overrides against what the ways of running can do.
#include "emit/plan_requests.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

namespace tessera::emit {

namespace {

/// A request of one number, beside `@warps`.
struct Count {
  std::string_view name;
  ir::RequestRange range;
};
constexpr std::array kCounts = {Count{"stages", ir::kStagesRange}, Count{"pipeline", ir::kStagesRange},
                                Count{"raster", ir::kRasterRange}, Count{"warpgroups", ir::kWarpgroupsRange},
                                Count{"cluster", ir::kClusterRange}, Count{"split", ir::kSplitRange}};

/// What the first request with one of the names asks for.
std::optional<int> requested(const ir::Kernel& kernel, std::initializer_list<std::string_view> names) {
  for (const ir::Request* request : all_requests(kernel))
    if (std::ranges::count(names, request->name) > 0 && !request->arguments.empty())
      return static_cast<int>(request->arguments[0]);
  return std::nullopt;
}

bool is_power_of_two(int64_t n) { return n > 0 && (n & (n - 1)) == 0; }

bool check_warps(int64_t warps, Span span, DiagnosticSink& sink) {
  if (ir::kWarpsRange.contains(warps)) return true;
  sink.report(Diag::warps_out_of_range, span, warps, ir::kWarpsRange.most);
  return false;
}

}  // namespace

std::vector<const ir::Request*> all_requests(const ir::Kernel& kernel) {
  std::vector<const ir::Request*> result;
  for (const ir::Request& request : kernel.requests) result.push_back(&request);
  for (const ir::Grid& grid : kernel.grids)
    for (const ir::Request& request : grid.requests) result.push_back(&request);
  return result;
}

bool check_requests(const ir::Kernel& kernel, const Target&, const PlanOverrides& overrides,
                    DiagnosticSink& sink) {
  bool sound = true;
  for (const ir::Request* request : all_requests(kernel)) {
    if (!request->parameter.empty() && request->arguments.empty()) continue;  // not settled yet
    const auto count = std::ranges::find(kCounts, request->name, &Count::name);
    if (request->name == "warps" && request->arguments.size() == 1) {
      sound &= check_warps(request->arguments[0], request->span, sink);
    } else if (count != kCounts.end() && request->arguments.size() == 1) {
      const int64_t number = request->arguments[0];
      if (count->range.contains(number)) continue;
      sink.report(Diag::request_impossible, request->span, fmt::format("@{}({})", count->name, number),
                  fmt::format("it is {} to {}", count->range.least, count->range.most));
      sound = false;
    } else {
      sink.report(Diag::annotation_not_honoured, request->span, request->name);
      sound = false;
    }
  }
  for (const ir::Tiling& tiling : kernel.tilings) {
    for (const std::string& name : tiling.architectures) {
      if (find_target(name)) continue;
      sink.report(Diag::unknown_target, tiling.span, name, known_targets());
      sound = false;
    }
  }
  if (overrides.warps) sound &= check_warps(*overrides.warps, kernel.span, sink);
  if (overrides.vector && (!is_power_of_two(*overrides.vector) || *overrides.vector > 16)) {
    sink.report(Diag::vector_width_impossible, kernel.span, *overrides.vector);
    sound = false;
  }
  for (const auto& [name, tile] : overrides.tiles) {
    const auto axis = std::find_if(kernel.axes.begin(), kernel.axes.end(),
                                   [&range = name](const ir::Axis& a) { return a.name == range; });
    if (axis != kernel.axes.end() && axis->step == ir::StepKind::plan && tile >= 1) continue;
    sink.report(Diag::tile_override_impossible, kernel.span, name, tile);
    sound = false;
  }
  return sound;
}

std::optional<int> requested_warps(const ir::Kernel& kernel, const PlanOverrides& overrides) {
  if (overrides.warps) return overrides.warps;
  return requested(kernel, {"warps"});
}

std::optional<int> requested_stages(const ir::Kernel& kernel, const PlanOverrides& overrides) {
  return overrides.stages ? overrides.stages : requested(kernel, {"stages", "pipeline"});
}

std::optional<int> requested_raster(const ir::Kernel& kernel, const PlanOverrides& overrides) {
  return overrides.raster ? overrides.raster : requested(kernel, {"raster"});
}

std::optional<int> requested_cluster(const ir::Kernel& kernel, const PlanOverrides& overrides) {
  return overrides.cluster ? overrides.cluster : requested(kernel, {"cluster"});
}

std::optional<int> requested_split(const ir::Kernel& kernel, const PlanOverrides& overrides) {
  return overrides.split ? overrides.split : requested(kernel, {"split"});
}

std::optional<int> requested_warpgroups(const ir::Kernel& kernel, const PlanOverrides& overrides) {
  return overrides.warpgroups ? overrides.warpgroups : requested(kernel, {"warpgroups"});
}

}  // namespace tessera::emit
