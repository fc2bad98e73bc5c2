// SPDX-License-Identifier: Apache-2.0
// A function in tiles from the outside in: its constants, what it has in shared memory, the loop over instances.
#include <fmt/format.h>

#include <algorithm>

#include "emit/group_products.h"
#include "emit/identifiers.h"
#include "emit/naming.h"
#include "emit/panel_plan.h"
#include "emit/signature.h"
#include "emit/tile_live.h"
#include "emit/tile_lowering.h"
#include "emit/tile_memory.h"
#include "emit/uneven_loops.h"
#include "emit/warpgroup_plan.h"

namespace tessera::emit {

using lowered::Expr;

TileLowering::TileLowering(KernelPlan& plan, size_t function, Residency& residency)
    : FunctionLowering(plan, plan.phase.functions[function], residency),
      tiles_(plan.tiles[function]),
      vectors_for_tiles_(vectors_for_tiles(kernel_, tiles_)),
      shared_tiles_(shared_tiles(kernel_, tiles_)) {
  if (tiles_.has_clusters()) cluster_axis_ = cluster_axis(kernel_, plan_.sizes, tiles_);
}

lowered::Function TileLowering::run() {
  reserve_names();
  names_.release(item_);
  item_ = names_.take("slot");  // of a thread's rows, or columns
  name_extents();
  scopes_.push_back(Scope{});
  scopes_.back().block = &blocks_.emplace_back();
  emit(lowered::Local{
      "constexpr int",
      "kThreads",
      {},
      lowered::name(has_roles() ? "kGroupThreads * kGroups" : "32 * kWarpRows * kWarpColumns", DType::index),
      false,
      false});
  declare_layouts();
  declare_factors();
  for (const auto& [axis, extent] : extents_)
    if (kernel_.axes[axis].kind == ir::AxisKind::let) count_tile(axis);
  if (has_roles()) {
    declare_boxes();
    run_roles(declare_units());
  } else {
    instances(declare_units(), "", [&] {
      std::vector<const TileFactor*> staged;
      collect_staged(phase_.grid->body, std::nullopt, {}, staged);
      fill_once(staged);
      block(phase_.grid->body);
    });
  }
  function_.body = std::move(*scopes_.front().block);
  remove_unused_locals(function_.body);
  declare_template();
  declare_parameters();
  tiles_.extents = extents_;
  tiles_.majors = majors_;
  tiles_.orders = orders_;
  return std::move(function_);
}

void TileLowering::declare_template() {
  std::vector<std::string>& parameters = function_.template_parameters;
  std::set<std::string> named;
  for (const auto& [axis, constant] : extents_)
    if (named.insert(constant).second) parameters.push_back("int " + constant);
  parameters.push_back("int kStages");
  if (has_roles()) {
    parameters.push_back("int kGroups");
    if (tiles_.has_teams()) parameters.push_back("int kTeams");
    if (tiles_.shared_axis) parameters.push_back("bool kSharesTerms");
    if (cluster_axis_ && tiles_.has_lone_blocks()) parameters.push_back("bool kClustered");
  } else {
    parameters.push_back("int kWarpRows");
    parameters.push_back("int kWarpColumns");
  }
  if (tiles_.has_groups()) parameters.push_back("int kRaster");
  if (!majors_.empty() && !has_roles()) parameters.push_back("Copy kCopy");
  for (const auto& [load, major] : majors_) parameters.push_back("Major " + major);
  for (const auto& [load, order] : orders_) parameters.push_back("Order " + order);
}

void TileLowering::declare_parameters() {
  // A minimum of one block: without one ptxas prepares for several on a multiprocessor, keeps to 128 or 168 registers of a
  // thread, and spills.
  function_.threads = has_roles() ? "kGroupThreads * (kGroups + 1), 1" : "32 * kWarpRows * kWarpColumns, 1";
  function_.parameters = kernel_parameters(kernel_, function_);
  std::vector<std::string> maps;
  for (const FactorTile& tile : factors_)
    if (!tile.boxes.empty())
      maps.push_back(
          (tile.has_factor_boxes() ? "TESSERA_PARAMETER FactorBoxes " : "TESSERA_PARAMETER TensorMap ") +
          tile.boxes);
  for (const StoredBoxes& boxes : stored_boxes_) {
    maps.push_back("TESSERA_PARAMETER StoreBoxes " + boxes.name);
    tiles_.stored.push_back(boxes.argument);
  }
  if (tiles_.shared_axis) maps.push_back("TESSERA_PARAMETER TermShares terms");
  function_.parameters.insert(function_.parameters.begin(), maps.begin(), maps.end());
  function_.comment =
      kernel_.c_name + (has_roles()
                            ? ": a warp copies boxes of the factors, warpgroups multiply what has arrived."
                            : ": a block of warps shares the tiles of an instance.");
}

// The name behind `by` where there is one: it is what the user calls the extent.
void TileLowering::name_extents() {
  for (const auto& [axis, role] : tiles_.roles) {
    const ir::Axis& entry = kernel_.axes[axis];
    const std::string wanted =
        entry.step_name.empty() ? fmt::format("k{}Tile", capitalised(entry.name)) : entry.step_name;
    extents_[axis] = names_.take(wanted);
  }
  names_.reserve("kThreads");
}

void TileLowering::declare_layouts() {
  const auto use = [&](const std::vector<ir::AxisId>& axes) {
    const TilePlace place = place_of({axes.begin(), axes.end()});
    if (place.is_tile()) layout_of(place);
  };
  for (const auto& [id, product] : tiles_.products) use(kernel_.values[id].axes);
  for (const auto& [id, dependence] : analysis_.dependence) {
    if (tiles_.anchored.contains(id)) use(kernel_.values[id].axes);
    const auto* reduce = std::get_if<ir::Reduce>(&kernel_.values[id].op);
    if (!reduce || !tiles_.role(reduce->axes[0])) continue;
    AxisSet axes(kernel_.values[id].axes.begin(), kernel_.values[id].axes.end());
    if (tiles_.is_in_registers(reduce->axes[0])) axes.insert(reduce->axes[0]);
    layout_of(place_of(axes));
    if (!group_.empty() || (has_roles() && !tiles_.is_in_registers(reduce->axes[0]))) continue;
    group_ = named("group");
    emit(lowered::Local{"FragmentGroup", group_, {}, nullptr, false, false});
  }
}

void TileLowering::declare_factors() {
  for (const auto& [id, product] : tiles_.products) {
    for (const TileFactor* factor : {&product.rows, &product.columns}) {
      for (const TileFactor& part : factor->parts) declare_factor(part, product.is_tf32);
      declare_factor(*factor, product.is_tf32);
    }
  }
  for (const auto& [id, fold] : tiles_.folds)
    for (const TileFactor& part : fold.parts) declare_factor(part, false);
}

// What its tile is called: after the tensor that it is copied from, or the value that it is.
std::string TileLowering::name_of(const TileFactor& factor) const {
  if (factor.way == TileFactor::Way::staged)
    return kernel_.tensors[std::get<ir::Load>(kernel_.values[factor.load].op).tensor].name;
  const std::string& name = kernel_.values[factor.value].name;
  return name.empty() ? "factor" : name;
}

void TileLowering::declare_factor(const TileFactor& factor, bool is_tf32) {
  if (factor.way == TileFactor::Way::registers) return;
  const bool is_staged = factor.way == TileFactor::Way::staged;
  const auto same = std::ranges::find_if(
      factors_, [&](const FactorTile& other) { return other.factor.shares_tile(factor); });
  if (same != factors_.end()) return note_reader(*same, factor);
  const DType type = tile_type(kernel_, factor);
  const std::string element = is_tf32 && has_roles() ? "tf32" : type_name(type);  // copies round
  FactorTile entry{.factor = factor};
  entry.is_ring = factor.in_ring || factor.stays;
  const std::string name = name_of(factor);
  if (factor.is_turned) {
    entry.major = "Major::mn";
    entry.boxes = named(name + "_map");
  } else if (factor.lies_as_declared() || (has_roles() && !is_staged)) {
    entry.major = axis_of_lines(kernel_, factor) == factor.depth ? "Major::k" : "Major::mn";
    if (factor.lies_as_declared())
      entry.boxes = named(name + "_map");
    else
      entry.turn = named(name + "_turn");
    entry.is_ring = true;
  } else if (has_roles()) {
    entry.is_either = has_either_order(type);
    if (!entry.is_either) entry.major = "Major::k";
    entry.boxes = named(name + "_boxes");
    if (may_have_orders(kernel_, tiles_, tiles_.shapes))
      orders_[factor.load] = names_.take("kOrder" + capitalised(name));
  } else {
    if (is_staged && !majors_.contains(factor.load))
      majors_[factor.load] = names_.take("kMajor" + capitalised(name));
    // Lines of what is computed run along those of what it is computed from.
    entry.major = is_staged              ? majors_.at(factor.load)
                  : factor.parts.empty() ? "Major::k"
                                         : majors_.at(factor.parts[0].load);
  }
  const std::string elements = named(name + "_elements");
  const bool are_several = entry.is_ring && !factor.stays;
  const std::string tile_type = names_.take((are_several ? "Ring" : "Tile") + capitalised(name));
  entry.ring = named(name + (are_several ? "_tiles" : "_tile"));
  entry.tile = entry.ring;
  entry.type = tile_type;
  // Lines that are shifted into place have a chunk more.
  entry.is_shifted = is_staged && tiles_.shifts && size_in_bytes(type) < 4;
  emit(lowered::Using{tile_type, storage_of(entry, element)});
  const FactorTile* before = tile_in_turn(factor);
  entry.first_byte = before ? before->first_byte : tiles_end_;
  emit(lowered::Shared{element, elements, tile_type + "::kRoom", entry.first_byte});
  if (!before) {
    const std::string bytes = tile_type + "::kRoomBytes";
    tiles_end_ = tiles_end_ == "0" ? bytes : tiles_end_ + " + " + bytes;
  }
  std::vector<Expr> members = {lowered::name(elements, type)};
  if (entry.is_either) members.push_back(lowered::name(entry.boxes + ".major", DType::index));
  emit(lowered::Local{tile_type, entry.ring, {}, lowered::list(members), true, false});
  if (!entry.turn.empty()) {
    emit(lowered::Local{"int", entry.turn, {}, lowered::integer(0), false, false});
    entry.tile = fmt::format("{}.stage({})", entry.ring, entry.turn);
  }
  factors_.push_back(std::move(entry));
}

// The type of its tile, or of several that follow one another.
std::string TileLowering::storage_of(const FactorTile& entry, const std::string& element) const {
  const std::string &width = extents_.at(entry.factor.width), &depth = extents_.at(entry.factor.depth);
  const char* stages = !entry.turn.empty() ? "2" : entry.factor.stays ? "1" : "kStages";
  if (entry.is_either) {
    const auto order = orders_.find(entry.factor.load);
    return fmt::format("EitherRing<{}, {}, {}, {}{}>", element, width, depth, stages,
                       order == orders_.end() ? "" : ", " + order->second);
  }
  const bool is_along_k = entry.major.empty() || entry.major == "Major::k";
  const std::string lines = is_along_k ? fmt::format("{}, {}", width, depth)
                            : entry.major == "Major::mn"
                                ? fmt::format("{}, {}", depth, width)
                                : fmt::format("{0} == Major::k ? {1} : {2}, {0} == Major::k ? {2} : {1}",
                                              entry.major, width, depth);
  const std::string ends = entry.is_shifted ? ", kCopy == Copy::shifted" : "";
  return entry.is_ring ? fmt::format("OperandRing<{}, {}, {}{}>", element, lines, stages, ends)
                       : fmt::format("OperandTile<{}, {}{}>", element, lines, ends);
}

// The first of those whose place in shared memory the tiles of a factor take in turn, if there is one.
const FactorTile* TileLowering::tile_in_turn(const TileFactor& factor) const {
  for (const auto& place : tiles_by_place(kernel_, tiles_)) {
    if (!place[0]->shares_tile(factor) &&
        std::ranges::any_of(place, [&](const TileFactor* tile) { return tile->shares_tile(factor); }))
      return &*std::ranges::find_if(
          factors_, [&](const FactorTile& tile) { return tile.factor.shares_tile(*place[0]); });
  }
  return nullptr;
}

// All panels of a warp pass through two places behind the factors.
Panel TileLowering::declare_panel(const ir::Tensor& tensor, const std::string& layout, bool has_rows) {
  std::string name = named(tensor.name + "_panel");
  const std::string elements = named(tensor.name + "_elements");
  const std::string panel_type = names_.take("Panel" + capitalised(tensor.name));
  const std::string type = type_name(tensor.dtype);
  at_scope(outermost_, [&] {
    if (panel_turn_.empty()) {
      panel_turn_ = named("panel_turn");
      emit(lowered::Local{"int", panel_turn_, {}, lowered::integer(0), false, false});
    }
    emit(lowered::Using{panel_type, fmt::format("StorePanel<{}, {}{}>", type, layout,
                                                has_rows ? "" : ", StoredLine::column")});
    emit(lowered::Shared{type, elements, panel_type + "::kRoom" + times_teams(), tiles_end_});
    emit(lowered::Local{
        panel_type,
        name,
        {},
        lowered::list({lowered::name(elements, tensor.dtype), lowered::name(panel_turn_, DType::index)}),
        false,
        false});
  });
  return {name, panel_type};
}

FactorTile& TileLowering::tile_of(const TileFactor& factor) {
  const auto found = std::ranges::find_if(
      factors_, [&](const FactorTile& other) { return other.factor.shares_tile(factor); });
  TESSERA_CHECK(found != factors_.end(), "every factor in shared memory has a tile");
  return *found;
}

const std::string& TileLowering::major_of(const TileFactor& factor) {
  const FactorTile& tile = tile_of(factor);
  return tile.factor.depth == factor.depth ? tile.major : tile.across;
}

// Another product reads the tile: where it sums over the other axis, the same lines run along that.
void TileLowering::note_reader(FactorTile& tile, const TileFactor& factor) {
  if (tile.factor.depth == factor.depth || !tile.across.empty()) return;
  tile.across = named(tile.major + "Across");
  const std::string opposite = fmt::format("{} == Major::k ? Major::mn : Major::k", tile.major);
  emit(lowered::Local{
      "constexpr Major", tile.across, {}, lowered::name(opposite, DType::index), false, false});
}

// How many instances there are along each axis of the grid; the names of an instance's positions.
std::vector<std::string> TileLowering::declare_units() {
  std::vector<Expr> counts;
  std::vector<std::string> positions;
  unit_count_ = lowered::integer(1);
  std::string product;
  for (ir::AxisId axis : phase_.grid->axes) {
    const ir::Axis& entry = kernel_.axes[axis];
    Expr count = size(plan_.sizes.subtract(entry.upper, entry.lower));
    const bool is_tiled = extents_.contains(axis);
    const bool is_shared = axis == cluster_axis_;
    if (is_tiled) count = lowered::call("ceil_divide", {count, extent(axis)}, DType::index);
    if (is_shared) count = lowered::call("in_clusters", {count, blocks_of_cluster()}, DType::index);
    const bool direct = !is_tiled && lowered::constant_of(lower_bound(axis)) == 0;
    positions.push_back(named(lowercase(entry.name) + (direct ? "" : "_tile")));
    unit_count_ = lowered::multiply(unit_count_, count);
    product += fmt::format("{}units[{}]", counts.empty() ? "" : " * ", counts.size());
    counts.push_back(std::move(count));
  }
  if (!counts.empty())
    emit(lowered::Local{
        fmt::format("Index<{}>", counts.size()), "units", {}, lowered::list(counts), true, false});
  emit(lowered::Local{
      "index", "unit_count", {}, lowered::name(counts.empty() ? "1" : product, DType::index), true, false});
  if (tiles_.shared_axis) {
    const Expr turns = lowered::name("TermShare<kSharesTerms>::turn_count(terms, unit_count)", DType::index);
    emit(lowered::Local{"index", "turn_count", {}, turns, true, false});
  }
  return positions;
}

Expr TileLowering::blocks_of_cluster() const { return lowered::name(kCluster, DType::index); }

// Blocks, or their clusters, take turns: at instances, or at shares of them. So do the teams of a block.
std::string TileLowering::header_of_instances(const std::string& teams) const {
  const std::string of = cluster_axis_ ? "cluster" : "block";
  const std::string name = tiles_.shared_axis ? "turn" : "unit";
  const std::string first = teams.empty() ? "" : fmt::format(" + {}.team() * {}_count()", teams, of);
  return fmt::format("index {0} = {1}_index(){2}; {0} < {0}_count; {0} += {3}{1}_count()", name, of, first,
                     teams.empty() ? "" : "kTeams * ");
}

void TileLowering::instances(const std::vector<std::string>& positions, const std::string& teams,
                             const std::function<void()>& body) {
  std::string joined;
  for (const std::string& position : positions) joined += (joined.empty() ? "" : ", ") + position;
  Scope bindings;
  for (ir::AxisId axis : phase_.grid->axes) {
    bindings.axes.insert(axis);
    bindings.loops.insert(axis);
  }
  loop(header_of_instances(teams), false, std::move(bindings), [&] {
    if (tiles_.shared_axis)
      emit(lowered::Local{
          "TermShare<kSharesTerms>",
          share_,
          {},
          lowered::list({lowered::name("terms", DType::index), lowered::name("turn", DType::index),
                         lowered::name("unit_count", DType::index)}),
          true,
          false});
    if (!positions.empty())
      emit(lowered::Local{
          "auto",
          fmt::format("[{}]", joined),
          {},
          lowered::name(fmt::format("{}({}, units).at",
                                    tiles_.has_groups() ? "grouped_position<kRaster>" : "tile_position",
                                    tiles_.shared_axis ? share_ + ".unit()" : "unit"),
                        DType::index),
          true,
          false});
    bind_instance(positions, body);
  });
}

void TileLowering::bind_instance(const std::vector<std::string>& positions,
                                 const std::function<void()>& body) {
  for (size_t k = 0; k < positions.size(); ++k) {
    const ir::AxisId axis = phase_.grid->axes[k];
    Expr position = lowered::name(positions[k], DType::index);
    if (has_roles() && rounds_along(kernel_, plan_.sizes, *phase_.grid, axis) == Rounds::rise)
      position = lowered::binary("-", lowered::name(fmt::format("units[{}] - 1", k), DType::index), position,
                                 DType::index);  // the longest first
    if (axis == cluster_axis_)
      position = lowered::add(lowered::multiply(position, blocks_of_cluster()),
                              lowered::call("cluster_rank", {}, DType::index));
    const std::string name = lowercase(kernel_.axes[axis].name);
    if (!extents_.contains(axis)) {
      if (lowered::constant_of(lower_bound(axis)) == 0) {
        scopes_.back().coordinates[axis] = position;
        continue;
      }
      const std::string coordinate = named(name);
      emit(lowered::Local{"index", coordinate, {}, lowered::add(lower_bound(axis), position), true, false});
      scopes_.back().coordinates[axis] = lowered::name(coordinate, DType::index);
      continue;
    }
    const std::string first = named(name + "_first");
    emit(lowered::Local{"index",
                        first,
                        {},
                        lowered::add(lower_bound(axis), lowered::multiply(position, extent(axis))),
                        true,
                        false});
    scopes_.back().ranges[axis] = {lowered::name(first, DType::index), upper_bound(axis)};
    count_tile(axis);
  }
  body();
}

}  // namespace tessera::emit
