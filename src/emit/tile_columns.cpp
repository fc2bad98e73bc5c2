// SPDX-License-Identifier: Apache-2.0
// What the elements of a panel take from their columns: the lanes of a warp compute it for each other, a few columns each,
// and it waits in the shared memory that the panel goes through next. Held by threads it would be computed by eight of
// each warp, and what all panels read would take the registers that tiles leave.
#include <fmt/format.h>

#include <algorithm>

#include "emit/naming.h"
#include "emit/panel_plan.h"
#include "emit/print.h"
#include "emit/tile_lowering.h"
#include "sema/ir/operands.h"

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
  std::vector<ir::ValueId> found;
  ir::for_each_below(kernel_, {write.value}, [&](ir::ValueId id) {
    if (held_.contains(id)) return false;
    const ir::Value& value = kernel_.values[id];
    const TilePlace place = place_of({value.axes.begin(), value.axes.end()});
    const int64_t bytes = columns * size_in_bytes(held_type(value));
    const bool is_of_columns = place.column && !place.row;
    if (!is_of_columns || bytes > left || !is_worth_registers(id) || !is_free_of_threads(id)) return true;
    found.push_back(id);
    left -= bytes;
    return false;
  });
  return found;
}

// Whether any lane can compute it for any column: from nothing that threads hold for columns of their own.
bool TileLowering::is_free_of_threads(ir::ValueId id) const {
  bool is_free = true;
  ir::for_each_below(kernel_, {id}, [&](ir::ValueId below) {
    const ir::Value& value = kernel_.values[below];
    const auto held = held_.find(below);
    const bool is_read = std::holds_alternative<ir::ReadVariable>(value.op) || before_.contains(below);
    if (held != held_.end()) is_free = is_free && held->second.place.is_scalar();
    if (held == held_.end() && is_read) is_free = is_free && value.axes.empty();
    return is_free && held == held_.end() && !is_read;
  });
  return is_free;
}

// Before the panels, of which the first has its values asked for here. Behind this, elements read them by the slot of the
// first column of their pair.
std::vector<SharedColumns> TileLowering::declare_columns(const std::vector<ir::ValueId>& values,
                                                         const Panel& panel, const std::string& slot) {
  std::vector<SharedColumns> all;
  for (const ir::ValueId id : values) {
    const std::string base = name_for(id);
    const DType type = held_type(kernel_.values[id]);
    SharedColumns columns{named(base), names_.take("Columns" + in_camel_case(base)),
                          declare_value_of_column(id, base, type)};
    const std::string elements = names_.take(columns.name + "_elements"), element_type(type_name(type));
    at_scope(outermost_, [&] {
      emit(lowered::Using{columns.type, fmt::format("PanelColumns<{}, {}>", element_type, panel.type)});
      emit(lowered::Shared{element_type, elements, columns.type + "::kRoom" + times_teams(), tiles_end_});
    });
    emit(lowered::Local{
        columns.type, columns.name, {}, lowered::list({lowered::name(elements, type)}), false, false});
    emit(lowered::Evaluate{
        lowered::name(fmt::format("{}.fetch(0, {})", columns.name, columns.value_of), DType::index)});
    all.push_back(std::move(columns));
  }
  for (size_t k = 0; k < values.size(); ++k)
    pairs_[values[k]] = {fmt::format("{}.pair({})", all[k].name, slot), held_type(kernel_.values[values[k]])};
  return all;
}

// A function of a column of the tile.
std::string TileLowering::declare_value_of_column(ir::ValueId id, const std::string& base, DType type) {
  const ir::Value& value = kernel_.values[id];
  const TilePlace place = place_of({value.axes.begin(), value.axes.end()});
  const std::string function = named(base + "_of_column"), column = names_.take("column");
  const auto wrap = [&](lowered::Block inner) {
    return lowered::Lambda{function, "int " + column, std::move(inner)};
  };
  at(
      place, {{*place.column, lowered::name(column, DType::index)}},
      [&] {
        const auto outer = std::exchange(unnamed_, id);
        const Expr computed = as_stored(as_float(eval(id)), type);
        unnamed_ = outer;
        emit(lowered::Evaluate{lowered::name("return " + print(computed), DType::index)}, value.span);
      },
      wrap);
  names_.release(column);
  return function;
}

// At the beginning of a panel. Those of the next are on their way while the elements of this one are computed.
void TileLowering::share_columns(const std::vector<SharedColumns>& columns, const Panel& panel,
                                 const std::string& number) {
  if (columns.empty()) return;
  const auto run = [&](const std::string& text) {
    emit(lowered::Evaluate{lowered::name(text, DType::index)});
  };
  const std::string place = named("place");
  emit(lowered::Comment{"a warp's lanes compute for each other what elements take from columns"});
  emit(lowered::Local{
      "int", place, {}, lowered::call(panel.name + ".open_place", {}, DType::index), true, false});
  std::string first = place;
  for (const SharedColumns& shared : columns) {
    run(fmt::format("{}.put({})", shared.name, first));
    first += fmt::format(" + {}::kBytes", shared.type);
  }
  run("warp_barrier()");
  for (const SharedColumns& shared : columns)
    run(fmt::format("{}.fetch({} + 1, {})", shared.name, number, shared.value_of));
}

}  // namespace tessera::emit
