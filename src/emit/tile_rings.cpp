// SPDX-License-Identifier: Apache-2.0
// Tiles of factors that follow one another in shared memory: rings, whose next tiles are under way while one is used.
#include <fmt/format.h>

#include <algorithm>

#include "emit/print.h"
#include "emit/tile_lowering.h"
#include "sema/ir/without_points.h"

namespace tessera::emit {

using lowered::Expr;

namespace {

Expr local(const std::string& name) { return lowered::name(name, DType::index); }

bool has_member(const Walk& walk, ir::ValueId id) {
  return (walk.product && walk.product->dot == id) ||
         std::ranges::any_of(walk.folds, [&](const TileFold* fold) { return fold->reduce == id; });
}

}  // namespace

// Tiles that stay for all that follows in this scope.
void TileLowering::fill_once(const std::vector<const TileFactor*>& factors) {
  if (factors.empty()) return;
  emit(lowered::Barrier{"everyone has read the tiles before"});
  for (const TileFactor* factor : factors) {
    declare_plane(*factor);
    FactorTile& entry = tile_of(*factor);
    entry.tile = entry.is_ring ? entry.ring + ".stage(0)" : entry.ring;
    fill(*factor, entry.tile);
  }
  end_copies();
  wait_for_copies("0");
  emit(lowered::Barrier{"the copies of all threads have arrived"});
  shift_all(factors, false);
}

// Copies of single elements are done when their threads go on.
void TileLowering::end_copies() {
  if (tiles_.copies_singly) return;
  emit(lowered::Evaluate{lowered::call("ptx::cp_async_commit_group", {}, DType::index)});
}
void TileLowering::wait_for_copies(std::string_view under_way) {
  if (tiles_.copies_singly) return;
  emit(lowered::Evaluate{
      lowered::call(fmt::format("ptx::cp_async_wait_group<{}>", under_way), {}, DType::index)});
}

// One round of a loop: at its beginning no factor is stored, and perhaps a barrier has been passed.
void TileLowering::round(bool behind_barrier, const std::function<void()>& body) {
  const bool outer = std::exchange(behind_barrier_, behind_barrier);
  const std::set<std::string> stored = std::exchange(stored_, {});
  body();
  behind_barrier_ = outer;
  stored_ = stored;
}

// ---- what walks over a depth by itself ----

/// The products and folds of a block that walk over whole dimensions; folds walk with a product where they can.
std::vector<Walk> TileLowering::walks_of(const ir::Block& statements) const {
  std::vector<Walk> walks;
  for (size_t k = 0; k < statements.size(); ++k) {
    const auto* define = std::get_if<ir::Define>(&statements[k].node);
    const auto product = define ? tiles_.products.find(define->value) : tiles_.products.end();
    if (product == tiles_.products.end() || !product->second.has_own_loop) continue;
    walks.push_back({&product->second, is_added(define->value, std::span(statements).subspan(k + 1)), {}});
  }
  for (const ir::Statement& statement : statements) {
    const auto* define = std::get_if<ir::Define>(&statement.node);
    const auto fold = define ? tiles_.folds.find(define->value) : tiles_.folds.end();
    if (fold == tiles_.folds.end() || !fold->second.has_own_loop) continue;
    const auto beside = std::ranges::find_if(
        walks, [&](const Walk& walk) { return walk.product && walks_with(fold->second, walk); });
    beside != walks.end() ? beside->folds.push_back(&fold->second)
                          : walks.push_back({nullptr, false, {&fold->second}});
  }
  for (const ir::Statement& statement : statements) {
    const auto* define = std::get_if<ir::Define>(&statement.node);
    for (Walk& walk : walks)
      if (define && !walk.first.valid() && has_member(walk, define->value)) walk.first = define->value;
  }
  return walks;
}

// Neither needs the other, nor anything that is computed between them.
bool TileLowering::walks_with(const TileFold& fold, const Walk& walk) const {
  const auto stands_alone = [&](ir::ValueId value) { return !tiles_.anchored.contains(value); };
  return walk.product->depth == fold.depth && walk.product->around.empty() && !walk.is_added &&
         stands_alone(std::get<ir::Reduce>(kernel_.values[fold.reduce].op).operand) &&
         stands_alone(walk.product->rows.value) && stands_alone(walk.product->columns.value);
}

// ---- where rings are ----

void TileLowering::collect_rings(const ir::Block& statements, const std::vector<RingLoop>& around,
                                 std::vector<RingSite>& found) const {
  const std::vector<Walk> walks = walks_of(statements);
  for (const ir::Statement& statement : statements) {
    for (const Walk& walk : walks)
      if (walks_at(walk, statement)) found.push_back(site_of(walk, around));
    if (const auto* loop = std::get_if<ir::Loop>(&statement.node)) {
      std::vector<const TileFactor*> staged;
      collect_staged(loop->body, loop->axis, {}, staged);
      if (!staged.empty()) found.push_back({around, loop->axis, staged, loop});
      std::vector<RingLoop> deeper = around;
      deeper.push_back({loop->axis, loop});
      collect_rings(loop->body, deeper, found);
    }
  }
}

// A product that is added to a variable walks where that is assigned.
bool TileLowering::walks_at(const Walk& walk, const ir::Statement& statement) const {
  if (walk.is_added) {
    const auto* assign = std::get_if<ir::Assign>(&statement.node);
    return assign && product_added(*assign) == walk.product->dot;
  }
  const auto* define = std::get_if<ir::Define>(&statement.node);
  return define && define->value == walk.first;
}

RingSite TileLowering::site_of(const Walk& walk, std::vector<RingLoop> around) const {
  for (ir::AxisId axis : walk.around()) around.push_back({axis});
  return {std::move(around), walk.depth(), staged_by(walk)};
}

/// The one ring inside a loop that can go on from each round of the loop to the next: the rounds of all loops down to
/// it are known before, and nothing else of it is copied to shared memory.
std::optional<RingSite> TileLowering::ring_through(const ir::Loop& statement) const {
  std::vector<const TileFactor*> own;
  collect_staged(statement.body, statement.axis, {}, own);
  std::vector<RingSite> sites;
  collect_rings(statement.body, {{statement.axis, &statement}}, sites);
  if (!own.empty() || sites.size() != 1 || sites[0].factors.empty()) return std::nullopt;
  if (!extents_.contains(sites[0].axis)) return std::nullopt;
  AxisSet outer;
  const auto is_known_before = [&](const ir::Loop* loop) {
    if (!loop || loop == &statement) return true;
    return std::ranges::none_of(ir::ends_of_loop(kernel_, plan_.sizes, *loop), [&](const auto& end) {
      return std::ranges::any_of(end.form.terms,
                                 [&](const auto& term) { return outer.contains(term.first); });
    });
  };
  for (const RingLoop& loop : sites[0].around) {
    if (!is_known_before(loop.statement)) return std::nullopt;
    outer.insert(loop.axis);
  }
  return is_known_before(sites[0].loop) ? std::optional(sites[0]) : std::nullopt;
}

// ---- their code ----

// How many tiles a loop has: the name of a local.
std::string TileLowering::count_rounds(ir::AxisId axis, const Range& range) {
  std::string count = named(lowercase(kernel_.axes[axis].name) + "_tiles");
  const Expr length = lowered::constant_of(range.first) == 0
                          ? range.end
                          : lowered::binary("-", range.end, range.first, DType::index);
  const Expr tiles = lowered::call("ceil_divide", {length, extent(axis)}, DType::index);
  emit(lowered::Local{"index", count, {}, tiles, true, false});
  return count;
}

void TileLowering::bind_tile(ir::AxisId axis, const Range& range, const std::string& number) {
  const std::string first = named(lowercase(kernel_.axes[axis].name) + "_first");
  const Expr start =
      lowered::add(range.first, lowered::binary("*", local(number), extent(axis), DType::index));
  emit(lowered::Local{"index", first, {}, start, true, false});
  scopes_.back().ranges[axis] = {local(first), upper_bound(axis)};
  count_tile(axis);
}

void TileLowering::fill_all(const std::vector<const TileFactor*>& factors) {
  for (const TileFactor* factor : factors) fill(*factor, tile_of(*factor).ring + ".stage(stage)");
}

// What begins anywhere is shifted into place once it has arrived.
void TileLowering::shift_all(const std::vector<const TileFactor*>& factors, bool declares_planes) {
  const auto is_shifted = [&](const TileFactor* factor) { return tile_of(*factor).is_shifted; };
  if (std::ranges::none_of(factors, is_shifted)) return;
  guard(lowered::name("kCopy == Copy::shifted", DType::boolean), "", false, Scope{}, [&] {
    for (const TileFactor* read : factors) {
      const FactorTile& entry = tile_of(*read);
      if (!entry.is_shifted) continue;
      if (declares_planes) declare_plane(*read);
      const Expr at = lowered::list({first_of_tile(entry.factor.width), first_of_tile(entry.factor.depth)});
      emit(lowered::Evaluate{
          lowered::call(fmt::format("shift_tile<kThreads, {} == Major::k ? 1 : 0>", entry.major),
                        {lowered::name(entry.tile, DType::index), local(entry.plane), at}, DType::index)});
    }
    emit(lowered::Barrier{"all lines are in place"});
  });
}

// `fill_k(stage, number)` starts the copies of one tile of a loop.
void TileLowering::define_fill(const Ring& ring) {
  for (const TileFactor* factor : ring.factors) declare_plane(*factor);
  scope(
      Scope{},
      [&](lowered::Block inner) {
        return lowered::Lambda{ring.fill, "int stage, index number", std::move(inner)};
      },
      [&] {
        const std::string is_there = fmt::format("number < {}", ring.turns.back().end);
        guard(lowered::name(is_there, DType::boolean), "", false, Scope{}, [&] {
          bind_tile(ring.axis, ring.turns.back().range, "number");
          fill_all(ring.factors);
        });
        end_copies();
      });
}

// The same for the next tile of all rounds: counters run ahead of the loops.
void TileLowering::define_fill_ahead(const Ring& ring) {
  std::string is_there;
  for (const RingTurn& turn : ring.turns) {
    emit(lowered::Local{"index", turn.ahead, {}, turn.start, false, false});
    is_there += fmt::format("{}{} < {}", is_there.empty() ? "" : " && ", turn.ahead, turn.end);
  }
  scope(
      Scope{},
      [&](lowered::Block inner) {
        return lowered::Lambda{ring.fill, "int stage", std::move(inner)};
      },
      [&] {
        guard(lowered::name(is_there, DType::boolean), "", false, Scope{}, [&] {
          for (const RingTurn& turn : ring.turns) {
            scopes_.back().loops.insert(turn.axis);
            if (extents_.contains(turn.axis)) {
              bind_tile(turn.axis, turn.range, turn.ahead);
            } else {
              scopes_.back().axes.insert(turn.axis);
              scopes_.back().coordinates[turn.axis] = local(turn.ahead);
            }
          }
          for (const TileFactor* factor : ring.factors) declare_plane(*factor);
          fill_all(ring.factors);
          step_ahead(ring, ring.turns.size() - 1);
        });
        end_copies();
      });
}

// The innermost counter goes on; at its end it starts again, and the one around it goes on.
void TileLowering::step_ahead(const Ring& ring, size_t k) {
  const RingTurn& turn = ring.turns[k];
  if (k == 0) {
    emit(lowered::Evaluate{lowered::name("++" + turn.ahead, DType::index)});
    return;
  }
  const std::string is_last = fmt::format("++{} == {}", turn.ahead, turn.end);
  guard(lowered::name(is_last, DType::boolean), "", false, Scope{}, [&] {
    emit(lowered::Assign{local(turn.ahead), "=", turn.start});
    step_ahead(ring, k - 1);
  });
}

RingTurn TileLowering::turn_of(ir::AxisId axis, const Range& range, bool is_ahead) {
  RingTurn turn{.axis = axis, .range = range, .start = range.first};
  if (extents_.contains(axis)) {
    turn.end = count_rounds(axis, range);
    turn.start = lowered::integer(0);
  } else if (range.end->kind == lowered::Expression::Kind::name ||
             range.end->kind == lowered::Expression::Kind::literal) {
    turn.end = print(range.end);
  } else {
    turn.end = named(lowercase(kernel_.axes[axis].name) + "_end");
    emit(lowered::Local{"index", turn.end, {}, range.end, true, false});
  }
  if (is_ahead) turn.ahead = named(lowercase(kernel_.axes[axis].name) + "_ahead");
  return turn;
}

void TileLowering::open(Ring& ring) {
  const std::string base = lowercase(kernel_.axes[ring.axis].name);
  ring.fill = named("fill_" + base);
  const bool is_ahead = ring.turns.size() > 1;
  is_ahead ? define_fill_ahead(ring) : define_fill(ring);
  if (has_one_stage()) {
    ring.stage = "0";
    return;
  }
  ring.stage = named(base + "_stage");
  ring.next = named(base + "_next");
  emit(lowered::Barrier{"everyone has read the tiles before"});
  const std::string first = ring.fill + (is_ahead ? "(stage)" : "(stage, stage)");
  // A loop where nothing waits for it: unrolled, the fill would be there for each stage.
  lowered::For fills;
  fills.header = "int stage = 0; stage < kStages - 1; ++stage";
  fills.body = {{lowered::Evaluate{local(first)}, {}}};
  fills.stays = true;
  emit(std::move(fills));
  emit(lowered::Local{"int", ring.stage, {}, lowered::integer(0), false, false});
  emit(lowered::Local{"int", ring.next, {}, local("kStages - 1"), false, false});
}

bool TileLowering::has_one_stage() const {
  return std::ranges::all_of(tiles_.shapes, [](const TileShape& shape) { return shape.stages == 1; });
}

// Waits for the tile that is read now, and starts the copies of the one that is read `kStages - 1` rounds later: of one
// stage these are the same. Shapes that are asked for may have one stage, or more.
void TileLowering::wait_for_tile(const Ring& ring, const std::string& tile) {
  const auto fill = [&](const std::string& stage, const std::string& number) {
    const bool is_ahead = !ring.turns.back().ahead.empty();
    emit(lowered::Evaluate{local(fmt::format("{}({}{})", ring.fill, stage, is_ahead ? "" : ", " + number))});
  };
  const auto only_if = [&](bool is_asked, const char* condition, const std::function<void()>& body) {
    is_asked ? guard(local(condition), "", false, Scope{}, body) : body();
  };
  const bool has_one =
      std::ranges::any_of(tiles_.shapes, [](const TileShape& shape) { return shape.stages == 1; });
  const bool is_mixed = has_one && !has_one_stage();
  if (has_one) {
    only_if(is_mixed, "kStages == 1", [&] {
      emit(lowered::Barrier{"everyone has read the tile before"});
      fill("0", tile);
    });
  }
  const char* under_way = is_mixed ? "kStages == 1 ? 0 : kStages - 2" : has_one ? "0" : "kStages - 2";
  wait_for_copies(under_way);
  emit(lowered::Barrier{has_one && !is_mixed ? "this tile has arrived"
                                             : "this tile has arrived, and the one before is read"});
  if (!has_one_stage()) only_if(is_mixed, "kStages > 1", [&] { fill(ring.next, tile + " + kStages - 1"); });
}

// The innermost loop of a ring.
void TileLowering::turn(const Ring& ring, const std::function<void()>& body) {
  const RingTurn& own = ring.turns.back();
  const std::string tile = named(lowercase(kernel_.axes[ring.axis].name) + "_tile");
  Scope bindings;
  bindings.loops.insert(ring.axis);
  count_loop(tile, {lowered::integer(0), local(own.end)}, "1", std::move(bindings), [&] {
    wait_for_tile(ring, tile);
    bind_tile(ring.axis, own.range, tile);
    for (const TileFactor* factor : ring.factors) {
      FactorTile& entry = tile_of(*factor);
      entry.tile = fmt::format("{}.stage({})", entry.ring, ring.stage);
    }
    shift_all(ring.factors, !own.ahead.empty());
    round(true, body);
    if (has_one_stage()) return;
    emit(lowered::Assign{local(ring.next), "=", local(ring.stage)});
    emit(lowered::Assign{local(ring.stage), "=",
                         local(fmt::format("{0} + 1 == kStages ? 0 : {0} + 1", ring.stage))});
  });
}

void TileLowering::ring(ir::AxisId axis, const Range& range, const std::vector<const TileFactor*>& factors,
                        bool only_multiplies, const std::function<void()>& body) {
  if (has_roles() && !factors.empty()) return receive_boxes(axis, range, factors, only_multiplies, body);
  if (ring_ && ring_->axis == axis) return turn(*ring_, body);
  if (factors.empty()) {
    const std::string count = count_rounds(axis, range);
    return rounds(axis, range, count, body);
  }
  Ring opened{.axis = axis, .factors = factors};
  opened.turns.push_back(turn_of(axis, range, false));
  open(opened);
  turn(opened, body);
}

// A loop over tiles that brings nothing to shared memory.
void TileLowering::rounds(ir::AxisId axis, const Range& range, const std::string& count,
                          const std::function<void()>& body) {
  const std::string tile = named(lowercase(kernel_.axes[axis].name) + "_tile");
  Scope bindings;
  bindings.loops.insert(axis);
  count_loop(tile, {lowered::integer(0), local(count)}, "1", std::move(bindings), [&] {
    bind_tile(axis, range, tile);
    round(false, body);
  });
}

// ---- loops ----

// Rounds of a loop; of an axis that a product walks over, all of it.
Range TileLowering::rounds_of(const RingLoop& loop) {
  if (!loop.statement) return {lower_bound(loop.axis), upper_bound(loop.axis)};
  const auto tile = extents_.find(loop.axis);
  return FunctionLowering::rounds_of(*loop.statement, tile != extents_.end() ? tile->second : "1");
}

Ring TileLowering::open_through(const RingSite& site) {
  Ring ring{.axis = site.axis, .factors = site.factors};
  for (const RingLoop& loop : site.around) ring.turns.push_back(turn_of(loop.axis, rounds_of(loop), true));
  ring.turns.push_back(turn_of(site.axis, rounds_of({site.axis, site.loop}), true));
  open(ring);
  return ring;
}

void TileLowering::run_loop(const ir::Loop& statement) {
  const auto site = ring_ || has_roles() ? std::nullopt : ring_through(statement);
  if (!site) return one_loop(statement);
  ring_ = open_through(*site);
  one_loop(statement);
  ring_.reset();
}

// The loops of a product over all that it sums over, and of folds beside it.
void TileLowering::run_walk(const Walk& walk, const std::function<void()>& step) {
  const std::vector<const TileFactor*> staged = staged_by(walk);
  const bool opens = !ring_ && !has_roles() && !walk.around().empty() && !staged.empty();
  if (opens) ring_ = open_through(site_of(walk, {}));
  for (const TileFold* fold : walk.folds) begin_fold(*fold);
  folds_of_ring_ = walk.folds;
  products_of_ring_.clear();
  if (walk.product) products_of_ring_.push_back(walk.product);
  std::function<void()> body = [&] {
    ring(walk.depth(), rounds_of({walk.depth()}), staged, walk.product != nullptr, [&] {
      if (!has_roles())
        for (const TileFold* fold : walk.folds) fold_tile(*fold);
      step();
    });
  };
  const auto around = walk.around();
  for (auto axis = around.rbegin(); axis != around.rend(); ++axis)
    body = [this, axis = *axis, body] { coordinates(axis, rounds_of({axis}), body); };
  body();
  if (opens) ring_.reset();
  for (const TileFold* fold : walk.folds) end_fold(*fold);
}

// A loop over single coordinates.
void TileLowering::coordinates(ir::AxisId axis, const Range& range, const std::function<void()>& body) {
  const std::string name = named(lowercase(kernel_.axes[axis].name));
  Scope bindings;
  bindings.axes.insert(axis);
  bindings.loops.insert(axis);
  bindings.coordinates[axis] = local(name);
  count_loop(name, range, "1", std::move(bindings), [&] { round(false, body); });
}

void TileLowering::one_loop(const ir::Loop& statement) {
  const ir::AxisId axis = statement.axis;
  const RingTurn* known = nullptr;
  for (size_t k = 0; ring_ && k < ring_->turns.size(); ++k)
    if (ring_->turns[k].axis == axis) known = &ring_->turns[k];
  std::vector<const TileFactor*> staged;
  collect_staged(statement.body, axis, {}, staged);
  const Range range = known ? known->range : rounds_of({axis, &statement});
  const LoopFolds outer =
      std::exchange(loop_folds_, folds_of_loop(kernel_, analysis_.uses, tiles_, statement));
  for (const LoopFold& entry : loop_folds_) begin_fold(*entry.fold);
  folds_of_ring_.clear();
  for (const LoopFold& entry : loop_folds_) folds_of_ring_.push_back(entry.fold);
  products_of_ring_ = products_of(statement.body);
  run_rounds(statement, range, known, staged);
  const LoopFolds folds = std::exchange(loop_folds_, outer);
  for (const LoopFold& entry : folds) {
    end_fold(*entry.fold);
    assign(*entry.assign, entry.span);
  }
}

// A thread of a warpgroup has elements in many columns of its tile. Where each is in memory does not change in a loop,
// which would keep as many addresses in registers through its products.
void TileLowering::begin_columns_again(ir::AxisId loop) {
  for (const auto& [axis, role] : tiles_.roles) {
    const auto has_range = [&column = axis](const Scope& scope) { return scope.ranges.contains(column); };
    if (role != TileRole::column || axis == loop || std::ranges::none_of(scopes_, has_range)) continue;
    const Range range = range_of(axis);
    const std::string first = named(lowercase(kernel_.axes[axis].name) + "_begin");
    emit(lowered::Local{
        "index", first, {}, lowered::call("computed_here", {range.first}, DType::index), true, false});
    scopes_.back().ranges[axis] = {lowered::name(first, DType::index), range.end};
  }
}

void TileLowering::run_rounds(const ir::Loop& statement, const Range& range, const RingTurn* known,
                              const std::vector<const TileFactor*>& staged) {
  const ir::AxisId axis = statement.axis;
  const auto body = [&] {
    const bool outer = std::exchange(is_in_loop_, true);
    if (has_roles()) begin_columns_again(axis);
    block(statement.body);
    is_in_loop_ = outer;
  };
  if (!extents_.contains(axis))
    return coordinates(axis, range, [&] {
      fill_once(staged);
      body();
    });
  if (known && axis != ring_->axis) return rounds(axis, range, known->end, body);
  if (axis == tiles_.shared_axis) begin_shares_of(statement.body);
  ring(axis, range, staged, only_multiplies(statement.body), body);
}

}  // namespace tessera::emit
