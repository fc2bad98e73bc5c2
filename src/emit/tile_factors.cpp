// SPDX-License-Identifier: Apache-2.0
// Factors of products that are no plain parts of tensors: stored to shared memory from registers, or computed there.
#include <fmt/format.h>

#include <algorithm>
#include <iterator>

#include "emit/tile_lowering.h"
#include "emit/vector_calls.h"
#include "sema/ir/operands.h"

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
    widen_parts(factor);
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
  const bool is_wide = size_in_bytes(value.dtype) > 1;
  const int most = has_roles() && is_wide ? 2 * kElementsTogether : kElementsTogether;
  const int together = std::max(1, most / count);
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
    vectors_[part.value] = {name, kernel_.values[part.value].dtype};
  }
}

// Whether bytes of a part are nothing but floats to a factor: a vector of them is widened in fewer instructions.
bool TileLowering::is_read_as_floats(const TileFactor& factor, ir::ValueId part) const {
  const DType type = kernel_.values[part].dtype;
  if (type != DType::i8 && type != DType::u8) return is_fp8(type);
  bool is_widened = true;
  ir::for_each_below(kernel_, {factor.value}, [&](ir::ValueId id) {
    const ir::Value& value = kernel_.values[id];
    const bool is_user = std::ranges::count(ir::operands_of(value.op), part) > 0;
    const bool is_cast = std::holds_alternative<ir::Cast>(value.op) &&
                         (value.dtype == DType::f32 || is_narrow_float(value.dtype));
    is_widened = is_widened && (!is_user || is_cast);
    return is_widened;
  });
  return is_widened;
}

void TileLowering::widen_parts(const TileFactor& factor) {
  for (const TileFactor& part : factor.parts) {
    LoadedVector& vector = vectors_.at(part.value);
    if (!is_read_as_floats(factor, part.value)) continue;
    const Expr floats = lowered::call("to_floats", {lowered::name(vector.name, vector.type)}, DType::f32);
    vector = {named(vector.name + "_floats"), DType::f32};
    emit(lowered::Local{"auto", vector.name, {}, floats, true, false});
  }
}

// The value that a factor rounds to its own type, if neighbours are best rounded together.
std::optional<ir::ValueId> TileLowering::rounded_by(const TileFactor& factor) const {
  const ir::Value& value = kernel_.values[factor.value];
  const auto* cast = std::get_if<ir::Cast>(&value.op);
  if (cast == nullptr || !is_narrow_float(value.dtype)) return std::nullopt;
  const DType from = kernel_.values[cast->operand].dtype;
  const bool is_float_exactly =
      from == DType::f32 || is_narrow_float(from) || from == DType::i8 || from == DType::u8;
  return is_float_exactly ? std::optional(cast->operand) : std::nullopt;
}

// Binds the coordinates of neighbours: the one that they share here, that along them in the loop over them.
TileLowering::Neighbours TileLowering::bind_neighbours(const TileFactor& factor, const FactorTile& tile,
                                                       const std::string& line, const std::string& position) {
  const std::string along = fmt::format("{} + {}", position, item_);
  Neighbours result;
  const auto bind = [&](ir::AxisId axis, const std::string& if_k, const std::string& otherwise) {
    const std::string name = names_.take(lowercase(kernel_.axes[axis].name));
    const std::string place = tile.major == "Major::k" ? if_k
                              : tile.major == "Major::mn"
                                  ? otherwise
                                  : fmt::format("({} == Major::k ? {} : {})", tile.major, if_k, otherwise);
    places_[axis] = lowered::name(place, DType::index);
    const Expr at = lowered::add(range_of(axis).first, places_.at(axis));
    const lowered::Local coordinate{"index", name, {}, at, true, false};
    const bool is_shared = place == line;
    if (is_shared)
      emit(coordinate);
    else
      result.coordinates.push_back(coordinate);
    Scope& scope = is_shared ? scopes_.back() : result.bindings;
    scope.axes.insert(axis);
    scope.coordinates[axis] = lowered::name(name, DType::index);
    result.names.push_back(name);
  };
  bind(factor.width, line, along);
  bind(factor.depth, along, line);
  along_vector_ = tile.major == "Major::k"    ? factor.depth
                  : tile.major == "Major::mn" ? factor.width
                                              : ir::AxisId();
  return result;
}

// The neighbours from `position` of a line on, as a vector.
Expr TileLowering::compute_vector(const TileFactor& factor, const FactorTile& tile, const std::string& line,
                                  const std::string& position) {
  const ir::Value& value = kernel_.values[factor.value];
  const std::optional<ir::ValueId> rounded = rounded_by(factor);
  const auto call = [](const std::string& callee, const Expr& argument, DType type) {
    return lowered::call(callee, {argument}, type);
  };
  const std::string round = fmt::format("from_floats<{}>", type_name(value.dtype));
  const auto part = rounded ? vectors_.find(*rounded) : vectors_.end();
  if (part != vectors_.end() && is_whole_here(factor.width) && is_whole_here(factor.depth)) {
    const auto& [name, type] = part->second;
    const Expr elements = lowered::name(name, type);
    return call(round, type == DType::f32 ? elements : call("to_floats", elements, DType::f32), value.dtype);
  }
  Neighbours neighbours = bind_neighbours(factor, tile, line, position);
  const std::string count = std::to_string(elements_at_once(factor.parts, value.dtype));
  const std::string vector = named(value.name.empty() ? "factor" : value.name);
  const DType type = rounded ? DType::f32 : value.dtype;
  const std::string vector_type = fmt::format("Vector<{}, {}>", type_name(type), count);
  emit(lowered::Local{vector_type, vector, {}, nullptr, false, false});
  vector_item_ = item_;
  const std::string header = fmt::format("int {0} = 0; {0} < {1}; ++{0}", item_, count);
  loop(header, true, std::move(neighbours.bindings), [&] {
    for (const lowered::Local& coordinate : neighbours.coordinates) emit(coordinate);
    const Expr inside = within({factor.width, factor.depth});
    const Evaluated element = eval(rounded.value_or(factor.value));
    const Expr exists = lowered::conjunction(inside, element.exists);
    Expr stored = element.value->type == type ? element.value : as_stored(as_float(element), type);
    if (exists) stored = lowered::ternary(exists, stored, lowered::zero(type));
    const Expr slot =
        lowered::vector_element(lowered::name(vector, type), lowered::name(item_, DType::index), type);
    emit(lowered::Assign{slot, "=", stored}, value.span);
  });
  call_on_vectors_of_last(count);
  for (const std::string& name : neighbours.names) names_.release(name);
  along_vector_ = {};
  const Expr result = lowered::name(vector, type);
  return rounded ? call(round, result, value.dtype) : result;
}

// The loop that was emitted last, over so many neighbours, calls functions of vectors. Its names end with the block.
void TileLowering::call_on_vectors_of_last(const std::string& count) {
  lowered::Block& block = *scopes_.back().block;
  lowered::Block last{std::move(block.back())};
  block.pop_back();
  NameAllocator names = names_;
  call_on_vectors(last, item_, count, names);
  std::ranges::move(last, std::back_inserter(block));
}

// One number that divides all neighbours of a line.
bool TileLowering::divides_lane(const ir::Binary& op) const {
  const ir::Value& right = kernel_.values[op.right];
  return along_vector_.valid() && right.dtype == DType::f32 && !is_power_of_two(right.op) &&
         !analysis_.dependence.at(op.right).axes.contains(along_vector_) &&
         analysis_.dependence.at(op.left).axes.contains(along_vector_);
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
