// SPDX-License-Identifier: Apache-2.0
// The steps of planning one kernel, and the plan as text.
#include "emit/plan.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <limits>

#include "emit/plan_axes.h"
#include "emit/plan_extents.h"
#include "emit/plan_lanes.h"
#include "emit/plan_requests.h"
#include "emit/tile_memory.h"
#include "emit/tile_price.h"
#include "emit/tile_requests.h"
#include "emit/tile_variants.h"
#include "emit/turned_plan.h"
#include "sema/ir/expand_products.h"
#include "sema/ir/extents.h"
#include "sema/ir/fold_loops.h"
#include "sema/ir/join_products.h"
#include "sema/ir/sum_products.h"

namespace tessera::emit {

namespace {

const char* spelling_of(Role role) {
  switch (role) {
    case Role::unit: return "unit";
    case Role::lane: return "lane";
    case Role::serial: return "serial";
    case Role::unrolled: return "unrolled";
  }
  return "";
}

// Rows whose extent nothing bounds are read again when registers cannot hold them; state along them cannot be.
void choose_functions(const ir::Kernel& kernel, ir::SizeTable& sizes, PhasePlan& phase) {
  const bool whole_rows = std::any_of(phase.lanes.begin(), phase.lanes.end(), [&](const Lane& lane) {
    return !lane.chunked && !phase.analysis.loops.contains(lane.axis);
  });
  if (phase.staging) {
    phase.functions.push_back({.suffix = "tiled", .resident = true, .staged = true});
    phase.functions.push_back({.suffix = "direct", .resident = true, .ragged = !phase.anchors.empty()});
    return;
  }
  const bool ragged = !phase.anchors.empty();
  if (!whole_rows) {
    const bool both = ragged && phase.strip_axis && phase.has_narrow_vectors(kernel);
    if (phase.strip_axis)
      phase.functions.push_back({.suffix = both ? "shared" : "", .resident = true, .strips_across = true});
    // Lines that begin anywhere have their own vectors: they share nothing.
    if (!phase.strip_axis || both)
      phase.functions.push_back({.suffix = both ? "ragged" : "", .resident = true, .ragged = ragged});
    return;
  }
  const bool has_state =
      std::any_of(kernel.variables.begin(), kernel.variables.end(), [&](const ir::Variable& variable) {
        return std::any_of(variable.axes.begin(), variable.axes.end(), [&](ir::AxisId axis) {
          return phase.is_lane(axis) && !phase.lane_of(axis)->chunked && !phase.analysis.loops.contains(axis);
        });
      });
  const bool bounded = std::all_of(phase.lanes.begin(), phase.lanes.end(), [&](const Lane& lane) {
    return lane.chunked || held_extent(kernel, sizes, lane.axis).has_value();
  });
  phase.functions.push_back(
      {.suffix = has_state || bounded ? "" : "resident", .resident = true, .ragged = ragged});
  if (has_state || bounded) {
    phase.reasons.push_back(has_state ? "state along the lanes stays in registers"
                                      : "the extent of the lanes is bounded: rows stay in registers");
    return;
  }
  phase.functions.push_back({.suffix = "streaming", .resident = false, .ragged = ragged});
  phase.reasons.push_back("rows stay in registers while they fit; longer ones are read again");
}

// The settings of an `@tile` for this chip: without conditions on sizes there is one choice.
bool bind_choice(KernelPlan& plan, const PlanOverrides& overrides, DiagnosticSink& sink) {
  if (plan.kernel->tilings.empty()) return true;
  PlanChoice choice = std::move(plan_choices(*plan.kernel, *plan.target).front());
  plan.expanded = std::make_shared<ir::Kernel>(std::move(choice.kernel));
  plan.kernel = plan.expanded.get();
  return check_requests(*plan.kernel, *plan.target, overrides, sink);
}

void replace_kernel(KernelPlan& plan, std::shared_ptr<ir::Kernel> kernel) {
  plan.expanded = std::move(kernel);
  plan.kernel = plan.expanded.get();
}

void expand(KernelPlan& plan, void rewrite(ir::Kernel&)) {
  auto expanded = std::make_shared<ir::Kernel>(*plan.kernel);
  rewrite(*expanded);
  replace_kernel(plan, std::move(expanded));
}

void pass_on(const DiagnosticSink& said, DiagnosticSink& sink) {
  for (Diagnostic& diagnostic : said.sorted()) sink.add(std::move(diagnostic));
}

// Products become sums of products, which the threads compute like any other sum.
void plan_as_sums(KernelPlan& plan, const std::string& reason) {
  expand(plan, ir::expand_products);
  plan.phase.reasons.push_back(reason + ": products are summed up by single threads");
}

constexpr int64_t kTinyExtent = 32;  // products of such factors are sums wherever they are computed

// Whether an axis is so short that it would not fill a tile.
bool is_tiny(const KernelPlan& plan, ir::SizeTable& sizes, ir::AxisId axis) {
  const auto extent = ir::constant_extent(*plan.kernel, sizes, axis);
  return extent && *extent <= kTinyExtent;
}

// A product of matrices, each with an axis of its own, not all of them tiny: Tensor Cores are expected of it.
bool is_worth_tiles(const KernelPlan& plan, ir::SizeTable& sizes, const ir::Dot& dot) {
  const std::vector<ir::AxisId>&left = plan.kernel->values[dot.left].axes,
        &right = plan.kernel->values[dot.right].axes;
  const auto has_own = [](const std::vector<ir::AxisId>& axes, const std::vector<ir::AxisId>& others) {
    return std::ranges::any_of(axes, [&](ir::AxisId axis) { return std::ranges::count(others, axis) == 0; });
  };
  const auto is_short = [&](ir::AxisId axis) { return is_tiny(plan, sizes, axis); };
  return has_own(left, right) && has_own(right, left) &&
         !(std::ranges::all_of(left, is_short) && std::ranges::all_of(right, is_short));
}

// Where Tensor Cores are not used, what keeps them away says so: the product that the reason speaks of, else the first
// that is worth it.
void warn_of_sums(KernelPlan& plan, const TileDecision& decision, DiagnosticSink& sink) {
  if (!decision.has_instruction) return;
  const ir::Kernel& kernel = *plan.kernel;
  for (const auto& [id, dependence] : plan.phase.analysis.dependence) {
    const auto* dot = std::get_if<ir::Dot>(&kernel.values[id].op);
    if (!dot || !is_worth_tiles(plan, plan.sizes, *dot)) continue;
    const ir::ValueId cause = decision.product.valid() ? decision.product : id;
    sink.report(Diag::product_as_sums, kernel.values[cause].span)
        .note("it runs without Tensor Cores, because {}", decision.reason);
    return;
  }
}

// What came of planning a phase in tiles.
struct TileAttempt {
  TileDecision decision;
  std::optional<TilePlan> groups;  // where warpgroups take it
  std::vector<TilePlan> turned;    // where they do and a factor is turned
  bool is_refused = false;         // a request was, and that is said

  bool is_planned() const { return decision.plan && !is_refused; }
};

TileAttempt attempt_tiles(KernelPlan& plan, const PlanOverrides& overrides, DiagnosticSink& sink) {
  plan.phase.grid = &plan.kernel->grids.at(0);
  plan.phase.analysis = analyse(*plan.kernel, *plan.phase.grid, plan.sizes);
  TileAttempt attempt{plan_tiles(*plan.kernel, plan.phase.analysis, plan.sizes, overrides), {}, {}};
  if (!attempt.decision.plan) return attempt;
  ShapeDecision shapes =
      choose_requested_shapes(plan_choices(*plan.kernel, *plan.target), plan.phase.analysis, plan.sizes,
                              *plan.target, overrides, *attempt.decision.plan, sink);
  attempt.is_refused = shapes.outcome == ShapeOutcome::refused;
  if (shapes.outcome == ShapeOutcome::impossible) attempt.decision = {std::nullopt, std::move(shapes.reason)};
  attempt.groups = std::move(shapes.groups);
  attempt.turned = std::move(shapes.turned);
  return attempt;
}

/// Clocks for a million multiply-adds with the best tiles.
double price_of(const KernelPlan& plan, const TileAttempt& attempt) {
  const TilePlan& tiles = attempt.groups ? *attempt.groups : *attempt.decision.plan;
  double least = std::numeric_limits<double>::max();
  for (const TileShape& shape : tiles.shapes)
    least = std::min(least, price(*plan.kernel, tiles, shape, *plan.target));
  return least;
}

constexpr double kWorthOfLoop = 1.05;  // what products may cost more where common factors are brought once

// Products over one axis in one loop; by themselves, where that costs more, since no other sums are there at the same time.
TileAttempt attempt_joined_tiles(KernelPlan& plan, const PlanOverrides& overrides, DiagnosticSink& sink) {
  auto joined = std::make_shared<ir::Kernel>(*plan.kernel);
  const bool has_joined = ir::join_products(*joined);
  expand(plan, ir::sum_products_in_place);
  if (!has_joined) return attempt_tiles(plan, overrides, sink);
  KernelPlan other = plan;
  replace_kernel(other, std::move(joined));
  expand(other, ir::sum_products_in_place);
  DiagnosticSink said, said_of_other;
  TileAttempt attempt = attempt_tiles(plan, overrides, said),
              together = attempt_tiles(other, overrides, said_of_other);
  const bool joins =
      together.is_planned() &&
      (!attempt.is_planned() || price_of(other, together) <= kWorthOfLoop * price_of(plan, attempt));
  pass_on(joins ? said_of_other : said, sink);
  if (!joins) return attempt;
  plan = std::move(other);
  return together;
}

// Where that cannot be, or threads would walk alone along all of a dimension, loops that only sum along it may be what is in
// the way.
TileAttempt attempt_with_loops_folded(KernelPlan& plan, const PlanOverrides& overrides,
                                      DiagnosticSink& sink) {
  const auto is_good = [](const TileAttempt& a) { return a.is_planned() && !a.decision.plan->walks_alone; };
  KernelPlan other = plan;
  DiagnosticSink said, said_of_other;
  TileAttempt attempt = attempt_joined_tiles(plan, overrides, said);
  auto folded = std::make_shared<ir::Kernel>(*other.kernel);
  bool folds = !is_good(attempt) && !attempt.is_refused && ir::fold_loops(*folded);
  if (folds) {
    replace_kernel(other, std::move(folded));
    TileAttempt whole = attempt_joined_tiles(other, overrides, said_of_other);
    folds = is_good(whole) || (whole.is_planned() && !attempt.is_planned());
    if (folds) attempt = std::move(whole);
  }
  pass_on(folds ? said_of_other : said, sink);
  if (folds) plan = std::move(other);
  return attempt;
}

// What threads copy element by element is there when they go on: more than one tile ahead would hide nothing.
void leave_two_stages(const KernelPlan& plan, TilePlan& tiles) {
  const ir::Kernel& kernel = *plan.kernel;
  for (TileShape& shape : tiles.shapes) {
    if (shape.are_stages_asked_for || shape.stages <= 2) continue;
    const auto best = [&] { return best_raster(kernel, tiles, shape, *plan.target); };
    const bool has_best = has_raster(kernel, tiles) && shape.raster == best();
    shape.stages = 2;
    shape.shared_bytes = static_cast<int>(tile_bytes(kernel, tiles, shape));
    if (has_best) shape.raster = best();
  }
}

enum class TileOutcome { planned, as_sums, refused };

// A phase with products runs in tiles if it can.
TileOutcome plan_in_tiles(KernelPlan& plan, const PlanOverrides& overrides, DiagnosticSink& sink) {
  if (ir::has_row_products(*plan.kernel)) expand(plan, ir::expand_row_products);
  if (ir::has_narrow_factors(*plan.kernel)) expand(plan, ir::widen_factors);
  PhasePlan& phase = plan.phase;
  if (!ir::has_products(*plan.kernel)) {
    const std::string reason = "a product has not one axis of each factor";
    if (!refuse_tile_requests(*plan.kernel, reason + ", so its products are sums", sink))
      return TileOutcome::refused;
    plan_as_sums(plan, reason);
    return TileOutcome::as_sums;
  }
  const KernelPlan as_written = plan;
  auto [decision, groups, turned, is_refused] = attempt_with_loops_folded(plan, overrides, sink);
  if (is_refused) return TileOutcome::refused;
  if (!decision.plan) {
    if (!refuse_tile_requests(*plan.kernel, decision.reason + ", so its products are sums", sink))
      return TileOutcome::refused;
    warn_of_sums(plan, decision, sink);
    plan = as_written;
    plan_as_sums(plan, decision.reason);
    return TileOutcome::as_sums;
  }
  if (groups) plan.tiles.push_back(std::move(*groups));
  std::ranges::move(turned, std::back_inserter(plan.tiles));
  plan.tiles.push_back(std::move(*decision.plan));
  for (const TilePlan& tiles : plan.tiles) phase.functions.push_back({.suffix = suffix_of(tiles)});
  TilePlan& general = plan.tiles.back();
  general.copies_singly = !copies_chunks(plan, plan.tiles.size() - 1);
  if (general.copies_singly) leave_two_stages(plan, general);
  for (size_t k = 0; k < plan.kernel->axes.size(); ++k) {
    const ir::AxisId axis = plan.kernel->axes.id_at(k);
    const bool is_let = plan.kernel->axes[axis].kind == ir::AxisKind::let && !plan.general_tiles().role(axis);
    phase.roles[axis] = is_let ? Role::serial : Role::unit;
  }
  return TileOutcome::planned;
}

}  // namespace

const Lane* PhasePlan::lane_of(ir::AxisId axis) const {
  const auto found =
      std::find_if(lanes.begin(), lanes.end(), [&](const Lane& lane) { return lane.axis == axis; });
  return found == lanes.end() ? nullptr : &*found;
}

int64_t PhasePlan::serial_tile(ir::AxisId axis) const {
  const auto found = serial_tiles.find(axis);
  return found == serial_tiles.end() ? 1 : found->second;
}

std::optional<KernelPlan> make_plan(const ir::Kernel& kernel, const Target& target,
                                    const PlanOverrides& overrides, DiagnosticSink& sink) {
  if (!check_requests(kernel, target, overrides, sink)) return std::nullopt;
  KernelPlan plan{.kernel = &kernel,
                  .expanded = nullptr,
                  .target = &target,
                  .sizes = kernel.sizes,
                  .phase = {},
                  .tiles = {}};
  if (ir::has_products(kernel)) {
    const TileOutcome outcome = plan_in_tiles(plan, overrides, sink);
    if (outcome == TileOutcome::refused) return std::nullopt;
    if (outcome == TileOutcome::planned) return plan;
  } else if (!refuse_tile_requests(kernel, "the kernel has no product", sink)) {
    return std::nullopt;
  }
  if (!bind_choice(plan, overrides, sink)) return std::nullopt;
  PhasePlan& phase = plan.phase;
  phase.grid = &plan.kernel->grids.at(0);
  phase.analysis = analyse(*plan.kernel, *phase.grid, plan.sizes);
  constexpr int64_t kSerialTile = 32;
  for (ir::AxisId axis : phase.analysis.loops) {
    const int64_t fixed = fixed_tile(*plan.kernel, overrides, axis);
    phase.serial_tiles[axis] = fixed > 0 ? fixed : kSerialTile;
  }
  choose_axes(*plan.kernel, plan.sizes, overrides, phase);
  choose_functions(*plan.kernel, plan.sizes, phase);
  if (!check_lanes(plan, overrides, sink)) return std::nullopt;
  return plan;
}

namespace {

// Registers that all vectors of one strip may take so that a thread can hold several strips of them.
constexpr uint32_t kReadAheadBytes = 64;

// Whether the vectors of a strip, 16 bytes of the narrowest type each, are few.
bool has_few_loads(const KernelPlan& plan) {
  uint32_t narrowest = 16, sum = 0;
  for (ir::ValueId load : plan.phase.vector_loads) {
    const uint32_t bytes = size_in_bytes(plan.kernel->values[load].dtype);
    narrowest = std::min(narrowest, std::max(bytes, 2u));
    sum += bytes;
  }
  return sum * (16 / narrowest) <= kReadAheadBytes;
}

}  // namespace

bool is_read_ahead(const KernelPlan& plan, const FunctionPlan& function, ir::ValueId value) {
  const PhasePlan& phase = plan.phase;
  const bool in_chunks = function.ragged && !function.resident;  // of long rows, one after another
  if ((!function.resident && !in_chunks) || (function.resident && phase.has_row_functions()) ||
      function.staged || !phase.vector_loads.contains(value) || phase.interleaved.contains(value) ||
      !has_few_loads(plan))
    return false;
  const Dependence& dependence = phase.analysis.dependence.at(value);
  // What all lines share is in the caches: registers do better things.
  const bool is_shared = dependence.axes.size() == 1 && phase.units.size() > 1 && !phase.lanes.empty() &&
                         dependence.axes.contains(phase.lanes[0].axis);
  if (function.ragged && is_shared) return false;
  return dependence.loops.empty() && plan.kernel->values[value].total &&
         (!function.strips_across || dependence.axes.contains(*phase.strip_axis)) &&
         std::all_of(dependence.axes.begin(), dependence.axes.end(), [&](ir::AxisId axis) {
           const Lane* lane = phase.lane_of(axis);
           return lane ? (lane->chunked || in_chunks) && lane->tile == 0 : phase.role(axis) != Role::serial;
         });
}

std::string describe(const KernelPlan& plan) {
  const ir::Kernel& kernel = *plan.kernel;
  const PhasePlan& phase = plan.phase;
  std::string text = fmt::format("kernel {} on {}\n", kernel.c_name, plan.target->name);
  for (const auto& [axis, role] : phase.roles) {
    text += fmt::format("  axis {}: {}", kernel.axes[axis].name, spelling_of(role));
    if (const Lane* lane = phase.lane_of(axis))
      text += lane->chunked ? (lane->tile > 0 ? fmt::format(", chunks of {}", lane->tile) : ", chunks")
                            : ", whole";
    text += '\n';
  }
  if (!plan.tiles.empty()) return text + describe_tiles(plan);
  for (const Variant& variant : phase.variants)
    text += fmt::format("  variant {}: {} threads x {} groups, vectors of {}, {} strips{}{}\n", variant.name,
                        variant.threads, variant.rows, variant.vector, variant.strips,
                        variant.aligned  ? ", aligned"
                        : variant.ragged ? ", ragged"
                                         : "",
                        variant.lane_limit > 0 ? fmt::format(", rows up to {}", variant.lane_limit) : "");
  for (const std::string& reason : phase.reasons) text += "  because " + reason + "\n";
  return text;
}

}  // namespace tessera::emit
