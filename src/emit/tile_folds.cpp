// SPDX-License-Identifier: Apache-2.0
// Folds in tiles: each thread folds what it has, then the threads that share a row or a column.
#include <fmt/format.h>

#include "emit/reductions.h"
#include "emit/tile_lowering.h"

namespace tessera::emit {

using lowered::Expr;

namespace {

/// Threads of warpgroups that share a line, as LineShares of the runtime has them.
int line_shares(int64_t lines, int threads) {
  int shares = 1;
  while (shares < kWarpThreads && 2 * shares * lines <= threads) shares *= 2;
  return shares;
}

std::string unit_of(ir::ReduceOp op, DType type) {
  switch (op) {
    case ir::ReduceOp::max:
    case ir::ReduceOp::argmax: return fmt::format("lowest<{}>()", type_name(type));
    case ir::ReduceOp::min:
    case ir::ReduceOp::argmin: return fmt::format("highest<{}>()", type_name(type));
    case ir::ReduceOp::prod: return fmt::format("{}(1)", type_name(type));
    case ir::ReduceOp::all: return "true";
    case ir::ReduceOp::any: return "false";
    default: return fmt::format("{}(0)", type_name(type));
  }
}

}  // namespace

// ---- what threads have of a fold so far ----

/// What is compared or added up of a fold; of positions what they are the positions of.
DType TileLowering::folded_type(ir::ValueId id) const {
  const auto& op = std::get<ir::Reduce>(kernel_.values[id].op);
  const DType type = is_argument(op.op) ? kernel_.values[op.operand].dtype : kernel_.values[id].dtype;
  return is_narrow_float(type) ? DType::f32 : type;
}

// A position along a tile in registers is counted from its beginning, and takes one register.
bool TileLowering::counts_in_tile(ir::ValueId id) const { return !tiles_.folds.contains(id); }

std::string TileLowering::type_of_indexed(ir::ValueId id) const {
  return fmt::format("Indexed<{}{}>", type_name(folded_type(id)), counts_in_tile(id) ? ", int" : "");
}

HeldTile TileLowering::begin_partial(ir::ValueId id, const std::string& name, const TilePlace& place) {
  const ir::Value& value = kernel_.values[id];
  const ir::ReduceOp op = std::get<ir::Reduce>(value.op).op;
  HeldTile tile{named(name), folded_type(id), place};
  if (has_roles() && tiles_.folds.contains(id))
    tile.lines = lines_along(place.row ? *place.row : *place.column);
  const auto declare = [&](const std::string& what, const std::string& type) {
    const char* kind = place.row || !tile.lines.empty() ? "RowFragment" : "ColumnFragment";
    const std::string layout = tile.lines.empty() ? layout_of(place) : tile.lines;
    emit(lowered::Local{fmt::format("{}<{}, {}>", kind, type, layout), what, {}, nullptr, false, false},
         value.span);
  };
  const auto fill = [&](const std::string& what, const std::string& with) {
    emit(lowered::Evaluate{lowered::call(what + ".fill", {lowered::name(with, tile.type)}, tile.type)},
         value.span);
  };
  std::string type(type_name(tile.type)), unit = unit_of(op, tile.type);
  if (is_argument(op)) {
    type = type_of_indexed(id);
    unit = fmt::format("{}{{{}, {}}}", type, unit, counts_in_tile(id) ? "kNoPlace" : "kNoPosition");
  }
  declare(tile.name, type);
  fill(tile.name, unit);
  if (value.total) return tile;
  tile.exists = named(tile.name + "_exists");
  declare(tile.exists, "bool");
  fill(tile.exists, "false");
  return tile;
}

// The operand at the current point, if it exists.
void TileLowering::fold_in(ir::ValueId id, const HeldTile& tile) {
  const ir::Value& value = kernel_.values[id];
  const auto& op = std::get<ir::Reduce>(value.op);
  HeldTile flag = tile;
  flag.name = tile.exists;
  flag.type = DType::boolean;
  const Expr target = element_of(tile), exists = element_of(flag);
  // Threads that share out lines have other rows of what lies in registers.
  const Loop outer = std::exchange(loop_, tile.lines.empty() ? loop_ : Loop::shared);
  const Evaluated operand = eval(op.operand);
  Expr element = op.op == ir::ReduceOp::count ? lowered::name("index{1}", DType::index)
                                              : as_stored(as_float(operand), tile.type);
  if (is_argument(op.op)) {
    const Expr at = counts_in_tile(id) ? places_.at(op.axes[0]) : coordinate(op.axes[0]);
    element = lowered::braces(type_of_indexed(id), {element, at});
  }
  guard(lowered::conjunction(within({op.axes[0]}), operand.exists), "", [&] {
    // A thread meets its elements in the order of their positions.
    const std::string by = std::string(functor(op.op)) + (is_argument(op.op) ? ".in_order" : "");
    emit(lowered::Assign{target, "=", lowered::call(by, {target, element}, tile.type)}, value.span);
    if (!flag.name.empty()) emit(lowered::Assign{exists, "=", lowered::boolean(true)});
  });
  loop_ = outer;
}

// The threads that share a row (a column) combine what each of them has.
void TileLowering::join(const HeldTile& tile, const std::string& name, const char* by, Span span) {
  const char* member = tile.place.row ? ".reduce_columns" : ".reduce_rows";
  const Expr partial = lowered::name(name, tile.type);
  const Expr joined = lowered::call(group_ + member, {lowered::name(by, DType::index), partial}, tile.type);
  emit(lowered::Assign{partial, "=", joined}, span);
}

// What has been joined: of an extreme its position.
HeldTile TileLowering::with_positions(ir::ValueId id, const HeldTile& tile) {
  const ir::Value& value = kernel_.values[id];
  const auto& fold = std::get<ir::Reduce>(value.op);
  if (!is_argument(fold.op)) return tile;
  HeldTile at = declare_tile(name_for(id), DType::index, tile.place, value.span);
  at.exists = tile.exists;
  over(at.place, [&] {
    Expr position = lowered::member(element_of(tile), "position", DType::index);
    if (counts_in_tile(id)) position = lowered::add(range_of(fold.axes[0]).first, position);
    emit(lowered::Assign{element_of(at), "=", position}, value.span);
  });
  return at;
}

// ---- along rows or columns of a tile in registers ----

// Each thread folds its own elements of a row; then the threads that share the row.
void TileLowering::reduce(ir::ValueId id, const ir::Reduce& op) {
  const ir::Value& value = kernel_.values[id];
  const ir::AxisId folded = op.axes[0];
  AxisSet axes(value.axes.begin(), value.axes.end());
  const bool along_columns = tiles_.role(folded) == TileRole::column;
  const bool is_scalar = place_of(axes).is_scalar();
  axes.insert(folded);
  TilePlace whole = place_of(axes);
  for (const auto& [known, name] : layouts_) {
    if (along_columns && whole.column == known.column && !whole.row) whole.row = known.row;
    if (!along_columns && whole.row == known.row && !whole.column) whole.column = known.column;
  }
  const bool is_partial = is_scalar || is_argument(op.op);
  HeldTile tile = begin_partial(id, name_for(id) + (is_partial ? "_partial" : ""),
                                along_columns ? TilePlace{whole.row, {}} : TilePlace{{}, whole.column});
  for_whole_and_cut({folded}, op.operand, [&] {
    HeldTile here = tile;
    if (is_known(id)) here.exists.clear();  // flags are for tiles of which perhaps nothing exists
    over(whole, [&] { fold_in(id, here); });
    if (tile.exists.empty()) return;
    if (is_known(id)) {
      emit(lowered::Evaluate{lowered::call(tile.exists + ".fill", {lowered::boolean(true)}, DType::index)});
    } else {
      join(tile, tile.exists, "Any{}", value.span);
    }
  });
  join(tile, tile.name, functor(op.op), value.span);
  tile = with_positions(id, tile);
  hold_fold(id, is_scalar ? first_of(id, tile) : tile);
}

// What is made of it stands behind it, though it be the same for all tiles.
void TileLowering::hold_fold(ir::ValueId id, const HeldTile& tile) {
  declared_at_[id] = scopes_.size() - 1;
  held_[id] = tile;
}

// Of a fold that is the same for all rows (columns).
HeldTile TileLowering::first_of(ir::ValueId id, const HeldTile& tile) {
  const auto first = [&](const std::string& of, const std::string& name, DType type) {
    const Expr element = lowered::element(lowered::name(of, type), lowered::integer(0), type);
    emit(lowered::Local{type_name(type), name, {}, element, true, false}, kernel_.values[id].span);
  };
  HeldTile scalar{named(name_for(id)), tile.type, {}};
  first(tile.name, scalar.name, tile.type);
  if (tile.exists.empty()) return scalar;
  scalar.exists = named(scalar.name + "_exists");
  first(tile.exists, scalar.exists, DType::boolean);
  return scalar;
}

// ---- along an axis that lies in shared memory ----

void TileLowering::begin_fold(const TileFold& fold) {
  const auto& op = std::get<ir::Reduce>(kernel_.values[fold.reduce].op);
  const bool is_partial = is_argument(op.op) || has_roles();
  open_folds_[fold.reduce] = begin_partial(
      fold.reduce, name_for(fold.reduce) + (is_partial ? "_partial" : ""), place_of({fold.width}));
}

bool TileLowering::is_fold_of_loop(const ir::Assign& assign) const {
  return std::ranges::any_of(loop_folds_, [&](const LoopFold& entry) { return entry.assign == &assign; });
}

// Neighbours that a thread takes together: as many as leave something of a line for each thread that shares it.
int TileLowering::folded_at_once(const TileFold& fold) const {
  int count = elements_at_once(fold.parts, DType::i8);
  for (const TileShape& shape : tiles_.shapes) {
    const bool is_row = tiles_.role(fold.width) == TileRole::row;
    const int64_t depth = shape.extent.at(fold.depth);
    const int shares = has_roles() ? line_shares(shape.extent.at(fold.width), shape.threads())
                       : is_row    ? shape.row_shares()
                                   : shape.column_shares();
    while (count > 1 && (depth < count * shares || (has_roles() && depth % (count * shares) != 0)))
      count /= 2;
  }
  return count;
}

// One tile: the threads that share a row take its elements in turn, some neighbours at a time.
void TileLowering::fold_tile(const TileFold& fold) {
  const HeldTile tile = open_folds_.at(fold.reduce);
  if (!tile.lines.empty()) return fold_lines(fold, tile);
  const int count = folded_at_once(fold);
  const std::string layout = layout_of(tile.place), along = tile.place.row ? "row" : "column",
                    position = named("position");
  const std::string header =
      fmt::format("int {0} = {1}{2}::{3}_share(); {0} < {4}; {0} += {1}{2}::k{5}Shares", position,
                  count > 1 ? fmt::format("{} * ", count) : "", layout, along, extents_.at(fold.depth),
                  tile.place.row ? "Row" : "Column");
  // Not once for whole tiles and once for others: to ask is cheap here, and all of this is unrolled.
  loop(header, false, Scope{}, [&] {
    over(tile.place, [&] {
      const std::string line = fmt::format("{}::{}_of_slot({})", layout, along, item_);
      load_parts(fold.parts, "Major::k", line, position, count);
      fold_vector(fold, tile, position);
    });
  });
  vectors_.clear();
}

void TileLowering::fold_vector(const TileFold& fold, const HeldTile& tile, const std::string& position) {
  const int count = folded_at_once(fold);
  vector_item_ = named("element");
  const std::string name = names_.take(lowercase(kernel_.axes[fold.depth].name)),
                    place = count > 1 ? fmt::format("{} + {}", position, vector_item_) : position;
  places_[fold.depth] = lowered::name(place, DType::index);
  const Expr at = lowered::add(range_of(fold.depth).first, places_.at(fold.depth));
  Scope bindings;
  bindings.axes.insert(fold.depth);
  bindings.coordinates[fold.depth] = lowered::name(name, DType::index);
  const std::string header = fmt::format("int {0} = 0; {0} < {1}; ++{0}", vector_item_, count);
  loop(header, true, std::move(bindings), [&] {
    emit(lowered::Local{"index", name, {}, at, true, false});
    fold_in(fold.reduce, tile);
  });
  names_.release(name);
}

void TileLowering::end_fold(const TileFold& fold) {
  HeldTile tile = open_folds_.at(fold.reduce);
  const ir::Value& value = kernel_.values[fold.reduce];
  if (!tile.lines.empty()) {
    tile = gather_lines(fold.reduce, tile);
  } else {
    if (!tile.exists.empty()) join(tile, tile.exists, "Any{}", value.span);
    join(tile, tile.name, functor(std::get<ir::Reduce>(value.op).op), value.span);
  }
  hold_fold(fold.reduce, with_positions(fold.reduce, tile));
  open_folds_.erase(fold.reduce);
}

}  // namespace tessera::emit
