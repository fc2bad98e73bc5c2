// SPDX-License-Identifier: Apache-2.0
// The elements, rows and columns that a thread has of a tile in registers, and what it holds for them.
#include <fmt/format.h>

#include <algorithm>

#include "emit/tile_lowering.h"

namespace tessera::emit {

using lowered::Expr;

TilePlace TileLowering::place_of(const AxisSet& axes) const {
  TilePlace place;
  for (ir::AxisId axis : axes) {
    if (tiles_.role(axis) == TileRole::row) place.row = axis;
    if (tiles_.role(axis) == TileRole::column) place.column = axis;
  }
  return place;
}

// The layout of a tile; of rows or columns alone the first one that has them.
std::string TileLowering::layout_of(const TilePlace& place) {
  for (const auto& [known, name] : layouts_) {
    const bool fits =
        (!place.row || place.row == known.row) && (!place.column || place.column == known.column);
    if (fits) return name;
  }
  TESSERA_CHECK(place.is_tile(), "rows and columns are those of a tile");
  std::string wanted = "Tile";
  for (ir::AxisId axis : {*place.row, *place.column})
    for (char c : kernel_.axes[axis].name)
      wanted += static_cast<char>(std::toupper(static_cast<unsigned char>(c)));
  std::string name = names_.take(wanted);
  const std::string type =
      fmt::format(fmt::runtime(!has_roles()         ? "FragmentLayout<{}, {}, kWarpRows, kWarpColumns>"
                               : tiles_.has_teams() ? "WarpgroupLayout<{}, {}, kGroups / kTeams>"
                                                    : "WarpgroupLayout<{}, {}, kGroups>"),
                  extents_.at(*place.row), extents_.at(*place.column));
  at_scope(0, [&] { emit(lowered::Using{name, type}); });
  layouts_.emplace_back(place, name);
  return name;
}

void TileLowering::over(const TilePlace& place, const std::function<void()>& body) {
  if (place.is_scalar()) return body();
  const std::string layout = layout_of(place);
  const std::string& counter = place.is_tile() ? strip_ : item_;
  const char* count = place.is_tile() ? "kCount" : place.row ? "kRowCount" : "kColumnCount";
  over(place, counter, fmt::format("int {0} = 0; {0} < {1}::{2}; ++{0}", counter, layout, count), body);
}

void TileLowering::over(const TilePlace& place, const std::string& counter, const std::string& header,
                        const std::function<void()>& body) {
  const std::string layout = layout_of(place);
  const bool tile = place.is_tile();
  const auto inside = [&](const char* member) {
    return lowered::call(layout + "::" + member, {lowered::name(counter, DType::index)}, DType::index);
  };
  std::vector<InsideTile> at;
  if (place.row) at.push_back({*place.row, inside(tile ? "row" : "row_of_slot")});
  if (place.column) at.push_back({*place.column, inside(tile ? "column" : "column_of_slot")});
  over(place, header, at, body);
}

void TileLowering::over(const TilePlace& place, const std::string& header,
                        const std::vector<InsideTile>& inside, const std::function<void()>& body) {
  at(place, inside, body,
     [&](lowered::Block inner) { return lowered::For{header, std::move(inner), true, {}, {}, {}, {}}; });
}

void TileLowering::at(const TilePlace& place, const std::vector<InsideTile>& inside,
                      const std::function<void()>& body, const std::function<Node(lowered::Block)>& wrap) {
  const std::string layout = layout_of(place);
  Scope bindings;
  std::vector<lowered::Local> coordinates;
  for (const auto& [axis, place_in_tile] : inside) {
    const std::string name = names_.take(lowercase(kernel_.axes[axis].name));
    coordinates.push_back(
        {"index", name, {}, lowered::add(range_of(axis).first, place_in_tile), true, false});
    places_[axis] = place_in_tile;
    bindings.axes.insert(axis);
    bindings.coordinates[axis] = lowered::name(name, DType::index);
  }
  const Loop outer = std::exchange(loop_, place.is_tile() ? Loop::elements
                                          : place.row     ? Loop::rows
                                                          : Loop::columns);
  const std::string outer_layout = std::exchange(loop_layout_, layout);
  const AxisSet outer_inside = std::exchange(inside_, {});
  scope(std::move(bindings), wrap, [&] {
    for (const lowered::Local& coordinate : coordinates) emit(coordinate);
    body();
  });
  for (const lowered::Local& coordinate : coordinates) names_.release(coordinate.name);
  loop_ = outer;
  loop_layout_ = outer_layout;
  inside_ = outer_inside;
}

void TileLowering::over_existing(const TilePlace& place, const std::function<void()>& body) {
  over(place, [&] {
    AxisSet axes;
    if (place.row) axes.insert(*place.row);
    if (place.column) axes.insert(*place.column);
    const Expr exists = within(axes);
    const std::string reason = axes.empty() ? "" : "guard: tiles end";
    inside_.insert(axes.begin(), axes.end());
    Scope guarded;
    guarded.axes =
        axes;  // what an element needs is read behind the guard: the tensor may end where the tile does not
    guard(exists, reason, true, std::move(guarded), body);
    inside_.clear();
  });
}

Expr TileLowering::within(const AxisSet& axes) {
  Expr result;
  for (ir::AxisId axis : axes) {
    if (!extents_.contains(axis) || inside_.contains(axis) || whole_.contains(axis)) continue;
    const auto count = counts_.find(axis);
    if (count == counts_.end()) continue;
    const Expr end = lowered::name(count->second, DType::index);
    result = lowered::conjunction(result, lowered::binary("<", places_.at(axis), end, DType::boolean));
  }
  return result;
}

// A whole dimension whose extent is that of its tile.
bool TileLowering::is_always_whole(ir::AxisId axis) const {
  const ir::Axis& entry = kernel_.axes[axis];
  if (entry.kind != ir::AxisKind::let) return false;
  return std::ranges::all_of(tiles_.shapes, [&](const TileShape& shape) {
    const auto range = plan_.sizes.subtract(entry.upper, entry.lower);
    const auto known = plan_.sizes.as_constant(range);
    const auto listed = entry.dimension ? shape.symbols.find(*entry.dimension) : shape.symbols.end();
    if (known) return *known == shape.extent.at(axis);
    return listed != shape.symbols.end() && listed->second == shape.extent.at(axis);
  });
}

void TileLowering::count_tile(ir::AxisId axis) {
  if (is_always_whole(axis)) return;
  const std::string name = named(lowercase(kernel_.axes[axis].name) + "_count");
  const Range range = range_of(axis);
  emit(lowered::Local{"int",
                      name,
                      {},
                      lowered::call(fmt::format("count_in_tile<{}>", extents_.at(axis)),
                                    {range.first, range.end}, DType::index),
                      true,
                      false});
  counts_[axis] = name;
}

HeldTile TileLowering::declare_tile(std::string_view name, DType type, const TilePlace& place, Span span) {
  HeldTile tile{named(name), type, place};
  if (place.is_scalar()) {
    emit(lowered::Local{type_name(type), tile.name, {}, nullptr, false, false}, span);
    return tile;
  }
  const char* kind = place.is_tile() ? "Fragment" : place.row ? "RowFragment" : "ColumnFragment";
  emit(lowered::Local{fmt::format("{}<{}, {}>", kind, type_name(type), layout_of(place)),
                      tile.name,
                      {},
                      nullptr,
                      false,
                      false},
       span);
  return tile;
}

// At the current point: an element of a tile by the counter of elements, one of rows also by its row.
Expr TileLowering::element_of(const HeldTile& tile) const {
  Expr whole = lowered::name(tile.name, tile.type);
  if (tile.place.is_scalar()) return whole;
  const Expr element = lowered::name(strip_, DType::index), slot = lowered::name(item_, DType::index);
  if (!tile.lines.empty()) return lowered::element(whole, slot, tile.type);
  if (tile.place.is_tile() || loop_ == Loop::rows || loop_ == Loop::columns)
    return lowered::element(whole, tile.place.is_tile() ? element : slot, tile.type);
  const char* member = tile.place.row ? "::row_slot" : "::column_slot";
  return lowered::element(whole, lowered::call(loop_layout_ + member, {element}, DType::index), tile.type);
}

std::optional<Evaluated> TileLowering::held(ir::ValueId id) {
  if (holding_.contains(id)) return Evaluated{lowered::boolean(true), nullptr};
  if (const auto vector = vectors_.find(id); vector != vectors_.end()) {
    const auto& [name, type] = vector->second;
    const Expr part = lowered::name(name, type);
    return Evaluated{lowered::vector_element(part, lowered::name(vector_item_, DType::index), type), nullptr};
  }
  if (const auto pair = pairs_.find(id); pair != pairs_.end() && loop_ == Loop::elements) {
    const auto& [text, type] = pair->second;
    const Expr item = lowered::name(pair_item_, DType::index);
    return Evaluated{lowered::vector_element(lowered::name(text, type), item, type), exists_of(id)};
  }
  if (const auto shared = shared_vectors_.find(id);
      shared != shared_vectors_.end() && loop_ == Loop::shared) {
    const HeldTile& vector = shared->second;
    const Expr place = places_.at(vector.place.row ? *vector.place.row : *vector.place.column);
    return Evaluated{lowered::call(vector.name + ".load", {place}, vector.type), nullptr};
  }
  const auto found = held_.find(id);
  if (found == held_.end()) return std::nullopt;
  // Computed anew where threads have other elements.
  if (loop_ == Loop::shared && !found->second.place.is_scalar()) return std::nullopt;
  return Evaluated{element_of(found->second), exists_of(id)};
}

Evaluated TileLowering::compute(ir::ValueId id, const ir::ReadVariable& op) {
  const auto copy = before_.find(id);
  return {element_of(copy != before_.end() ? copy->second : state_.at(op.variable)), nullptr};
}

}  // namespace tessera::emit
