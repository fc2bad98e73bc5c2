// SPDX-License-Identifier: Apache-2.0
// Loads as outputs lie: what the elements of a tile take from a tensor whose last index is the column, too, is read by pairs,
// a panel at a time.
#include <fmt/format.h>

#include <algorithm>

#include "emit/panel_plan.h"
#include "emit/tile_lowering.h"
#include "sema/ir/affine.h"
#include "sema/ir/operands.h"

namespace tessera::emit {

using lowered::Expr;

namespace {

constexpr int64_t kMostRegisters = 48;  // of a thread, that loads of a write take beside the tile

/// What a LoadPanel takes of them: a thread has pairs in two rows of a panel, and a place more for the next if they are few.
int64_t registers_of_panel(DType loaded, DType stored) {
  const int64_t pairs = 2 * (columns_of_panel(stored) / 8);
  const int64_t bytes = size_in_bytes(loaded), words = pairs * std::max<int64_t>(bytes / 2, 1);
  return words * (bytes > 1 && words <= 16 ? 2 : 1);
}

}  // namespace

// The loads that the elements of a write are computed from.
std::vector<ir::ValueId> TileLowering::read_in_pairs(const ir::Write& write, const TilePlace& place) const {
  std::vector<ir::ValueId> found;
  int64_t left = kMostRegisters;
  ir::for_each_below(kernel_, {write.value}, [&](ir::ValueId id) {
    if (held_.contains(id)) return false;
    if (!is_read_in_pairs(id, place)) return true;
    const int64_t taken = registers_of_panel(kernel_.values[id].dtype, kernel_.tensors[write.tensor].dtype);
    if (taken <= left) found.push_back(id), left -= taken;
    return false;
  });
  return found;
}

// Outputs may change between two panels.
bool TileLowering::is_read_in_pairs(ir::ValueId id, const TilePlace& place) const {
  const ir::Value& value = kernel_.values[id];
  const auto* load = std::get_if<ir::Load>(&value.op);
  if (!load || !value.total || place_of({value.axes.begin(), value.axes.end()}) != place) return false;
  const auto is_here = [&](ir::AxisId axis) {
    return axis == *place.row || axis == *place.column || is_bound(axis);
  };
  const ir::Tensor& tensor = kernel_.tensors[load->tensor];
  return !tensor.is_output && !tensor.periodic && fits_panel(tensor.dtype) &&
         std::ranges::all_of(value.axes, is_here) &&
         is_in_pairs(kernel_, plan_.sizes, load->indices, load->in_bounds, *place.column) &&
         has_lines_of_rows(*load, *place.row);
}

// The line of a row is known from its number alone, and all lines begin with the same element.
bool TileLowering::has_lines_of_rows(const ir::Load& load, ir::AxisId row) const {
  const auto is_affine = [&](ir::ValueId index) {
    return ir::affine_form(kernel_, plan_.sizes, index).has_value();
  };
  return std::ranges::all_of(load.indices, is_affine) &&
         !analysis_.dependence.at(load.indices.back()).axes.contains(row);
}

// What is to be read as each panel begins.
std::vector<lowered::Statement> TileLowering::declare_loads_of_panels(const std::vector<ir::ValueId>& loads,
                                                                      const TilePlace& place,
                                                                      const Panel& panel,
                                                                      const std::string& number,
                                                                      const std::string& slot) {
  std::vector<lowered::Statement> statements;
  for (const ir::ValueId id : loads) {
    const auto& load = std::get<ir::Load>(kernel_.values[id].op);
    const ir::Tensor& tensor = kernel_.tensors[load.tensor];
    const auto [line, first] =
        declare_line_of({load.tensor, load.indices, load.in_bounds}, *place.column, *place.row);
    const std::string name = named(tensor.name + "_panel");
    emit(lowered::Local{fmt::format("LoadPanel<const {}, {}>", type_name(tensor.dtype), panel.type),
                        name,
                        {},
                        nullptr,
                        false,
                        false});
    const Expr call = lowered::call(name + ".load",
                                    {lowered::name(number, DType::index), end_of(*place.row),
                                     end_of(*place.column), first, lowered::name(line, DType::index)},
                                    tensor.dtype);
    statements.push_back({lowered::Evaluate{call}, kernel_.values[id].span});
    pairs_[id] = {fmt::format("{}.pair({}, {})", name, item_, slot), kernel_.values[id].dtype};
  }
  return statements;
}

}  // namespace tessera::emit
