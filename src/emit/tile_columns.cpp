// SPDX-License-Identifier: Apache-2.0
// What the elements of a panel take from their columns: the lanes of a warp compute it for each other, a few columns each,
// and it waits in the shared memory that the panel goes through next. Held by threads it would be computed by eight of
// each warp, and what all panels read would take the registers that tiles leave.
#include <fmt/format.h>

#include <algorithm>

#include "emit/naming.h"
#include "emit/panel_plan.h"
#include "emit/tile_lowering.h"

namespace tessera::emit {

using lowered::Expr;

namespace {

/// "BiasValue" of "bias_value": part of the name of a type.
std::string in_camel_case(const std::string& name) {
  std::string result;
  bool is_first = true;
  for (const char c : name) {
    if (c != '_') result += is_first ? capitalised(std::string(1, c)) : std::string(1, c);
    is_first = c == '_';
  }
  return result;
}

DType held_type(const ir::Value& value) { return is_narrow_float(value.dtype) ? DType::f32 : value.dtype; }

}  // namespace

// The values of columns next to what a write stores, as far as they have room.
std::vector<ir::ValueId> TileLowering::taken_from_columns(const ir::Write& write) const {
  const int64_t columns = columns_of_panel(kernel_.tensors[write.tensor].dtype);
  int64_t left = kPlaceBytes;
  std::vector<ir::ValueId> found, open = {write.value};
  while (!open.empty()) {
    const ir::ValueId id = open.back();
    open.pop_back();
    if (held_.contains(id) || std::ranges::find(found, id) != found.end()) continue;
    const ir::Value& value = kernel_.values[id];
    const TilePlace place = place_of({value.axes.begin(), value.axes.end()});
    const int64_t bytes = columns * size_in_bytes(held_type(value));
    if (place.column && !place.row && bytes <= left && is_worth_registers(id) && is_free_of_threads(id)) {
      found.push_back(id);
      left -= bytes;
      continue;
    }
    const auto operands = ir::operands_of(value.op);
    open.insert(open.end(), operands.begin(), operands.end());
  }
  return found;
}

// Whether any lane can compute it for any column: from nothing that threads hold for columns of their own.
bool TileLowering::is_free_of_threads(ir::ValueId id) const {
  const ir::Value& value = kernel_.values[id];
  const auto held = held_.find(id);
  if (held != held_.end()) return held->second.place.is_scalar();
  if (std::holds_alternative<ir::ReadVariable>(value.op) || before_.contains(id)) return value.axes.empty();
  return std::ranges::all_of(ir::operands_of(value.op),
                             [&](ir::ValueId operand) { return is_free_of_threads(operand); });
}

// At the beginning of a panel.
void TileLowering::share_columns(const std::vector<ir::ValueId>& values, const Panel& panel,
                                 const std::string& number, const std::string& slot) {
  if (values.empty()) return;
  emit(lowered::Comment{"a warp's lanes compute for each other what elements take from columns"});
  const std::string place = named("place");
  emit(lowered::Local{
      "int", place, {}, lowered::call(panel.name + ".open_place", {}, DType::index), true, false});
  std::string first = place;
  for (const ir::ValueId id : values) {
    const HeldTile columns = declare_columns(id, panel, first);
    first += fmt::format(" + {}::kBytes", columns.kind);
    const Expr inside = lowered::call(
        panel.name + ".column_of_lane",
        {lowered::name(number, DType::index), lowered::name(item_, DType::index)}, DType::index);
    const std::string header = fmt::format("int {0} = 0; {0} < {1}.kLaneColumns; ++{0}", item_, panel.name);
    over(columns.place, header, {{*columns.place.column, inside, names_.take("column")}},
         [&] { set_column(columns, id); });
    pairs_[id] = {fmt::format("{}.pair({})", columns.name, slot), columns.type};
  }
  emit(lowered::Evaluate{lowered::call("warp_barrier", {}, DType::index)});
}

HeldTile TileLowering::declare_columns(ir::ValueId id, const Panel& panel, const std::string& first_byte) {
  const ir::Value& value = kernel_.values[id];
  HeldTile columns{named(name_for(id)), held_type(value), place_of({value.axes.begin(), value.axes.end()})};
  const std::string type = type_name(columns.type), elements = names_.take(columns.name + "_elements");
  columns.kind = names_.take("Columns" + in_camel_case(columns.name));
  at_scope(0, [&] {
    emit(lowered::Using{columns.kind, fmt::format("PanelColumns<{}, {}>", type, panel.type)});
    emit(lowered::Shared{type, elements, columns.kind + "::kRoom" + times_teams(), tiles_end_});
  });
  emit(lowered::Local{columns.kind,
                      columns.name,
                      {},
                      lowered::list(
                          {lowered::name(elements, columns.type), lowered::name(first_byte, DType::index)}),
                      true,
                      false},
       value.span);
  return columns;
}

void TileLowering::set_column(const HeldTile& columns, ir::ValueId id) {
  const auto outer = std::exchange(unnamed_, id);
  const Evaluated computed = eval(id);
  unnamed_ = outer;
  const std::vector<Expr> arguments = {lowered::name(item_, DType::index),
                                       as_stored(as_float(computed), columns.type)};
  emit(lowered::Evaluate{lowered::call(columns.name + ".set", arguments, columns.type)},
       kernel_.values[id].span);
}

}  // namespace tessera::emit
