// SPDX-License-Identifier: Apache-2.0
// Factors of products that are no plain parts of tensors: stored to shared memory from registers, or computed there.
#include <fmt/format.h>

#include <algorithm>

#include "emit/tile_lowering.h"

namespace tessera::emit {

using lowered::Expr;

void TileLowering::store_factor(const TileFactor& factor) {
  const FactorTile& tile = tile_of(factor);
  if (behind_barrier_ && !stored_.insert(tile.ring).second)
    return;  // it is the same for all products of a round
  if (!behind_barrier_) emit(lowered::Barrier{"everyone has read the tile before"});
  if (factor.way == TileFactor::Way::moved) {
    store_moved(factor, tile);
  } else if (factor.parts.empty()) {
    for_whole_and_cut({factor.width, factor.depth}, factor.value, [&] { store_computed(factor, tile); });
  } else {
    store_from_parts(factor, tile);
  }
  emit(lowered::Barrier{"the tile is complete"});
}

void TileLowering::store_from_parts(const TileFactor& factor, const FactorTile& tile) {
  const int count = elements_at_once(factor.parts, kernel_.values[factor.value].dtype);
  const std::string share = named(tile.type + "Share");
  const std::string type = has_roles() ? fmt::format("typename {}::Tile", tile.type) : tile.type;
  emit(lowered::Using{share, fmt::format("VectorShare<{}, {}, kThreads>", type, count)});
  for_whole_and_cut({factor.width, factor.depth}, factor.value,
                    [&] { store_in_vectors(factor, tile, share); });
}

void TileLowering::store_moved(const TileFactor& factor, const FactorTile& tile) {
  const ir::Value& value = kernel_.values[factor.value];
  over(place_of({value.axes.begin(), value.axes.end()}), [&] {
    const auto place = [&](ir::AxisId axis) {
      const bool is_row = tiles_.role(axis) == TileRole::row;
      return fmt::format("{}::{}({})", loop_layout_, is_row ? "row" : "column", strip_);
    };
    store_part(factor, tile, place(factor.width), place(factor.depth));
  });
}

// A value for each row (column), where threads that compute a factor of it need those of others.
void TileLowering::share_vector(ir::ValueId id) {
  const ir::Value& value = kernel_.values[id];
  const TilePlace place = place_of({value.axes.begin(), value.axes.end()});
  if (place.is_scalar()) return;  // all threads have it
  const DType type = is_narrow_float(value.dtype) ? DType::f32 : value.dtype;
  const std::string name = named(name_for(id) + (place.row ? "_of_row" : "_of_column"));
  emit(lowered::Shared{type_name(type), name, extents_.at(place.row ? *place.row : *place.column), ""},
       value.span);
  const auto of = has_roles() ? lowered::Barrier::Of::warpgroups : lowered::Barrier::Of::block;
  emit(lowered::Barrier{"everyone has read those before", of});
  const std::string share = place.row ? "row_share" : "column_share",
                    at = place.row ? "row_of_slot" : "column_of_slot", layout = layout_of(place);
  const Expr leads = lowered::name(fmt::format("{}::{}() == 0", layout, share), DType::boolean);
  guard(leads, "", [&] {
    over(place, [&] {
      const Expr stored = as_stored(as_float(eval(id)), type);
      const Expr where =
          lowered::call(layout + "::" + at, {lowered::name(item_, DType::index)}, DType::index);
      emit(lowered::Evaluate{lowered::call(name + ".store", {where, stored}, type)}, value.span);
    });
  });
  emit(lowered::Barrier{"they are there", of});
  shared_vectors_[id] = {name, type, place};
}

void TileLowering::store_computed(const TileFactor& factor, const FactorTile& tile) {
  const std::string counter = names_.take("element");
  const Loop outer = std::exchange(loop_, Loop::shared);
  const AxisSet outer_inside = std::exchange(inside_, {});
  const std::string depth = extents_.at(factor.depth),
                    count = fmt::format("{} * {}", extents_.at(factor.width), depth);
  Scope bindings;
  std::vector<std::pair<std::string, Expr>> coordinates;
  const auto bind = [&](ir::AxisId axis, const std::string& place) {
    const std::string name = names_.take(lowercase(kernel_.axes[axis].name));
    coordinates.emplace_back(name, lowered::add(range_of(axis).first, lowered::name(place, DType::index)));
    places_[axis] = lowered::name(place, DType::index);
    bindings.axes.insert(axis);
    bindings.coordinates[axis] = lowered::name(name, DType::index);
  };
  const std::string line = fmt::format("{} / {}", counter, depth),
                    position = fmt::format("{} % {}", counter, depth);
  bind(factor.width, line);
  bind(factor.depth, position);
  loop(fmt::format("int {0} = thread_index(); {0} < {1}; {0} += kThreads", counter, count), false,
       std::move(bindings), [&] {
         for (const auto& [name, start] : coordinates)
           emit(lowered::Local{"index", name, {}, start, true, false});
         store_part(factor, tile, line, position);
       });
  for (const auto& [name, start] : coordinates) names_.release(name);
  names_.release(counter);
  loop_ = outer;
  inside_ = outer_inside;
}

// As many as a vector of 16 bytes holds of the widest type; of no parts one.
int TileLowering::elements_at_once(const std::vector<TileFactor>& parts, DType result) const {
  if (parts.empty()) return 1;
  auto widest = size_in_bytes(result);
  for (const TileFactor& part : parts)
    widest = std::max(widest, size_in_bytes(kernel_.values[part.value].dtype));
  return static_cast<int>(16 / widest);
}

namespace {

constexpr int kElementsTogether = 16;  // of a thread: while it waits for one vector it computes others

}  // namespace

// Neighbours of a line together: what they are computed from lies in shared memory already. A thread stays at a position
// of the lines, so that what depends on the position alone is the same in all its rounds.
void TileLowering::store_in_vectors(const TileFactor& factor, const FactorTile& tile,
                                    const std::string& share) {
  const ir::Value& value = kernel_.values[factor.value];
  const int count = elements_at_once(factor.parts, value.dtype);
  const Loop outer = std::exchange(loop_, Loop::shared);
  const AxisSet outer_inside = std::exchange(inside_, {});
  const auto rounds = [&](const char* what, int together,
                          const std::function<void(const std::string&)>& body) {
    const std::string round = names_.take(fmt::format("{}_round", what));
    const std::string header = fmt::format("int {0} = 0; {1}::has_{2}({0}); ++{0}", round, share, what);
    const auto wrap = [&](lowered::Block inner) {
      return lowered::For{header, std::move(inner), false, {}, {}, {}, {}, together};
    };
    scope(Scope{}, wrap, [&] {
      const std::string name = named(what);
      const std::string start = fmt::format("{}::{}({})", share, what, round);
      emit(lowered::Local{"int", name, {}, lowered::name(start, DType::index), true, false});
      body(name);
    });
    names_.release(round);
  };
  const auto store = [&](const std::string& line, const std::string& position) {
    load_parts(factor.parts, tile.major, line, position, count);
    const Expr vector = compute_vector(factor, tile, line, position);
    const Expr index =
        lowered::name(fmt::format("{}.index_of({}, {})", tile.tile, line, position), DType::index);
    emit(lowered::Evaluate{lowered::call(tile.tile + ".elements.store", {index, vector}, DType::index)},
         value.span);
  };
  // For warpgroups, not for rows (columns) that nobody stores.
  const bool skips = has_roles() && !is_whole_here(factor.width), along_k = tile.major == "Major::k";
  const auto if_needed = [&](bool is_asked, const std::string& at, const std::function<void()>& body) {
    if (!is_asked) return body();
    const Expr end = lowered::name(counts_.at(factor.width), DType::index);
    const Expr is_needed = lowered::binary("<", lowered::name(at, DType::index), end, DType::boolean);
    guard(is_needed, "", false, Scope{}, body);
  };
  const int together = std::max(1, (has_roles() ? 2 : 1) * kElementsTogether / count);
  rounds("position", 1, [&](const std::string& position) {
    if_needed(skips && !along_k, position, [&] {
      rounds("line", together, [&](const std::string& line) {
        if (skips && along_k) inside_.insert(factor.width);
        if_needed(skips && along_k, line, [&] { store(line, position); });
        inside_.erase(factor.width);
      });
    });
  });
  vectors_.clear();
  loop_ = outer;
  inside_ = outer_inside;
}

void TileLowering::load_parts(const std::vector<TileFactor>& parts, const std::string& along,
                              const std::string& line, const std::string& position, int count) {
  for (const TileFactor& part : parts) {
    const FactorTile& source = tile_of(part);
    const auto& load = std::get<ir::Load>(kernel_.values[part.load].op);
    const std::string name = named(kernel_.tensors[load.tensor].name + "_part");
    const std::string callee = fmt::format("load_along<{}, {}, {}>", count, major_of(part), along);
    std::vector<Expr> arguments;
    for (const std::string& text : {source.tile, line, position})
      arguments.push_back(lowered::name(text, DType::index));
    emit(lowered::Local{
        "auto", name, {}, lowered::call(callee, std::move(arguments), DType::index), true, false});
    vectors_[part.value] = name;
  }
}

// The value that a factor rounds to its own type, if neighbours are best rounded together.
std::optional<ir::ValueId> TileLowering::rounded_by(const TileFactor& factor) const {
  const ir::Value& value = kernel_.values[factor.value];
  const auto* cast = std::get_if<ir::Cast>(&value.op);
  if (cast == nullptr || (value.dtype != DType::bf16 && value.dtype != DType::f16)) return std::nullopt;
  const DType from = kernel_.values[cast->operand].dtype;
  const bool is_float_exactly =
      from == DType::f32 || is_narrow_float(from) || from == DType::i8 || from == DType::u8;
  return is_float_exactly ? std::optional(cast->operand) : std::nullopt;
}

// The neighbours from `position` of a line on, as a vector.
Expr TileLowering::compute_vector(const TileFactor& factor, const FactorTile& tile, const std::string& line,
                                  const std::string& position) {
  const ir::Value& value = kernel_.values[factor.value];
  const std::optional<ir::ValueId> rounded = rounded_by(factor);
  const auto round = [&](const Expr& floats) {
    return lowered::call(fmt::format("from_floats<{}>", type_name(value.dtype)), {floats}, value.dtype);
  };
  const auto part = rounded ? vectors_.find(*rounded) : vectors_.end();
  if (part != vectors_.end() && is_whole_here(factor.width) && is_whole_here(factor.depth))
    return round(lowered::call("to_floats", {lowered::name(part->second, DType::f32)}, DType::f32));
  const std::string along = fmt::format("{} + {}", position, item_);
  Scope bindings;
  std::vector<std::pair<std::string, Expr>> coordinates;
  const auto bind = [&](ir::AxisId axis, const std::string& if_k, const std::string& otherwise) {
    const std::string name = names_.take(lowercase(kernel_.axes[axis].name));
    const std::string place = tile.major == "Major::k" ? if_k
                              : tile.major == "Major::mn"
                                  ? otherwise
                                  : fmt::format("({} == Major::k ? {} : {})", tile.major, if_k, otherwise);
    places_[axis] = lowered::name(place, DType::index);
    coordinates.emplace_back(name, lowered::add(range_of(axis).first, places_.at(axis)));
    bindings.axes.insert(axis);
    bindings.coordinates[axis] = lowered::name(name, DType::index);
  };
  bind(factor.width, line, along);
  bind(factor.depth, along, line);
  const int count = elements_at_once(factor.parts, value.dtype);
  const std::string header = fmt::format("int {0} = 0; {0} < {1}; ++{0}", item_, count);
  const std::string vector = named(value.name.empty() ? "factor" : value.name);
  const DType type = rounded ? DType::f32 : value.dtype;
  emit(lowered::Local{
      fmt::format("Vector<{}, {}>", type_name(type), count), vector, {}, nullptr, false, false});
  vector_item_ = item_;
  loop(header, true, std::move(bindings), [&] {
    for (const auto& [name, start] : coordinates) emit(lowered::Local{"index", name, {}, start, true, false});
    const Expr inside = within({factor.width, factor.depth});
    const Evaluated element = eval(rounded.value_or(factor.value));
    const Expr exists = lowered::conjunction(inside, element.exists);
    Expr stored = element.value->type == type ? element.value : as_stored(as_float(element), type);
    if (exists) stored = lowered::ternary(exists, stored, lowered::zero(type));
    const Expr slot =
        lowered::vector_element(lowered::name(vector, type), lowered::name(item_, DType::index), type);
    emit(lowered::Assign{slot, "=", stored}, value.span);
  });
  for (const auto& [name, start] : coordinates) names_.release(name);
  const Expr result = lowered::name(vector, type);
  return rounded ? round(result) : result;
}

void TileLowering::store_part(const TileFactor& factor, const FactorTile& tile, const std::string& line,
                              const std::string& position) {
  const ir::Value& value = kernel_.values[factor.value];
  const Expr inside = within({factor.width, factor.depth});
  const Evaluated element = eval(factor.value);
  const Expr exists = lowered::conjunction(inside, element.exists);
  Expr stored =
      element.value->type == value.dtype ? element.value : as_stored(as_float(element), value.dtype);
  if (exists) stored = lowered::ternary(exists, stored, lowered::zero(value.dtype));
  const std::string index = fmt::format("{}.index_of({}, {})", tile.tile, line, position);
  emit(lowered::Evaluate{lowered::call(tile.tile + ".elements.store",
                                       {lowered::name(index, DType::index), stored}, DType::index)},
       value.span);
}

}  // namespace tessera::emit
