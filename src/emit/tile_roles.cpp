// SPDX-License-Identifier: Apache-2.0
// Blocks with roles: one warp asks for the boxes of a ring (tile_copies.cpp), warpgroups multiply what has arrived.
#include <fmt/format.h>

#include <algorithm>

#include "emit/group_products.h"
#include "emit/print.h"
#include "emit/tile_lowering.h"
#include "emit/warpgroup_plan.h"
#include "sema/ir/statements.h"

namespace tessera::emit {

using lowered::Expr;

namespace {

Expr local(const std::string& name) { return lowered::name(name, DType::index); }

}  // namespace

void TileLowering::declare_boxes() {
  std::vector<RingSite> sites;
  collect_rings(phase_.grid->body, {}, sites);
  std::erase_if(sites, [](const RingSite& site) { return site.factors.empty(); });
  TESSERA_CHECK(!sites.empty(), "boxes go through a ring");
  const std::string base = sites.size() == 1 ? lowercase(kernel_.axes[sites[0].axis].name) : "tile";
  boxes_ = BoxRing{.sites = std::move(sites)};
  if (cluster_axis_) {
    const char* const blocks =
        tiles_.has_lone_blocks() ? "kClustered ? cluster_blocks() : 1" : "cluster_blocks()";
    emit(lowered::Local{"int", kCluster, {}, local(blocks), true, false});
  }
  const auto has = [&](bool is_source) {
    return std::ranges::any_of(factors_, [&](const FactorTile& tile) {
      return !tile.boxes.empty() && !tile.factor.stays && tile.factor.is_source == is_source;
    });
  };
  if (has(true)) boxes_->sources = declare_stages(base + "_source", "kStages", true);
  if (has(false)) boxes_->factors = declare_stages(base, "kStages", true);
  for (FactorTile& tile : factors_) {
    if (is_cut(tile)) tiles_.cut.insert(tile.factor.load);
    if (tile.factor.stays) tile.stages = declare_stages(name_of(tile.factor), "1", false);
    if (!tile.boxes.empty() && tile.major != "Major::mn" && !may_hold_anything(tile)) clear_rest(tile);
    if (!tile.turn.empty())  // threads leave out what is not stored
      emit(lowered::Evaluate{local(fmt::format("clear_lines<kGroups>({}, 0)", tile.ring))});
  }
  find_stored_boxes();
  emit(lowered::Local{"int", "warp", {}, local("warp_number()"), true, false});
  if (tiles_.has_teams()) declare_teams();
  guard(local("thread_index() == 0"), "", false, Scope{}, [&] {
    for (const FactorTile& tile : factors_)
      if (!tile.boxes.empty()) emit(lowered::Evaluate{local(fmt::format("prefetch_maps({})", tile.boxes))});
    for (const StoredBoxes& boxes : stored_boxes_)
      emit(lowered::Evaluate{local(fmt::format("prefetch_maps({})", boxes.name))});
  });
  const std::string readers = tiles_.has_teams() ? boxes_->teams + ".kWarps" : "4 * kGroups";
  for (const StageNames* stages : all_stages())
    emit(lowered::Evaluate{local(fmt::format("{}.initialize({})", stages->ring, readers))});
  if (tiles_.has_teams()) emit(lowered::Evaluate{local(boxes_->teams + ".initialize()")});
}

// A ring of stages, with its barriers. `is_shared`: by the blocks of a cluster.
StageNames TileLowering::declare_stages(const std::string& base, const std::string& count, bool is_shared) {
  const std::string full = named(base + "_full"), empty = named(base + "_empty");
  StageNames stages{named(base + "_ring"), named(base + "_at"), count};
  emit(lowered::Evaluate{local(fmt::format("TESSERA_BARRIERS({}, {})", full, count))});
  emit(lowered::Evaluate{local(fmt::format("TESSERA_BARRIERS({}, {})", empty, count))});
  std::vector<Expr> parts = {local(full), local(empty)};
  if (cluster_axis_ && is_shared) parts.push_back(blocks_of_cluster());
  emit(
      lowered::Local{fmt::format("TileRing<{}>", count), stages.ring, {}, lowered::list(parts), true, false});
  return stages;
}

const StageNames& TileLowering::stages_of(const TileFactor& factor) const {
  const auto is_it = [&](const FactorTile& tile) { return tile.factor.shares_tile(factor); };
  if (factor.stays) return std::ranges::find_if(factors_, is_it)->stages;
  return factor.is_source ? boxes_->sources : boxes_->factors;
}
std::vector<const StageNames*> TileLowering::all_stages() const {
  std::vector<const StageNames*> found = boxes_->rings();
  for (const FactorTile& tile : factors_)
    if (tile.factor.stays) found.push_back(&tile.stages);
  return found;
}
std::vector<const StageNames*> TileLowering::stages_of(const std::vector<const TileFactor*>& factors) const {
  std::vector<const StageNames*> found;
  for (const TileFactor* factor : factors)
    if (std::ranges::count(found, &stages_of(*factor)) == 0) found.push_back(&stages_of(*factor));
  return found;
}

// The warpgroups of a block have tiles of their own, or one together.
void TileLowering::declare_teams() {
  TESSERA_CHECK(boxes_->sites.size() == 1 && boxes_->sites[0].around.empty(),
                "an instance with a team of its own has one loop that brings factors");
  boxes_->teams = named("teams");
  emit(lowered::Local{
      "TeamTurns<kGroups, kTeams>", boxes_->teams, {}, lowered::list({local("warp")}), false, false});
}

// What the boxes of a short tensor leave out is zero from the beginning.
void TileLowering::clear_rest(const FactorTile& tile) {
  emit(lowered::Evaluate{local(fmt::format("clear_lines<kGroups>({}, {}.lines{})", tile.ring, boxes_of(tile),
                                           is_shared(tile.factor) ? " * cluster" : ""))});
}

// Whether what lines hold that no box brings does not matter: the instructions of warpgroups alone read them, and make sums
// of coordinates behind the end of an axis, of which nothing is folded. Not where several rings may take turns at one place:
// a product would then read what the boxes of another ring write.
bool TileLowering::may_hold_anything(const FactorTile& tile) const {
  const TileFactor& factor = tile.factor;
  return boxes_->sites.size() == 1 && !factor.stays && !factor.is_turned && !factor.is_source &&
         tile_type(kernel_, factor) != DType::f64 && !tiles_.folds_tile_of(factor) &&
         !tiles_.is_read_across(factor) && !analysis_.crossed.contains(factor.width);
}

// Whether boxes of the last tile may be others: of tiles that follow each other along an axis of the grid.
// With three coordinates of a box the thread that asks has no registers for that.
bool TileLowering::is_cut(const FactorTile& tile) const {
  if (!tile.has_factor_boxes() || !may_hold_anything(tile)) return false;
  const auto& load = std::get<ir::Load>(kernel_.values[tile.factor.load].op);
  return load.indices.size() + (tile.factor.in_parts ? 1 : 0) == 2 &&
         std::ranges::count(phase_.grid->axes, tile.factor.width) != 0;
}

bool TileLowering::has_cut_tiles() const {
  return std::ranges::any_of(factors_, [&](const FactorTile& tile) { return is_cut(tile); });
}

// The boxes of a tile, or of all tiles.
std::string TileLowering::boxes_of(const FactorTile& tile) {
  if (!tile.tile_boxes.empty()) return tile.tile_boxes;
  return tile.boxes + (tile.has_factor_boxes() ? ".whole" : "");
}

bool TileLowering::is_shared(const TileFactor& factor) const {
  return cluster_axis_ && is_shared_along(kernel_, factor, *cluster_axis_);
}

// Where a thread is in each ring.
void TileLowering::begin_rings() {
  for (const StageNames* stages : all_stages())
    emit(lowered::Local{fmt::format("RingPlace<{}>", stages->count), stages->at, {}, nullptr, false, false});
}

void TileLowering::run_roles(const std::vector<std::string>& positions) {
  emit(lowered::Barrier{"the ring is ready",
                        cluster_axis_ ? lowered::Barrier::Of::cluster : lowered::Barrier::Of::block});
  emit(lowered::Local{"int", "group", {}, local("warp / kGroupWarps"), true, false});
  lowered::Block copies = apart([&] {
    emit(lowered::Evaluate{local("leave_registers<kGroups>()")});
    guard(local("warp % kGroupWarps == 0 && is_elected()"), "", false, Scope{}, [&] {
      if (looks_ahead()) return copy_ahead(positions);
      begin_rings();
      emit(lowered::Evaluate{local("wait_for_launch_before()")});
      copy_boxes(positions);
    });
  });
  lowered::Block products = apart([&] {
    emit(lowered::Evaluate{local("take_registers<kGroups>()")});
    emit(lowered::Evaluate{local("wait_for_launch_before()")});
    outermost_ = scopes_.size() - 1;
    begin_rings();
    instances(positions, boxes_->teams, [&] { block(phase_.grid->body); });
    if (!stored_boxes_.empty()) emit(lowered::Evaluate{local("wait_for_stores()")});
  });
  emit(lowered::If{local("group == kGroups"), std::move(copies), "this one copies, the others multiply",
                   false, std::move(products)});
}

void TileLowering::release(const std::string& stage) {
  emit(lowered::Evaluate{local(fmt::format("{}.release({})", boxes_->factors.ring, stage))});
}
void TileLowering::release_before(const std::string& before) {
  guard(local(before + " >= 0"), "", false, Scope{}, [&] { release(before); });
}

// The product that gives a stage back when it has read it: the one that reads what was copied there, done when its call
// returns, where no fold reads that, too.
const TileProduct* TileLowering::releasing_product(const std::vector<const TileFactor*>& copied) const {
  const auto is_copied = [&](const TileFactor& factor) {
    return std::ranges::any_of(copied, [&](const TileFactor* tile) { return tile->shares_tile(factor); });
  };
  for (const auto& [reduce, fold] : tiles_.folds)
    if (std::ranges::any_of(fold.parts, is_copied)) return nullptr;
  const TileProduct* found = nullptr;
  for (const auto& [dot, product] : tiles_.products) {
    if (!is_copied(product.rows) && !is_copied(product.columns)) continue;
    if (found || !is_done_at_once(kernel_, product)) return nullptr;
    found = &product;
  }
  return found;
}

// Waits for the boxes of a round, and gives back their stage when the products that read it are done: one round later,
// where a loop does nothing but multiply, and no product is done at once. Where factors are computed the threads have those of
// the next round to compute meanwhile.
void TileLowering::receive_boxes(ir::AxisId axis, const Range& range,
                                 const std::vector<const TileFactor*>& factors, bool only_multiplies,
                                 const std::function<void()>& body) {
  TESSERA_CHECK(boxes_->sites.at(boxes_->received).factors == factors,
                "boxes are received in the order of asking");
  ++boxes_->received;
  const auto is_done = [&](const auto& entry) { return is_done_at_once(kernel_, entry.second); };
  std::vector<const TileFactor*> sources, copied;
  for (const TileFactor* factor : factors)
    (factor->is_source && !computed_from({factor}).empty() ? sources : copied).push_back(factor);
  const std::vector<const StageNames*> rings = stages_of(copied);
  const bool is_one_ring = rings.size() == 1 && rings[0] == &boxes_->factors;
  const bool stays =
      only_multiplies && sources.empty() && is_one_ring && std::ranges::none_of(tiles_.products, is_done);
  const TileProduct* const releasing = releasing_product(copied);
  const RingTurn own = turn_of(axis, range, false);
  const std::string name = lowercase(kernel_.axes[axis].name), tile = named(name + "_tile");
  const Range share = share_of(axis, own.end);
  const std::string before = stays ? named(name + "_previous") : "";
  if (stays) emit(lowered::Local{"int", before, {}, lowered::integer(-1), false, false});
  take_turn("begin");
  const std::vector<std::string> outer = std::exchange(under_way_, {});
  const bool outer_waits = std::exchange(waits_at_once_, !stays);
  const std::string compute = sources.empty() ? "" : define_computing(axis, own.range, sources);
  if (!compute.empty()) compute_if_there(compute, share.first, share.end);
  Scope bindings;
  bindings.loops.insert(axis);
  count_loop(tile, share, "1", std::move(bindings), [&] {
    bind_tile(axis, own.range, tile);
    if (!compute.empty()) {
      complete_computed(computed_from(sources));
      boxes_->compute_next = [&] {
        compute_if_there(compute, lowered::add(local(tile), lowered::integer(1)), share.end);
      };
    }
    if (!copied.empty()) tiles_.has_parts() ? receive_parts(name, copied) : receive_stage(copied);
    releasing_ = releasing;
    const std::vector<const TileFold*> outer_due = std::exchange(folds_due_, folds_of_ring_);
    std::erase_if(folds_due_, [&](const TileFold* fold) { return folded_ahead_.contains(fold->reduce); });
    const size_t outer_scopes = std::exchange(boxes_->scopes_of_round, scopes_.size());
    round(true, body);
    TESSERA_CHECK(!boxes_->compute_next,
                  "a product of each round has the time to compute the next one's factors");
    fold_due();
    folds_due_ = outer_due;
    boxes_->scopes_of_round = outer_scopes;
    releasing_ = nullptr;
    if (stays) pass_on(before);
    for (const StageNames* stages : rings) {
      if (!stays && !releasing) release_tile(*stages);
      if (!tiles_.has_parts()) emit(lowered::Evaluate{local(stages->at + ".advance()")});
    }
  });
  take_turn("end");
  if (stays) {
    for (const std::string& sums : std::set<std::string>(under_way_.begin(), under_way_.end()))
      emit(lowered::Evaluate{local(fmt::format("wait_for_products<0>({})", sums))});
    release_before(before);
  }
  if (axis == tiles_.shared_axis) join_shares();
  under_way_ = outer;
  waits_at_once_ = outer_waits;
  folded_ahead_.clear();
  folds_of_ring_.clear();
}

// Around the products of a tile, where teams take turns.
void TileLowering::take_turn(const char* which) {
  if (!boxes_->teams.empty())
    emit(lowered::Evaluate{local(fmt::format("{}.{}({})", boxes_->teams, which, boxes_->factors.at))});
}

void TileLowering::receive_stage(const std::vector<const TileFactor*>& factors) {
  for (const TileFactor* factor : factors)
    tile_of(*factor).tile = fmt::format("{}.stage({}.stage)", tile_of(*factor).ring, stages_of(*factor).at);
  for (const StageNames* stages : stages_of(factors))
    emit(lowered::Evaluate{local(fmt::format("{}.wait({})", stages->ring, stages->at))});
}

// ---- factors that threads compute from boxes, a round ahead of the products that read them ----

std::vector<const TileFactor*> TileLowering::computed_from(
    const std::vector<const TileFactor*>& sources) const {
  std::vector<const TileFactor*> computed;
  const auto is_here = [&](const TileFactor& part) {
    return std::ranges::any_of(sources, [&](const TileFactor* tile) { return tile->shares_tile(part); });
  };
  for (const TileProduct* product : products_of_ring_)
    for (const TileFactor* factor : {&product->rows, &product->columns}) {
      const auto shares = [&](const TileFactor* other) { return other->shares_tile(*factor); };
      if (std::ranges::any_of(factor->parts, is_here) && std::ranges::none_of(computed, shares))
        computed.push_back(factor);
    }
  return computed;
}

// Those that do not walk by themselves.
std::vector<const TileProduct*> TileLowering::products_of(const ir::Block& body) const {
  std::vector<const TileProduct*> found;
  ir::for_each_statement(body, [&](const ir::Statement& statement) {
    const auto* define = std::get_if<ir::Define>(&statement.node);
    if (!define || !tiles_.products.contains(define->value)) return;
    const TileProduct& product = tiles_.products.at(define->value);
    if (!product.has_own_loop) found.push_back(&product);
  });
  return found;
}

// `compute_k(number)` computes the factors of one round into the tiles that are read next.
std::string TileLowering::define_computing(ir::AxisId axis, const Range& range,
                                           const std::vector<const TileFactor*>& sources) {
  const std::string name = named("compute_" + lowercase(kernel_.axes[axis].name));
  const StageNames& stages = boxes_->sources;
  for (const TileFactor* source : sources)
    tile_of(*source).tile = fmt::format("{}.stage({}.stage)", tile_of(*source).ring, stages.at);
  const auto wrap = [&](lowered::Block inner) {
    return lowered::Lambda{name, "index number", std::move(inner)};
  };
  scope(Scope{}, wrap, [&] {
    bind_tile(axis, range, "number");
    emit(lowered::Evaluate{local(fmt::format("{}.wait({})", stages.ring, stages.at))});
    for (const TileFactor* factor : computed_from(sources)) {
      FactorTile& tile = tile_of(*factor);
      emit(lowered::Assign{local(tile.turn), "^=", lowered::integer(1)});
      tile.tile = fmt::format("{}.stage({})", tile.ring, tile.turn);
      store_from_parts(*factor, tile);
    }
    fold_ahead(sources);
    emit(lowered::Evaluate{local("warp_barrier()")});
    emit(lowered::Evaluate{local(fmt::format("{}.release({}.stage)", stages.ring, stages.at))});
    emit(lowered::Evaluate{local(stages.at + ".advance()")});
  });
  return name;
}

void TileLowering::compute_if_there(const std::string& compute, const Expr& number, const Expr& end) {
  guard(lowered::binary("<", number, end, DType::boolean), "", false, Scope{},
        [&] { emit(lowered::Evaluate{lowered::call(compute, {number}, DType::index)}); });
}

void TileLowering::complete_computed(const std::vector<const TileFactor*>& computed) {
  emit(lowered::Evaluate{local("complete_tiles<kGroups>()")});
  for (const TileFactor* factor : computed) {
    FactorTile& tile = tile_of(*factor);
    tile.tile = named(name_of(*factor) + "_tile");
    emit(lowered::Local{
        "auto", tile.tile, {}, local(fmt::format("{}.stage({})", tile.ring, tile.turn)), true, false});
  }
}

// ---- factors in parts ----

// The parts of a tile follow each other in the ring, and are read together.
void TileLowering::receive_parts(const std::string& axis, const std::vector<const TileFactor*>& factors) {
  boxes_->parts = named(axis + "_parts");
  emit(lowered::Local{
      "auto", boxes_->parts, {}, local(fmt::format("take_parts({})", boxes_->factors.at)), true, false});
  for (const TileFactor* factor : factors)
    tile_of(*factor).tile = fmt::format("split_tile({}, {})", tile_of(*factor).ring, boxes_->parts);
  emit(lowered::Evaluate{local(fmt::format("wait_for_parts({}, {})", boxes_->factors.ring, boxes_->parts))});
}

void TileLowering::release_tile(const StageNames& stages) {
  if (!tiles_.has_parts())
    return emit(lowered::Evaluate{local(fmt::format("{0}.release({1}.stage)", stages.ring, stages.at))});
  emit(lowered::Evaluate{local(fmt::format("release_parts({}, {})", boxes_->factors.ring, boxes_->parts))});
}

// What a product calls that gives back what it has read.
std::string TileLowering::release_when_read() const {
  return tiles_.has_parts()
             ? fmt::format("[&](SplitPart part) {{ {}.release({}.stage(part)); }}", boxes_->factors.ring,
                           boxes_->parts)
             : fmt::format("[&] {{ {}.release({}.stage); }}", boxes_->factors.ring, boxes_->factors.at);
}

// The products of this round stay under way; those of the one before are done.
void TileLowering::pass_on(const std::string& before) {
  TESSERA_CHECK(!under_way_.empty(), "a loop that brings factors multiplies them");
  emit(lowered::Evaluate{
      local(fmt::format("wait_for_products<{}>({})", under_way_.size(), under_way_.back()))});
  release_before(before);
  emit(lowered::Assign{local(before), "=", local(boxes_->factors.at + ".stage")});
}

// Nothing but `sums += product` happens to what lies in registers: nothing else touches sums that products under way write,
// and those of one sum follow each other.
bool TileLowering::only_multiplies(const ir::Block& statements) const {
  std::set<ir::ValueId> assigned;
  for (const ir::Statement& statement : statements)
    if (const auto* assign = std::get_if<ir::Assign>(&statement.node)) assigned.insert(assign->value);
  for (const LoopFold& entry : loop_folds_)  // what joins them stands behind the loop
    for (ir::ValueId operand : ir::operands_of(kernel_.values[entry.assign->value].op))
      assigned.insert(operand);
  return std::ranges::all_of(statements, [&](const ir::Statement& statement) {
    if (const auto* define = std::get_if<ir::Define>(&statement.node))
      return !tiles_.anchored.contains(define->value) || tiles_.products.contains(define->value) ||
             open_folds_.contains(define->value) || assigned.contains(define->value) ||
             std::holds_alternative<ir::ReadVariable>(kernel_.values[define->value].op);
    const auto* assign = std::get_if<ir::Assign>(&statement.node);
    return assign &&
           (is_fold_of_loop(*assign) || (product_added(*assign).has_value() && adds_to_itself(*assign)));
  });
}

}  // namespace tessera::emit
