// SPDX-License-Identifier: Apache-2.0
// See warpgroup_plan.h.
#include "emit/warpgroup_plan.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "base/check.h"
#include "emit/group_candidates.h"
#include "emit/group_folds.h"
#include "emit/group_products.h"
#include "emit/held_factors.h"
#include "emit/panel_plan.h"
#include "emit/plan_extents.h"
#include "emit/plan_requests.h"
#include "emit/team_plan.h"
#include "emit/term_shares.h"
#include "emit/tile_live.h"
#include "emit/tile_memory.h"
#include "emit/turned_plan.h"
#include "emit/uneven_loops.h"
#include "sema/ir/affine.h"
#include "sema/ir/extents.h"

namespace tessera::emit {

namespace {

constexpr int64_t kGroupRows = 64;          // of one product of a warpgroup
constexpr int64_t kSpanBytes = 128;         // of a line that one box brings
constexpr int64_t kChunkOfLines = 32;       // that lines are multiples of, in bytes, of what threads read
constexpr int64_t kColumnUnit = 16;         // of all types; blocks of a cluster share out lines by eights
constexpr int64_t kMostLines = 256;         // of a box, and columns of one product
constexpr int64_t kOfFewRows = 64 * 64;     // whose products with one span take less than waiting for it
constexpr int64_t kOfFewTurned = 64 * 128;  // the same where threads turn rows in each round, too
constexpr int64_t kOtherRegisters = 48;     // of a thread, at least, that tiles leave for all else
constexpr int64_t kOthersOfTeam = 40;       // the same where it has a tile of its own
constexpr int64_t kMostBesideTeam = 32;     // of what a team has beside its tile: twice as much spilled
constexpr int64_t kManySums = 176;          // of a thread of a team: spilled beside rows or columns it holds,
constexpr int64_t kMostBesideSums = 4;      // and beside more than so much
constexpr int64_t kMostWithEnded = 144;     // of tiles, if one ends with its loop for what is behind
constexpr int64_t kPartsOfRows = 16;        // for what a warp reads of 16 rows of doubles, and has read
constexpr int64_t kPartsOfColumns = 40;     // the same of four times 8 columns, and where they are
constexpr int64_t kRegistersOfRing = 12;  // more, for each factor after the second whose lines run either way
constexpr int64_t kBarrierBytes = 1024;   // at most, of the ring's barriers, before the tiles
constexpr int64_t kPanelBytes = 4096;     // of a warp: two places through which stores pass
constexpr int kMostStages = 12, kFewestStages = 2, kStagesOfTwoSpans = 4;

/// Registers that a thread has when those that copy have left theirs: `take_registers` of the runtime.
int64_t registers_of_group(int groups) { return groups == 1 ? 255 : groups == 2 ? 232 : 160; }

int64_t area_of_sums(const TilePlan& plan, const TileShape& shape) {
  int64_t area = 1;
  for (const auto& [axis, extent] : shape.extent)
    if (plan.is_in_registers(axis)) area *= extent;
  return area;
}

class GroupPlanner {
 public:
  GroupPlanner(const GroupQuestion& question, bool may_have_teams)
      : question_(question), may_have_teams_(may_have_teams) {}

  GroupShapes run() {
    std::string reason = obstacle_to_groups(question_, plan_);
    if (!reason.empty()) return {{}, std::move(reason), true};
    std::vector<TileShape> all;
    for (size_t k = 0; k < general_.shapes.size(); ++k) {
      const TileShape& general = general_.shapes[k];
      const bool is_last = k + 1 == general_.shapes.size();
      if (general.choice != general_.shapes.back().choice) continue;
      if (!is_last && (!depends_on_values() || general_.shapes[k + 1].symbols == general.symbols)) continue;
      general_shape_ = &general;
      std::vector<TileShape> shapes = shapes_of_values(reason);
      if (shapes.empty()) return {{}, std::move(reason)};
      std::ranges::move(shapes, std::back_inserter(all));
    }
    return {std::move(all)};
  }

 private:
  /// The shapes for launches with the values of listed symbols that a general shape is made for, or why there is none.
  std::vector<TileShape> shapes_of_values(std::string& reason) {
    std::vector<TileShape> shapes;
    for (const GroupCandidate& candidate : group_candidates(kernel_, groups_, plan_)) {
      if (candidate.is_spare && !shapes.empty()) continue;
      TileShape shape = begin(candidate, has_long_rounds(candidate) ? 2 : 1);
      if (shape.teams > 1 && !suits_teams(shape, candidate)) continue;
      if (!shapes.empty() && !stands_behind(shape, shapes.back())) continue;
      std::string misfitting = fit(shape, candidate);
      if (misfitting.empty())
        shapes.push_back(std::move(shape));
      else if (shapes.empty())
        reason = std::move(misfitting);
    }
    leave_out_panels(shapes);
    return shapes;
  }

  /// Of several sizes, those whose columns end within a panel are for lines along what is summed over: without room for the
  /// rest of the panel there is some for a stage.
  void leave_out_panels(std::vector<TileShape>& shapes) const {
    const auto is_whole = [&](const TileShape& shape) { return has_whole_panels(kernel_, plan_, shape); };
    if (!may_have_orders(kernel_, plan_, shapes) || std::ranges::none_of(shapes, is_whole)) return;
    for (TileShape& shape : shapes) {
      if (is_whole(shape)) continue;
      shape.has_panels = false;
      const std::string misfitting = choose_stages(shape);
      TESSERA_CHECK(misfitting.empty(), "what fits with panels fits without them");
    }
  }

  bool suits_teams(const TileShape& shape, const GroupCandidate& candidate) const {
    const int64_t area = area_of_sums(plan_, shape);
    if (!may_have_teams_ || area != candidate.rows * candidate.columns) return false;
    const int64_t beside = registers_beside_tiles(kernel_, sizes_, plan_, shape);
    if (area / shape.threads() < kManySums) return beside <= kMostBesideTeam;
    return beside <= kMostBesideSums && registers_of_vectors(kernel_, sizes_, plan_, shape).all() == 0;
  }
  /// Whether a shape serves launches that the one before it does not: it is smaller, or what blocks share the terms of.
  bool stands_behind(const TileShape& shape, const TileShape& before) const {
    const int64_t area = area_of_sums(plan_, shape), area_before = area_of_sums(plan_, before);
    return area < area_before ||
           (area == area_before && shape.teams < before.teams && may_share_terms(plan_, shape) &&
            shares_terms_together(kernel_, plan_, before, shape));
  }

  bool has_shared_factors() const {
    const auto axis = plan_.turned != Turned::none ? std::nullopt : cluster_axis(kernel_, sizes_, plan_);
    return axis && std::ranges::any_of(plan_.factors(), [&](const TileFactor* factor) {
             return factor->way == TileFactor::Way::staged && is_shared_along(kernel_, *factor, *axis);
           });
  }

  /// Whether its rounds may have two spans: they would be short with one, or what warps read first in a round is not hidden.
  /// Of several axes along the columns the shortest is that of the product which the rounds are of.
  bool has_long_rounds(const GroupCandidate& candidate) {
    const TileShape shape = begin(candidate, 1);
    int64_t rows = kMostLines, columns = kMostLines;
    for (const auto& [axis, role] : plan_.roles)
      if (int64_t& length = role == TileRole::row ? rows : columns; plan_.is_in_registers(axis))
        length = std::min(length, shape.extent.at(axis));
    const bool is_turned = plan_.turned != Turned::none && candidate.groups == 1;
    return is_by_warps_ || rows * columns <= (is_turned ? kOfFewTurned : kOfFewRows);
  }

  /// Chooses the stages of a shape, whose rounds have one span where a ring would be too short with two. Why it cannot be, or "".
  std::string fit(TileShape& shape, const GroupCandidate& candidate) {
    std::string misfitting = misfit(shape);
    const int fewest = is_by_warps_ ? kFewestStages + 1 : kStagesOfTwoSpans;
    const bool is_short = !requested_stages(kernel_, overrides_) && shape.stages < fewest;
    if (!has_long_rounds(candidate) || (misfitting.empty() && !is_short)) return misfitting;
    TileShape other = begin(candidate, 1);
    if (!misfit(other).empty()) return misfitting;
    shape = std::move(other);
    return "";
  }

  TileShape begin(const GroupCandidate& candidate, int64_t spans) {
    TileShape shape = *general_shape_;
    shape.few_quarters = 0;
    shape.teams = candidate.teams;
    shape.warp_rows = kGroupWarps * candidate.groups / candidate.teams;
    shape.warp_columns = 1;
    shape.end_bytes = 0;
    if (!depends_on_values()) shape.symbols.clear();
    for (const auto& [axis, role] : plan_.roles) {
      if (is_held_whole(axis)) {  // as in the plan, in what boxes bring
        const int64_t unit = unit_of(axis, shape);
        shape.extent[axis] = (shape.extent.at(axis) + unit - 1) / unit * unit;
        continue;
      }
      const int64_t fixed = fixed_tile(kernel_, overrides_, axis);
      shape.extent[axis] = fixed > 0                  ? fixed
                           : role == TileRole::row    ? candidate.rows
                           : role == TileRole::column ? candidate.columns
                                                      : depth_along(axis, spans);
    }
    if (can_cluster_)
      shape.cluster = requested_cluster(kernel_, overrides_).value_or(candidate.is_alone ? 1 : 0);
    const int64_t beside = shape.teams > 1 ? registers_beside_tiles(kernel_, sizes_, plan_, shape)
                                           : registers_beside_sums(shape);
    shape.registers = static_cast<int>(tile_registers(kernel_, plan_, live_, shape) + beside);
    return shape;
  }

  /// Whether tiles hold all of a dimension: in registers, or of what is brought once for an instance.
  bool is_held_whole(ir::AxisId axis) const {
    if (plan_.is_whole(kernel_, axis)) return true;
    return kernel_.axes[axis].kind == ir::AxisKind::let &&
           std::ranges::any_of(plan_.products, [&](const auto& entry) {
             return entry.second.depth == axis && !entry.second.has_own_loop;
           });
  }

  /// Whether a tile is as long as a dimension with listed values.
  bool depends_on_values() const {
    return std::ranges::any_of(plan_.roles, [&](const auto& entry) {
      const auto& dimension = kernel_.axes[entry.first].dimension;
      return is_held_whole(entry.first) && dimension && general_.shapes.back().symbols.contains(*dimension);
    });
  }

  /// What the extent of a tile along an axis is a multiple of.
  int64_t unit_of(ir::AxisId axis, const TileShape& shape) const {
    const TileRole role = *plan_.role(axis);
    return role == TileRole::row     ? kGroupRows * shape.groups()
           : role == TileRole::depth ? span_along(axis)
                                     : std::max({kColumnUnit, span_along(axis), lines_along(axis)});
  }

  /// Elements of a line that one box brings along an axis that is summed over.
  int64_t span_along(ir::AxisId depth) const {
    int64_t span = 0;
    for (const auto& [dot, product] : plan_.products)
      if (product.depth == depth)
        span = std::max(span, kSpanBytes / size_in_bytes(tile_type(kernel_, product.rows)));
    return std::max(span, lines_along(depth));
  }

  /// What lines along an axis have multiples of, of tiles that factors are computed from, or into; 0 of others.
  int64_t lines_along(ir::AxisId axis) const {
    int64_t longest = 0;
    for (const TileFactor* tile : plan_.factors())
      if ((tile->lies_as_declared() || !tile->parts.empty()) && axis == axis_of_lines(kernel_, *tile))
        longest = std::max(longest, (tile->is_source ? kChunkOfLines : kSpanBytes) /
                                        size_in_bytes(tile_type(kernel_, *tile)));
    return longest;
  }

  /// Of a tile. A small one waits at barriers half as often with two spans, in all loops or in none.
  int64_t depth_along(ir::AxisId axis, int64_t spans) {
    const bool has_two = rings_.size() == 1 ? can_have_two_spans(axis)
                                            : std::ranges::all_of(plan_.products, [&](const auto& entry) {
                                                return can_have_two_spans(entry.second.depth);
                                              });
    return (has_two ? spans : 1) * span_along(axis);
  }
  /// Threads add up what becomes of one.
  bool can_have_two_spans(ir::AxisId axis) {
    const auto whole = ir::greatest_extent(kernel_, sizes_, axis);
    return !is_promoted_along(axis) && !(whole && *whole <= span_along(axis));
  }

  /// Registers of a thread for what it has beside the sums of a tile that warpgroups share.
  int64_t registers_beside_sums(const TileShape& shape) {
    const VectorRegisters vectors = registers_of_vectors(kernel_, sizes_, plan_, shape);
    const int64_t read = vectors.others + part_registers(shape) + registers_of_folds(kernel_, plan_, shape) +
                         registers_of_turned_rows(kernel_, plan_, shape) +
                         registers_beside_held_rows(kernel_, plan_, shape);
    if (is_asked(shape)) return read + vectors.behind_loops;
    const bool may_end = tile_registers(kernel_, plan_, live_, shape) <= kMostWithEnded;
    const int64_t ended = may_end ? registers_of_ended_tiles(kernel_, plan_, shape) : 0;
    const int64_t behind = vectors.behind_loops + registers_of_panels(kernel_, sizes_, plan_);
    return read + registers_of_variables(kernel_, plan_, shape) + std::max<int64_t>(0, behind - ended);
  }

  /// Registers of a thread for what becomes of one tile, where threads add that up, or for what warps read of factors.
  int64_t part_registers(const TileShape& shape) const {
    int64_t most = 0;
    for (const auto& [dot, product] : plan_.products) {
      if (is_by_warps(kernel_, product)) most = std::max(most, registers_of_parts(product, shape));
      if (is_promoted(kernel_, product))
        most = std::max(most, shape.extent.at(product.rows.width) * shape.extent.at(product.columns.width) /
                                  shape.threads());
    }
    return most;
  }

  /// Those for what warps read, and for what they keep meanwhile of outer axes and of factors.
  int64_t registers_of_parts(const TileProduct& product, const TileShape& shape) const {
    constexpr int64_t kOfAxis = 4, kOfFactor = 8, kFewAxes = 2, kFewFactors = 3;
    const auto beyond = [](size_t count, int64_t few) {
      return std::max<int64_t>(static_cast<int64_t>(count) - few, 0);
    };
    return kPartsOfRows * shape.extent.at(product.rows.width) / (kGroupRows * shape.groups()) +
           kPartsOfColumns + kOfAxis * beyond(kernel_.grids.at(0).axes.size(), kFewAxes) +
           kOfFactor * beyond(plan_.factors_with_own_tiles().size(), kFewFactors);
  }

  /// Whether a request fixes a tile in registers: it may spill.
  bool is_asked(const TileShape& shape) const {
    return std::ranges::any_of(shape.extent, [&](const auto& entry) {
      return plan_.is_in_registers(entry.first) && fixed_tile(kernel_, overrides_, entry.first) > 0;
    });
  }

  /// Registers of a thread that tiles leave for all else, at least where they are our choice.
  int64_t other_registers(const TileShape& shape) const {
    if (shape.teams > 1) return kOthersOfTeam;
    if (is_asked(shape)) return kOtherRegisters;
    const auto factors = std::ranges::count_if(plan_.factors_with_own_tiles(), [&](const TileFactor* factor) {
      const DType type = tile_type(kernel_, *factor);
      return factor->way != TileFactor::Way::registers && has_either_order(type) && type != DType::f64;
    });
    return kOtherRegisters + kRegistersOfRing * std::max<int64_t>(factors - 2, 0);
  }

  /// Why the tiles cannot be, or "" when stages are chosen.
  std::string misfit(TileShape& shape) const {
    for (const auto& [axis, extent] : shape.extent) {
      const int64_t unit = unit_of(axis, shape);
      const int64_t most = is_promoted_along(axis) ? unit : kMostLines;
      if (extent % unit != 0 || extent > most)
        return fmt::format("with {} warpgroup{} a tile along `{}` is {}, not {}{}", shape.groups(),
                           shape.groups() == 1 ? "" : "s", kernel_.axes[axis].name, lengths(unit, most),
                           extent, nearest(unit, most, extent));
    }
    const int64_t room = registers_of_group(shape.all_groups()) - other_registers(shape);
    if (shape.registers > room)
      return fmt::format("the tiles would take {} registers of a thread, and {} are there for them",
                         shape.registers, room);
    if (exchanged_bytes(kernel_, plan_, shape) > 0) return "a reduction along the rows passes between warps";
    for (const auto& tiles : tiles_by_place(kernel_, plan_))
      for (const TileFactor* tile : tiles)
        if (tile_bytes(kernel_, plan_, *tile, shape) != tile_bytes(kernel_, plan_, *tiles[0], shape))
          return fmt::format("tiles along `{}` and `{}` take turns in shared memory, and one is longer",
                             kernel_.axes[tiles[0]->depth].name, kernel_.axes[tile->depth].name);
    return choose_stages(shape);
  }

  /// Whether threads add up what becomes of each tile along an axis.
  bool is_promoted_along(ir::AxisId axis) const {
    return std::ranges::any_of(plan_.products, [&](const auto& entry) {
      return entry.second.depth == axis && is_promoted(kernel_, entry.second);
    });
  }

  static std::string lengths(int64_t unit, int64_t longest) {
    const int64_t most = longest / unit * unit;
    return unit == most ? fmt::format("{} long", unit) : fmt::format("a multiple of {} up to {}", unit, most);
  }

  /// The lengths next to one that cannot be.
  static std::string nearest(int64_t unit, int64_t longest, int64_t length) {
    const int64_t most = longest / unit * unit;
    const int64_t below = std::clamp(length / unit * unit, unit, most),
                  above = std::clamp(below + unit, unit, most);
    if (unit == most) return "";
    if (length < unit || length > most) return fmt::format("; the nearest is {}", below);
    return fmt::format("; the nearest are {} and {}", below, above);
  }

  std::string choose_stages(TileShape& shape) const {
    const auto asked = requested_stages(kernel_, overrides_);
    const int least = asked.value_or(plan_.has_parts() ? 2 * kSplitParts : kFewestStages);
    if (plan_.has_parts() && least < kSplitParts)
      return "each of the three parts of a tile takes a stage, so a ring has at least three";
    if (least < kFewestStages)
      return is_by_warps_ ? "nothing would arrive while a round is multiplied, so a ring has at least two"
                          : "a stage is given back one round after it was read, so a ring has at least two";
    if (const int64_t bytes = static_bytes(kernel_, plan_, shape) + kBarrierBytes; bytes > kMostStaticBytes)
      return fmt::format("what threads share of rows and columns would take {} bytes, and a function has {}",
                         bytes, kMostStaticBytes);
    const int64_t before = kBarrierBytes + bytes_before_tiles(kernel_, plan_, shape);
    for (shape.stages = asked.value_or(kMostStages); shape.stages >= least; --shape.stages) {
      shape.shared_bytes =
          static_cast<int>(tile_bytes(kernel_, plan_, shape) + kPanelBytes * shape.warp_rows * shape.teams);
      if (shape.shared_bytes + before <= target_.shared_memory_per_block) return "";
    }
    return fmt::format(
        "{} stages of the factors' tiles and what stores pass through would take {} bytes of shared memory, "
        "and {} has {}",
        least, shape.shared_bytes + before, target_.name, target_.shared_memory_per_block);
  }

  const GroupQuestion& question_;
  const ir::Kernel& kernel_ = question_.kernel;
  ir::SizeTable& sizes_ = question_.sizes;
  const Target& target_ = question_.target;
  const PlanOverrides& overrides_ = question_.overrides;
  const TilePlan& general_ = question_.plan;
  const TileShape* general_shape_ = nullptr;  // of the launches at hand
  const std::optional<int> groups_ = question_.groups;
  const TilePlan plan_ = by_warpgroups(kernel_, general_);
  const bool may_have_teams_;
  const std::set<RingKey> rings_ = rings_of(kernel_, plan_);
  const std::vector<std::vector<LiveTile>> live_ = live_tiles(kernel_, plan_);
  const bool can_cluster_ = has_shared_factors();
  const bool is_by_warps_ = has_products_by_warps(kernel_, plan_);
};

}  // namespace

GroupShapes choose_group_shapes(const GroupQuestion& question, bool may_have_teams) {
  return GroupPlanner(question, may_have_teams).run();
}

namespace {

/// The fp8 factor below the cast that widens it for chips without instructions for it: a part of a tensor, or what is
/// computed from some.
std::optional<TileFactor> before_widening(const ir::Kernel& kernel, const TileFactor& factor) {
  const auto* cast = std::get_if<ir::Cast>(&kernel.values[factor.value].op);
  const bool is_widened = cast && cast->is_of_factor && factor.way == TileFactor::Way::computed &&
                          is_fp8(kernel.values[cast->operand].dtype) &&
                          kernel.values[factor.value].dtype == DType::f16;
  if (!is_widened) return std::nullopt;
  if (factor.parts.size() == 1 && factor.parts[0].load == cast->operand) return factor.parts[0];
  TileFactor narrow = factor;
  narrow.value = cast->operand;
  return narrow;
}

/// A product of parts of tensors that would stay in shared memory while its tiles are computed: boxes follow one another
/// along a dimension with a bound as along one without.
bool can_walk(const ir::Kernel& kernel, const TilePlan& plan, const TileProduct& product) {
  const auto is_copied_once = [](const TileFactor& tile) {
    return tile.way == TileFactor::Way::staged && !tile.in_ring;
  };
  const auto stays = [&](const TileFactor& factor) {
    return factor.parts.empty() ? is_copied_once(factor) : std::ranges::all_of(factor.parts, is_copied_once);
  };
  return kernel.axes[product.depth].kind == ir::AxisKind::let &&
         plan.role(product.depth) == TileRole::depth && stays(product.rows) && stays(product.columns);
}

}  // namespace

TilePlan by_warpgroups(const ir::Kernel& kernel, TilePlan plan) {
  plan.way = TileWay::warpgroups;
  plan.shifts = false;
  plan.members.clear();
  plan.shapes.clear();
  for (auto& [dot, product] : plan.products) {
    const auto rows = before_widening(kernel, product.rows),
               columns = before_widening(kernel, product.columns);
    if (rows && columns) {
      product.rows = *rows;
      product.columns = *columns;
    }
    for (TileFactor* factor : {&product.rows, &product.columns}) {
      factor->in_parts = product.is_split && factor->way == TileFactor::Way::staged;
      for (TileFactor& part : factor->parts) part.is_source = true;
    }
    product.rows.is_turned = plan.turned != Turned::none;
    if (!can_walk(kernel, plan, product)) {
      for (TileFactor* factor : {&product.rows, &product.columns})
        factor->stays = factor->way == TileFactor::Way::staged && !factor->in_ring && !factor->in_parts &&
                        is_same_in_loops(kernel, factor->load);
      continue;
    }
    product.has_own_loop = true;
    for (TileFactor* factor : {&product.rows, &product.columns}) {
      factor->in_ring = factor->way == TileFactor::Way::staged;
      for (TileFactor& part : factor->parts) part.in_ring = true;
    }
  }
  fold_beside_products(kernel, plan);
  return plan;
}

std::optional<ir::AxisId> cluster_axis(const ir::Kernel& kernel, ir::SizeTable& sizes, const TilePlan& plan) {
  const ir::Grid& grid = kernel.grids.at(0);
  std::optional<ir::AxisId> axis;
  for (const auto& [candidate, role] : plan.roles) {
    if (role != TileRole::row) continue;
    if (axis || std::ranges::count(grid.axes, candidate) == 0) return std::nullopt;
    axis = candidate;
  }
  return axis && !has_uneven_loops(kernel, sizes, grid.body) ? axis : std::nullopt;
}

bool is_shared_along(const ir::Kernel& kernel, const TileFactor& factor, ir::AxisId axis) {
  return !factor.stays && std::ranges::count(kernel.values[factor.load].axes, axis) == 0;
}

std::optional<ir::AxisId> shared_columns(const ir::Kernel& kernel, const TilePlan& plan) {
  const auto is_row = [](const auto& entry) { return entry.second == TileRole::row; };
  const ir::AxisId rows = std::ranges::find_if(plan.roles, is_row)->first;
  const std::vector<ir::AxisId>& grid = kernel.grids.at(0).axes;
  for (const TileFactor* factor : plan.factors()) {
    if (factor->way != TileFactor::Way::staged || !is_shared_along(kernel, *factor, rows)) continue;
    if (std::ranges::count(grid, factor->width) > 0) return factor->width;
  }
  return std::nullopt;
}

bool is_whole_dimension(const ir::Kernel& kernel, ir::SizeTable& sizes, ir::ValueId index, ir::AxisId axis,
                        ir::SizeId dimension) {
  const auto* coordinate = std::get_if<ir::Coordinate>(&kernel.values[index].op);
  return coordinate && coordinate->axis == axis && sizes.as_constant(kernel.axes[axis].lower) == 0 &&
         kernel.axes[axis].upper == dimension;
}

ir::AxisId axis_of_lines(const ir::Kernel& kernel, const TileFactor& tile) {
  const bool is_along_depth = tile.lies_as_declared() ? tile.ends_with_depth()
                                                      : !has_either_order(kernel.values[tile.value].dtype) ||
                                                            tile.parts[0].ends_with_depth();
  return is_along_depth ? tile.depth : tile.width;
}

bool may_have_orders(const ir::Kernel& kernel, const TilePlan& plan, const std::vector<TileShape>& shapes) {
  std::set<ir::ValueId> loads;
  for (const TileFactor* factor : plan.factors()) {
    if (factor->way != TileFactor::Way::staged || factor->in_parts || factor->lies_as_declared() ||
        !has_either_order(tile_type(kernel, *factor)))
      return false;
    loads.insert(factor->load);
  }
  return loads.size() <= kMostOrders && std::ranges::any_of(shapes, [&](const TileShape& shape) {
           return is_of_orders(kernel, plan, shape);
         });
}

bool is_of_orders(const ir::Kernel& kernel, const TilePlan& plan, const TileShape& shape) {
  const bool is_short = shape.all_groups() == 1 && area_of_sums(plan, shape) > kOfFewRows;
  return is_short || has_products_by_warps(kernel, plan);
}

}  // namespace tessera::emit
