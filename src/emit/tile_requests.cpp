// SPDX-License-Identifier: Apache-2.0
// The choices of a phase in tiles, one after another, and what each of them asks for.
#include "emit/tile_requests.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <iterator>
#include <span>

#include "emit/group_products.h"
#include "emit/plan_requests.h"
#include "emit/team_plan.h"
#include "emit/term_shares.h"
#include "emit/tile_members.h"
#include "emit/tile_price.h"
#include "emit/turned_plan.h"
#include "emit/uneven_loops.h"
#include "emit/warpgroup_plan.h"

namespace tessera::emit {

namespace {

constexpr int kUnevenRaster = 16;  // rows of units, whose tensors the second-level cache holds together

/// Chooses, or tells why there is nothing to choose.
ShapeDecision choose(const ir::Kernel& kernel, const PhaseAnalysis& analysis, ir::SizeTable& sizes,
                     const Target& target, const PlanOverrides& overrides, TilePlan& plan,
                     DiagnosticSink& sink) {
  TilePlan attempt = plan;
  if (choose_shapes(kernel, sizes, target, overrides, attempt).empty()) {
    plan = std::move(attempt);
    return {};
  }
  return blame(kernel, analysis, sizes, target, overrides, plan, sink);
}

const ir::Request* find_request(const ir::Kernel& kernel, std::initializer_list<std::string_view> names) {
  for (const ir::Request* request : all_requests(kernel))
    if (std::ranges::count(names, request->name) > 0) return request;
  return nullptr;
}

bool refuse(const ir::Request& request, std::string_view reason, DiagnosticSink& sink) {
  sink.report(Diag::request_impossible, request.span,
              fmt::format("@{}({})", request.name, request.arguments[0]), reason);
  return false;
}

/// Another count of warpgroups that can run the phase, the nearest, or 0.
int nearest_groups(const ir::Kernel& kernel, ir::SizeTable& sizes, const Target& target,
                   const PlanOverrides& overrides, const TilePlan& plan, int asked) {
  int nearest = 0;
  for (int groups = 1; groups <= ir::kWarpgroupsRange.most; ++groups) {
    const bool is_nearer = nearest == 0 || std::abs(groups - asked) < std::abs(nearest - asked);
    if (is_nearer && !choose_group_shapes({kernel, sizes, target, overrides, plan, groups}).shapes.empty())
      nearest = groups;
  }
  return nearest;
}

/// Whether blocks run in the clusters that a request asks for; reports it if not.
bool check_cluster(const ir::Kernel& kernel, const std::vector<TileShape>& shapes, const std::string& reason,
                   DiagnosticSink& sink) {
  const ir::Request* request = find_request(kernel, {"cluster"});
  if (!request || request->arguments[0] <= 1) return true;
  if (std::ranges::any_of(shapes, [](const TileShape& shape) { return shape.cluster != 1; })) return true;
  sink.report(Diag::request_impossible, request->span, fmt::format("@cluster({})", request->arguments[0]),
              !reason.empty()
                  ? reason
                  : "blocks with neighbouring rows of tiles have no factor in common, or loops of "
                    "different lengths")
      .help("the nearest that can be is `@cluster(1)`");
  return false;
}

/// What shapes by warpgroups that compete for launches take of a multiprocessor.
void set_clocks(const ir::Kernel& kernel, const TilePlan& plan, std::vector<TileShape>& shapes) {
  for (TileShape& shape : shapes) {
    if (shapes.size() > 1) shape.clocks = round_clocks(kernel, plan, shape);
    shape.clocks_behind = clocks_behind_products(kernel, plan, shape);
  }
}

/// Adds the shapes by warpgroups of a choice: those that it asks for, and where it asks for nothing, those that can be.
/// False where what it asks for cannot be: that is reported. Options of the command line stand for the phases that can
/// run so in some tiles.
bool add_group_shapes(const ir::Kernel& kernel, const PhaseAnalysis& analysis, ir::SizeTable& sizes,
                      const Target& target, const PlanOverrides& overrides, TilePlan& plan,
                      std::optional<TilePlan>& groups, DiagnosticSink& sink) {
  const std::optional<int> asked = requested_warpgroups(kernel, overrides);
  if (overrides.warpgroups == 0) return true;
  if (asked == 0) return check_cluster(kernel, {}, "blocks run in clusters where warpgroups multiply", sink);
  if (!asked.has_value() && !target.has(kWarpgroups))
    return check_cluster(kernel, {}, fmt::format("{} has no clusters", target.name), sink);
  if (!asked.has_value() && takes_turns_with_products(kernel, analysis.uses, by_warpgroups(kernel, plan))) {
    plan.obstacle = "threads compute a factor, and take what becomes of the product, in each round";
    return check_cluster(kernel, {}, plan.obstacle, sink);
  }
  const bool may_take_turns = !asked.has_value() && may_have_teams(kernel, analysis.uses, sizes, overrides,
                                                                   by_warpgroups(kernel, plan));
  GroupShapes chosen = choose_group_shapes({kernel, sizes, target, overrides, plan, asked}, may_take_turns);
  if (!chosen.shapes.empty()) {
    if (!check_cluster(kernel, chosen.shapes, "", sink)) return false;
    if (!groups) groups = by_warpgroups(kernel, plan);
    set_clocks(kernel, *groups, chosen.shapes);
    std::ranges::move(chosen.shapes, std::back_inserter(groups->shapes));
    return true;
  }
  plan.obstacle = chosen.reason;
  const ir::Request* request = overrides.warpgroups ? nullptr : find_request(kernel, {"warpgroups"});
  if (!asked.has_value() || (!request && chosen.is_of_phase))
    return check_cluster(kernel, {}, chosen.reason, sink);
  const std::string text =
      request ? fmt::format("@warpgroups({})", *asked) : fmt::format("--plan warpgroups={}", *asked);
  auto report =
      sink.report(Diag::request_impossible, request ? request->span : kernel.span, text, chosen.reason);
  const int nearest = nearest_groups(kernel, sizes, target, overrides, plan, *asked);
  if (nearest != 0)
    report.help("the nearest that can be is `{}{}{}`",
                request ? "@warpgroups(" : "--plan warpgroups=", nearest, request ? ")" : "");
  return false;
}

/// Plans by warpgroups for the launches in which a factor lies across what is summed over. They have no clusters, and share
/// terms if the other does.
std::vector<TilePlan> plan_turned_tiles(const ir::Kernel& kernel, const PhaseAnalysis& analysis,
                                        ir::SizeTable& sizes, const Target& target,
                                        const PlanOverrides& overrides, const TilePlan& plan,
                                        const TilePlan& groups) {
  std::vector<TilePlan> result;
  for (const TilePlan& turned : turned_plans(kernel, overrides, sizes, plan, groups)) {
    GroupShapes chosen = choose_group_shapes({kernel, sizes, target, overrides, turned, std::nullopt});
    if (chosen.shapes.empty()) continue;
    TilePlan tiles = by_warpgroups(kernel, turned);
    set_clocks(kernel, tiles, chosen.shapes);
    tiles.shapes = std::move(chosen.shapes);
    if (groups.shared_axis) tiles.shared_axis = shared_axis(kernel, analysis.uses, sizes, tiles).axis;
    result.push_back(std::move(tiles));
  }
  return result;
}

/// Lets blocks share the terms of tiles, unless one alone is asked for. False where that is asked for and cannot be: that is
/// reported. Options of the command line are for the kernels that can honour them.
bool share_terms(const ir::Kernel& kernel, const PhaseAnalysis& analysis, ir::SizeTable& sizes,
                 const PlanOverrides& overrides, const std::string& obstacle, std::optional<TilePlan>& groups,
                 size_t first, DiagnosticSink& sink) {
  const int asked = requested_split(kernel, overrides).value_or(0);
  SharedAxis shared{{}, obstacle.empty() ? "blocks share terms where warpgroups multiply" : obstacle};
  if (groups && first < groups->shapes.size()) {
    shared = shared_axis(kernel, analysis.uses, sizes, *groups);
    groups->shared_axis = shared.axis;
    for (TileShape& shape : std::span(groups->shapes).subspan(first)) shape.split = asked;
  }
  const ir::Request* request = find_request(kernel, {"split"});
  if (shared.axis || asked <= 1 || !request) return true;
  sink.report(Diag::request_impossible, request->span, fmt::format("@split({})", asked), shared.reason)
      .help("the nearest that can be is `@split(1)`");
  return false;
}

bool has_rings(const TilePlan& plan) {
  const auto is_in_ring = [](const TileFactor& factor) {
    return factor.in_ring || std::ranges::any_of(factor.parts, &TileFactor::in_ring);
  };
  return std::ranges::any_of(plan.products, [&](const auto& entry) {
    return is_in_ring(entry.second.rows) || is_in_ring(entry.second.columns);
  });
}

/// What is asked for by name, and the plan has nothing of. Options of the command line are for all kernels of a file,
/// and stand for those that can honour them.
bool check_applicable(const ir::Kernel& kernel, const TilePlan& plan, DiagnosticSink& sink) {
  for (const ir::AxisId axis : plan.units) {
    const ir::Axis& unit = kernel.axes[axis];
    if (unit.step_size <= 1) continue;
    sink.report(Diag::request_impossible, unit.step_span,
                fmt::format("{} = {}", unit.step_name, unit.step_size),
                fmt::format("a block takes one coordinate of `{}`, which is no axis of the tiles", unit.name))
        .fix(unit.step_span, "1", "the nearest that can be is `1`");
    return false;
  }
  const ir::Request* stages = find_request(kernel, {"stages", "pipeline"});
  const ir::Request* raster = find_request(kernel, {"raster"});
  if (stages && !has_rings(plan))
    return refuse(*stages, "no loop over tiles brings a factor, so there are no stages", sink);
  if (raster && !has_raster(kernel, plan))
    return refuse(*raster, "the last two axes of the grid are not both tiles of a product", sink);
  return true;
}

/// Whether a condition holds for every launch that a shape is made for, as far as the values of listed symbols show.
bool always_holds(const ir::Constraint& constraint, const ir::SizeTable& sizes, const TileShape& shape) {
  const bool is_member = constraint.relation == ir::Relation::member;
  for (const ir::SizeId side : {constraint.left, is_member ? constraint.left : constraint.right})
    for (const ir::SymbolId symbol : sizes.symbols_of(side))
      if (!shape.symbols.contains(symbol)) return false;
  const auto value = [&](ir::SizeId size) {
    return sizes.evaluate(size, [&](ir::SymbolId symbol) { return shape.symbols.at(symbol); });
  };
  return ir::holds(constraint, value(constraint.left), is_member ? 0 : value(constraint.right));
}

/// Leaves out the shapes from `first` on whose launches all go to shapes of an earlier choice.
void drop_taken(const std::vector<PlanChoice>& choices, size_t current, const ir::SizeTable& sizes,
                size_t first, std::vector<TileShape>& shapes) {
  const auto is_taken = [&](const TileShape& shape) {
    return std::any_of(choices.begin(), choices.begin() + static_cast<std::ptrdiff_t>(current),
                       [&](const PlanChoice& earlier) {
                         return std::ranges::all_of(earlier.when, [&](const ir::Constraint& constraint) {
                           return always_holds(constraint, sizes, shape);
                         });
                       });
  };
  shapes.erase(std::remove_if(shapes.begin() + static_cast<std::ptrdiff_t>(first), shapes.end(), is_taken),
               shapes.end());
}

/// Whether every choice has shapes by warpgroups.
bool runs_by_groups(const TilePlan& plan, const TilePlan& groups) {
  return std::ranges::all_of(plan.shapes, [&](const TileShape& shape) {
    return std::ranges::count(groups.shapes, shape.choice, &TileShape::choice) > 0;
  });
}

/// Tensors whose lines begin anywhere are copied into lines for boxes.
void leave_shifts_out(TilePlan& plan) {
  plan.shifts = false;
  for (TileShape& shape : plan.shapes) shape.end_bytes = 0;
}

/// What has no boxes then has few terms, unless workspace is refused: halves of tiles are many, and what a thread has of one
/// takes nvcc half as long; so not where fewer threads would share it.
void halve_tiles(const std::vector<PlanChoice>& choices, ir::SizeTable& sizes, const Target& target,
                 const PlanOverrides& overrides, TilePlan& plan) {
  const auto is_half = [](const TileShape& shape) { return shape.few_quarters > 0; };
  if (std::ranges::any_of(plan.shapes, is_half)) return;
  for (TileShape& shape : plan.shapes) {
    auto half = half_of(choices[shape.choice].kernel, sizes, target, overrides, plan, shape);
    if (!half || half->threads() < shape.threads()) continue;
    shape = *std::move(half);
  }
}

}  // namespace

ShapeDecision choose_requested_shapes(std::vector<PlanChoice> choices, const PhaseAnalysis& analysis,
                                      ir::SizeTable& sizes, const Target& target,
                                      const PlanOverrides& overrides, TilePlan& plan, DiagnosticSink& sink) {
  std::optional<TilePlan> groups;
  std::vector<TilePlan> turned;
  for (size_t current = 0; current < choices.size(); ++current) {
    PlanChoice& choice = choices[current];
    ir::Kernel& kernel = choice.kernel;
    if (kernel.tuning) {
      const std::string reason = pick_member(kernel, sizes, target, overrides, plan);
      if (!reason.empty()) {
        sink.report(Diag::request_impossible, kernel.tuning->span, "@autotune", reason);
        return {ShapeOutcome::refused, {}};
      }
    }
    drop_open_requests(kernel);
    if (!check_requests(kernel, target, overrides, sink) || !check_applicable(kernel, plan, sink))
      return {ShapeOutcome::refused, {}};
    const size_t first = plan.shapes.size();
    ShapeDecision decision = choose(kernel, analysis, sizes, target, overrides, plan, sink);
    if (decision.outcome != ShapeOutcome::chosen) return decision;
    drop_taken(choices, current, sizes, first, plan.shapes);
    if (plan.shapes.size() == first) continue;
    const auto settle = [&](TilePlan& tiles, size_t from) {
      for (TileShape& shape : std::span(tiles.shapes).subspan(from)) {
        shape.choice = current;
        shape.when = choice.when;
        if (has_raster(kernel, tiles))
          shape.raster =
              requested_raster(kernel, overrides).value_or(best_raster(kernel, tiles, shape, target));
        else if (groups_uneven_units(kernel, sizes, tiles))
          shape.raster = kUnevenRaster;
      }
    };
    settle(plan, first);
    const size_t before = groups ? groups->shapes.size() : 0;
    if (!add_group_shapes(kernel, analysis, sizes, target, overrides, plan, groups, sink) ||
        !share_terms(kernel, analysis, sizes, overrides, plan.obstacle, groups, before, sink))
      return {ShapeOutcome::refused};
    if (groups) settle(*groups, before);
    if (groups && choices.size() == 1)
      turned = plan_turned_tiles(kernel, analysis, sizes, target, overrides, plan, *groups);
    for (TilePlan& tiles : turned) settle(tiles, 0);
  }
  if (groups && runs_by_groups(plan, *groups)) {
    leave_shifts_out(plan);
    if (!groups->has_parts()) halve_tiles(choices, sizes, target, overrides, plan);
  }
  return {.groups = std::move(groups), .turned = std::move(turned)};
}

bool refuse_tile_requests(const ir::Kernel& kernel, const std::string& reason, DiagnosticSink& sink) {
  bool sound = true;
  const auto refuse = [&](Span span, const std::string& text) {
    sink.report(Diag::request_impossible, span, text, reason);
    sound = false;
  };
  for (const ir::Request* request : all_requests(kernel))
    if (request->name != "warps") refuse(request->span, "@" + request->name);
  for (const ir::Tiling& tiling : kernel.tilings)
    if (!tiling.when.empty()) refuse(tiling.span, "@tile(…, when = …)");
  if (kernel.tuning) refuse(kernel.tuning->span, "@autotune");
  return sound;
}

}  // namespace tessera::emit
