// SPDX-License-Identifier: Apache-2.0
// How tiles, rows and columns in registers are written to tensors.
#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "emit/panel_plan.h"
#include "emit/print.h"
#include "emit/tile_lowering.h"
#include "emit/warpgroup_plan.h"
#include "sema/ir/operands.h"
#include "sema/ir/statements.h"

namespace tessera::emit {

using lowered::Expr;

namespace {

int writes_of(const ir::Block& statements, ir::TensorId tensor) {
  int count = 0;
  for (const ir::Statement& statement : statements) {
    if (const auto* write = std::get_if<ir::Write>(&statement.node)) count += write->tensor == tensor ? 1 : 0;
    if (const auto* loop = std::get_if<ir::Loop>(&statement.node)) count += writes_of(loop->body, tensor);
  }
  return count;
}

}  // namespace

void TileLowering::write(const ir::Statement& statement) {
  const auto& node = std::get<ir::Write>(statement.node);
  const AxisSet axes = write_axes(node);
  const TilePlace place = place_of(axes);
  std::vector<ir::AxisId> looped;  // by each thread
  for (ir::AxisId axis : axes)
    if (phase_.role(axis) == Role::serial && !is_bound(axis)) looped.push_back(axis);
  // A warp that multiplies for itself what others have copied has shared memory for its stores.
  if (has_roles())
    if (const auto lines = lines_of_panels(kernel_, plan_.sizes, tiles_, node))
      return around_tile(looped, [&] { write_panels(node, place, *lines, statement.span); });
  // What elements are computed from exists wherever they do.
  if (place.is_tile() && kernel_.values[node.value].total &&
      is_in_pairs(kernel_, plan_.sizes, node.indices, node.in_bounds, *place.column))
    return around_tile(looped, [&] { write_pairs(node, place, statement.span); });
  over_existing(place, [&] { around_tile(looped, [&] { write_element(node, place, statement.span); }); });
}

// A thread's part of a tile is written out element by element: nvcc is not asked to do so with short loops around or inside
// of it, which it unrolls where little is in them.
void TileLowering::around_tile(std::span<const ir::AxisId> axes, const std::function<void()>& body) {
  if (axes.empty()) return body();
  loop_along(axes[0], range_of(axes[0]), false, [&] { around_tile(axes.subspan(1), body); });
}

void TileLowering::write_element(const ir::Write& write, const TilePlace& place, Span span) {
  if (place.is_tile()) return store_element(write, span);
  // Threads that share a row or a column have the same value, and one of them writes it.
  const std::string number = tiles_.has_teams() ? boxes_->teams + ".thread" : "thread_index";
  Expr first = lowered::call(number, {}, DType::index);
  if (place.row) first = lowered::call(loop_layout_ + "::warp_column", {}, DType::index);
  if (place.column) first = lowered::call(loop_layout_ + "::warp_row", {}, DType::index);
  Expr leads = lowered::binary("==", first, lowered::integer(0), DType::boolean);
  if (place.row)
    leads = lowered::conjunction(leads, lowered::name("thread_index() % 4 == 0", DType::boolean));
  if (place.column)
    leads = lowered::conjunction(leads, lowered::name("thread_index() % 32 < 4", DType::boolean));
  eval(write.value);
  guard(leads, "several threads have it, one writes", [&] { store_element(write, span); });
}

// Row by row, so that what belongs to a row is computed once.
void TileLowering::write_pairs(const ir::Write& write, const TilePlace& place, Span span) {
  const ir::Tensor& tensor = kernel_.tensors[write.tensor];
  const std::string layout = layout_of(place), slot = names_.take("column_slot");
  const std::string outer = std::exchange(item_, names_.take("row_slot"));
  over(TilePlace{place.row, {}}, [&] {
    guard(within({*place.row}), "guard: tiles end", true, Scope{}, [&] {
      const auto [line, first] = line_of(line_access(write), *place.column);
      const std::string name = named(tensor.name + "_line");
      emit(
          lowered::Local{"auto", name, {}, lowered::call("Pairs", {line, first}, DType::index), true, false});
      const std::string header = fmt::format("int {0} = 0; {0} < {1}::kColumnCount; {0} += 2", slot, layout);
      over(TilePlace{{}, place.column}, slot, header, [&] {
        const std::vector<Expr> part{places_.at(*place.column), lowered::integer(0), end_of(*place.column)};
        const Expr pair = compute_pair(write, place, slot, span);
        Expr exists;
        const Expr at = indices(write.tensor, write.indices, write.in_bounds, exists).back();
        const Expr cut = lowered::call("Part<2, false>", part, DType::index);
        emit(lowered::Evaluate{lowered::call(name + ".store", {at, pair, cut}, tensor.dtype)}, span);
      });
    });
  });
  names_.release(slot);
  names_.release(std::exchange(item_, outer));
}

// Panel by panel through shared memory: pairs are put there row by row, and whole lines written, or boxes where the output
// has them.
void TileLowering::write_panels(const ir::Write& write, const TilePlace& place, const StoredLines& lines,
                                Span span) {
  const ir::Tensor& tensor = kernel_.tensors[write.tensor];
  const Panel panel = declare_panel(tensor, layout_of(place), lines.are_rows);
  const auto [line, first] = declare_line_of(line_access(write), lines.along, lines.across);
  const auto boxes = std::ranges::find(stored_boxes_, write.tensor, &StoredBoxes::tensor);
  const std::string number = names_.take("panel"), slot = names_.take("column_slot");
  const std::string outer = std::exchange(item_, names_.take("row_slot"));
  const Expr counter = lowered::name(number, DType::index), rows = end_of(*place.row),
             columns = end_of(*place.column), line_of_tile = lowered::name(line, DType::index);
  std::string callee = panel.name + ".store";
  std::vector<Expr> arguments = {counter, rows, columns, first, line_of_tile};
  if (boxes != stored_boxes_.end()) {
    callee = fmt::format("{}.template store_box<{}>", panel.name, boxes->line_dimension);
    const Expr corner = corner_of(write, lines, boxes->line_dimension);
    arguments = {counter, lowered::name(boxes->name, DType::index), corner, rows, columns, line_of_tile};
  }
  std::vector<ir::ValueId> read = read_in_pairs(write, place);
  const std::vector<lowered::Statement> loads = declare_loads_of_panels(read, place, panel, number, slot);
  const std::vector<ir::ValueId> taken = taken_from_columns(write);
  const std::vector<SharedColumns> columns_of_panels = declare_columns(taken, panel, slot);
  read.insert(read.end(), taken.begin(), taken.end());
  loop(fmt::format("int {0} = 0; {0} < {1}.kCount; ++{0}", number, panel.name), true, Scope{}, [&] {
    for (const lowered::Statement& load : loads) emit(load.node, load.span);
    share_columns(columns_of_panels, panel, number);
    set_panel(write, place, panel.name, number, slot, span);
    emit(lowered::Evaluate{lowered::call(callee, arguments, tensor.dtype)}, span);
  });
  for (const ir::ValueId id : read) pairs_.erase(id);
  names_.release(slot);
  names_.release(std::exchange(item_, outer));
  names_.release(number);
}

void TileLowering::set_panel(const ir::Write& write, const TilePlace& place, const std::string& name,
                             const std::string& panel, const std::string& slot, Span span) {
  const std::string rows = fmt::format(
      "int {0} = {1}.first_row_slot({2}); {0} < {1}.first_row_slot({2}) + 2; ++{0}", item_, name, panel);
  const std::string columns = fmt::format(
      "int {0} = {1}.first_column_slot({2}); {0} < {1}.end_column_slot({2}); {0} += 2", slot, name, panel);
  const auto number = [](const std::string& counter) { return lowered::name(counter, DType::index); };
  const auto set = [&] {
    over(TilePlace{{}, place.column}, slot, columns, [&] {
      const Expr pair = compute_pair(write, place, slot, span);
      const std::vector<Expr> arguments = {number(item_), number(slot), pair};
      emit(lowered::Evaluate{lowered::call(name + ".set", arguments, kernel_.tensors[write.tensor].dtype)});
    });
  };
  over(TilePlace{place.row, {}}, item_, rows, [&] {
    takes_from_rows(write) ? guard(within({*place.row}), "guard: tiles end", true, Scope{}, set) : set();
  });
}

// Whether elements of a write take anything that only rows have which exist. Of tiles that threads hold they have all rows,
// and those behind the end are never stored.
bool TileLowering::takes_from_rows(const ir::Write& write) const {
  bool takes = false;
  ir::for_each_below(kernel_, {write.value}, [&](ir::ValueId id) {
    const ir::Value& value = kernel_.values[id];
    const TilePlace own = place_of({value.axes.begin(), value.axes.end()});
    const bool is_held = held_.contains(id) || std::holds_alternative<ir::ReadVariable>(value.op);
    if (own.row) takes = takes || !own.column || (!is_held && std::holds_alternative<ir::Load>(value.op));
    return !is_held && !pairs_.contains(id);
  });
  return takes;
}

// The dimension along which lines of a tile follow each other, where it is stored as boxes: its rows and columns are whole
// dimensions, so that the copy engine leaves out what lies behind them. One parameter describes the boxes of the only store.
std::optional<size_t> TileLowering::dimension_of_boxes(const ir::Write& write,
                                                       const StoredLines& lines) const {
  const ir::Tensor& tensor = kernel_.tensors[write.tensor];
  const size_t rank = write.indices.size();
  const auto is_along = [&](size_t d, ir::AxisId axis) {
    return is_whole_dimension(kernel_, plan_.sizes, write.indices[d], axis, tensor.dims[d]);
  };
  if (writes_of(phase_.grid->body, write.tensor) > 1 || rank < 2 || rank > 5 ||
      !is_along(rank - 1, lines.along))
    return std::nullopt;
  std::optional<size_t> dimension;
  for (size_t d = 0; d + 1 < rank; ++d) {
    if (!analysis_.dependence.at(write.indices[d]).axes.contains(lines.across)) continue;
    if (dimension || !is_along(d, lines.across)) return std::nullopt;
    dimension = d;
  }
  return dimension;
}

// Where the tile at hand begins in the output.
Expr TileLowering::corner_of(const ir::Write& write, const StoredLines& lines, size_t line_dimension) {
  std::vector<Expr> at;
  for (size_t d = 0; d < write.indices.size(); ++d)
    at.push_back(d == line_dimension             ? first_of_tile(lines.across)
                 : d + 1 == write.indices.size() ? first_of_tile(lines.along)
                                                 : eval_total(write.indices[d]));
  return lowered::braces(fmt::format("Index<{}>", at.size()), at);
}

// The outputs that are stored as boxes, with the parameters that describe those.
void TileLowering::find_stored_boxes() {
  ir::for_each_statement(phase_.grid->body, [&](const ir::Statement& statement) {
    const auto* write = std::get_if<ir::Write>(&statement.node);
    if (!write) return;
    const auto lines = lines_of_panels(kernel_, plan_.sizes, tiles_, *write);
    const auto dimension = lines ? dimension_of_boxes(*write, *lines) : std::nullopt;
    if (!dimension) return;
    const ir::Tensor& tensor = kernel_.tensors[write->tensor];
    stored_boxes_.push_back(
        {named(tensor.name + "_boxes"),
         fmt::format("boxes_for_stores<{}, {}, {}{}>({})", type_name(tensor.dtype), tensor.dims.size(),
                     *dimension, lines->are_rows ? "" : ", StoredLine::column", safe_name(tensor.name)),
         write->tensor, *dimension});
  });
}

// A function that gives the line of a tensor for a row of the tile (a column, if lines run along rows), and the element where
// the tile begins.
std::pair<std::string, Expr> TileLowering::declare_line_of(const LineAccess& access, ir::AxisId along,
                                                           ir::AxisId across) {
  const std::string name = named(kernel_.tensors[access.tensor].name + "_line");
  const std::string number = names_.take(tiles_.role(across) == TileRole::row ? "row" : "column"),
                    coordinate = names_.take(lowercase(kernel_.axes[across].name));
  Expr first;
  lowered::Block body = apart([&] {
    Scope at_line;
    at_line.block = scopes_.back().block;
    at_line.axes.insert(across);
    at_line.coordinates[across] = lowered::name(coordinate, DType::index);
    scopes_.push_back(std::move(at_line));
    emit(lowered::Local{"index",
                        coordinate,
                        {},
                        lowered::add(range_of(across).first, lowered::name(number, DType::index)),
                        true,
                        false});
    const auto line = line_of(access, along);
    first = line.second;
    emit(lowered::Evaluate{lowered::name("return " + print(line.first), DType::index)});
    scopes_.pop_back();
  });
  emit(lowered::Lambda{name, "int " + number, std::move(body)});
  names_.release(coordinate);
  names_.release(number);
  return {name, first};
}

// How far a tile reaches along an axis.
Expr TileLowering::end_of(ir::AxisId axis) const {
  const auto count = counts_.find(axis);
  return lowered::name(count != counts_.end() ? count->second : extents_.at(axis), DType::index);
}

// The line of a tensor at the current row (or column), and its element where the tile begins along it.
std::pair<Expr, Expr> TileLowering::line_of(const LineAccess& access, ir::AxisId along) {
  const ir::Tensor& tensor = kernel_.tensors[access.tensor];
  Scope at_first;
  at_first.block = scopes_.back().block;
  at_first.axes.insert(along);
  at_first.coordinates[along] = range_of(along).first;
  scopes_.push_back(std::move(at_first));
  Expr exists;
  std::vector<Expr> at = indices(access.tensor, access.indices, access.in_bounds, exists);
  const std::vector<std::string> names = std::move(scopes_.back().names);
  scopes_.pop_back();
  scopes_.back().names.insert(scopes_.back().names.end(), names.begin(), names.end());
  const Expr first = at.back();
  at.pop_back();
  const Expr line =
      lowered::call(safe_name(tensor.name) + ".line", {lowered::list(std::move(at))}, DType::index);
  return {line, first};
}

// The elements at the current row and the two columns from the current one on, as a vector.
Expr TileLowering::compute_pair(const ir::Write& write, const TilePlace& place, const std::string& slot,
                                Span span) {
  const ir::Tensor& tensor = kernel_.tensors[write.tensor];
  const std::string first = named("first"), name = named(tensor.name + "_pair");
  const std::string number = fmt::format("{}::element_at({}, {})", layout_of(place), item_, slot);
  emit(lowered::Local{"int", first, {}, lowered::name(number, DType::index), true, false});
  const std::optional<ir::ValueId> rounded = converted_in_pairs(write.value);
  const DType type = rounded ? DType::f32 : tensor.dtype;
  const Expr pair = lowered::name(name, type);
  emit(lowered::Local{fmt::format("Vector<{}, 2>", type_name(type)), name, {}, nullptr, false, false});
  pair_item_ = fmt::format("{} - {}", strip_, first);
  over(place, strip_, fmt::format("int {0} = {1}; {0} < {1} + 2; ++{0}", strip_, first), [&] {
    const Expr value = rounded ? as_float(eval(*rounded)) : as_stored(as_float_for(write), type);
    const Expr item = lowered::binary("-", lowered::name(strip_, DType::index),
                                      lowered::name(first, DType::index), DType::index);
    emit(lowered::Assign{lowered::vector_element(pair, item, type), "=", value}, span);
  });
  if (!rounded) return pair;
  return lowered::call(fmt::format("from_floats<{}>", type_name(tensor.dtype)), {pair}, tensor.dtype);
}

// The float that an integer is converted from, if the device saturates two at once and nothing has the value already. Of
// narrow floats ptxas packs two by itself, and spills less.
std::optional<ir::ValueId> TileLowering::converted_in_pairs(ir::ValueId id) const {
  const ir::Value& value = kernel_.values[id];
  const auto* cast = std::get_if<ir::Cast>(&value.op);
  if (cast == nullptr || held_.contains(id) || pairs_.contains(id)) return std::nullopt;
  const DType from = kernel_.values[cast->operand].dtype;
  const bool has_instruction = is_integer(value.dtype) && size_in_bytes(value.dtype) <= 2;
  return has_instruction && from == DType::f32 ? std::optional(cast->operand) : std::nullopt;
}

}  // namespace tessera::emit
