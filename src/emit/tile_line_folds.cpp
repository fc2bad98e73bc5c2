// SPDX-License-Identifier: Apache-2.0
// Folds beside products of warpgroups. Rows that a thread holds of the sums are few of many lines, so threads share out the
// lines of tiles in shared memory anew, and pass on what they have folded through there.
#include <fmt/format.h>

#include <algorithm>

#include "emit/reductions.h"
#include "emit/tile_lowering.h"

namespace tessera::emit {

using lowered::Expr;

namespace {

constexpr int kVectorsTogether = 4;  // of a thread: it waits for the later ones while it folds the first

}  // namespace

/// The type that says how lines along the width of a tile are shared out.
std::string TileLowering::lines_along(ir::AxisId width) {
  const auto known = lines_.find(width);
  if (known != lines_.end()) return known->second;
  std::string wanted = "Lines";
  for (char c : kernel_.axes[width].name)
    wanted += static_cast<char>(std::toupper(static_cast<unsigned char>(c)));
  std::string name = names_.take(wanted);
  at_scope(0, [&] {
    emit(lowered::Using{name, fmt::format("LineShares<{}, kThreads>", extents_.at(width))});
  });
  return lines_[width] = std::move(name);
}

// One tile: its lines, and the vectors of a line, in turn.
void TileLowering::fold_lines(const TileFold& fold, const HeldTile& tile) {
  const int count = folded_at_once(fold);
  const std::string line = fmt::format("{}::line({})", tile.lines, item_);
  const std::string lines = fmt::format("int {0} = 0; {0} < {1}::kRowCount; ++{0}", item_, tile.lines);
  const std::string positions =
      count > 1 ? fmt::format("{} / {}", extents_.at(fold.depth), count) : extents_.at(fold.depth);
  const Expr at_line = lowered::name(line, DType::index);
  for_whole_and_cut({fold.depth}, std::get<ir::Reduce>(kernel_.values[fold.reduce].op).operand, [&] {
    over(tile.place, lines, {{fold.width, at_line}}, [&] {
      const std::string round = names_.take("round");
      const std::string header =
          fmt::format("int {0} = 0; {0} < {1}::rounds({2}); ++{0}", round, tile.lines, positions);
      const auto wrap = [&](lowered::Block inner) {
        return lowered::For{header, std::move(inner), false, {}, {}, {}, {}, kVectorsTogether};
      };
      scope(Scope{}, wrap, [&] {
        const std::string position = named("position");
        const std::string place = fmt::format(
            "{}{}::position({})", count > 1 ? fmt::format("{} * ", count) : "", tile.lines, round);
        emit(lowered::Local{"int", position, {}, lowered::name(place, DType::index), true, false});
        load_parts(fold.parts, "Major::k", line, position, count);
        fold_vector(fold, tile, position);
      });
      names_.release(round);
    });
  });
  vectors_.clear();
}

// What is read ahead of the products, as the sources of factors that threads compute, is folded there.
void TileLowering::fold_ahead(const std::vector<const TileFactor*>& sources) {
  for (const TileFold* fold : folds_of_ring_) {
    const bool is_of_sources = std::ranges::any_of(fold->parts, [&](const TileFactor& part) {
      return std::ranges::any_of(sources, [&](const TileFactor* tile) { return tile->shares_tile(part); });
    });
    if (!is_of_sources) continue;
    fold_tile(*fold);
    folded_ahead_.insert(fold->reduce);
  }
}

// Those that end behind the loop are folded once a round, best while products are under way.
void TileLowering::fold_due() {
  if (folds_due_.empty()) return;
  for (const TileFold* fold : std::exchange(folds_due_, {})) fold_tile(*fold);
  emit(lowered::Evaluate{lowered::name("warp_barrier()", DType::index)});  // before tiles are given back
}

// Of each row (column) of the tiles in registers the result of all threads that have folded of its line.
HeldTile TileLowering::gather_lines(ir::ValueId id, const HeldTile& tile) {
  const ir::Value& value = kernel_.values[id];
  const auto op = std::get<ir::Reduce>(value.op).op;
  HeldTile whole{"", tile.type, tile.place};
  const std::string type = is_argument(op) ? type_of_indexed(id) : std::string(type_name(tile.type));
  whole.name = gather_lines(tile, tile.name, name_for(id), functor(op), type, value.span);
  if (!tile.exists.empty())
    whole.exists = gather_lines(tile, tile.exists, name_for(id) + "_exists", "Any{}", "bool", value.span);
  return whole;
}

std::string TileLowering::gather_lines(const HeldTile& tile, const std::string& partial,
                                       const std::string& name, const std::string& by,
                                       const std::string& type, Span span) {
  const bool is_row = tile.place.row.has_value();
  const std::string results = named(name + (is_row ? "_of_rows" : "_of_columns"));
  emit(lowered::Shared{type, results, extents_.at(is_row ? *tile.place.row : *tile.place.column), ""}, span);
  std::string gathered = named(name);
  const std::string callee =
      fmt::format("{}_of_lines<{}>", is_row ? "rows" : "columns", layout_of(tile.place));
  std::vector<Expr> arguments;
  for (const std::string& argument : {by, partial, results})
    arguments.push_back(lowered::name(argument, DType::index));
  emit(
      lowered::Local{
          "auto", gathered, {}, lowered::call(callee, std::move(arguments), tile.type), false, false},
      span);
  return gathered;
}

}  // namespace tessera::emit
