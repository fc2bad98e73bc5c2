// SPDX-License-Identifier: Apache-2.0
// See turned_plan.h.
#include "emit/turned_plan.h"

#include <algorithm>
#include <utility>

#include "emit/group_products.h"
#include "emit/panel_plan.h"
#include "emit/plan_extents.h"
#include "emit/plan_requests.h"
#include "emit/warpgroup_plan.h"
#include "sema/ir/statements.h"

namespace tessera::emit {

namespace {

bool is_asked(const ir::Kernel& kernel, const PlanOverrides& overrides, const TilePlan& plan) {
  const bool has_fixed_tiles = std::ranges::any_of(plan.roles, [&](const auto& entry) {
    return plan.is_in_registers(entry.first) && fixed_tile(kernel, overrides, entry.first) > 0;
  });
  if (has_fixed_tiles) return true;
  return !overrides.tiles.empty() || overrides.warps || overrides.stages || overrides.raster ||
         overrides.warpgroups || overrides.cluster || overrides.split || !all_requests(kernel).empty() ||
         kernel.tuning || !kernel.tilings.empty();
}

/// Whether warpgroups take the factors of a product along what is summed over alone, and they are of two tensors, each of which
/// may lie another way.
bool has_one_order(const ir::Kernel& kernel, const TileProduct& product) {
  const auto has_one = [&](const TileFactor& factor) {
    return factor.way == TileFactor::Way::staged && !factor.in_parts &&
           !has_either_order(tile_type(kernel, factor));
  };
  const auto tensor_of = [&](const TileFactor& factor) {
    return std::get<ir::Load>(kernel.values[factor.load].op).tensor;
  };
  return has_one(product.rows) && has_one(product.columns) &&
         tensor_of(product.rows) != tensor_of(product.columns);
}

/// Whether all products have one factor in common.
bool is_one(const TilePlan& plan, TileFactor TileProduct::*factor) {
  const ir::ValueId first = (plan.products.begin()->second.*factor).load;
  return std::ranges::all_of(plan.products,
                             [&](const auto& entry) { return (entry.second.*factor).load == first; });
}

/// Whether all that is stored of tiles passes panels. Tensors that lie as outputs do are read element by element beside turned
/// columns, which takes less than a copy of the columns.
bool passes_panels(const ir::Kernel& kernel, ir::SizeTable& sizes, const TilePlan& plan) {
  bool passes = true;
  ir::for_each_statement(kernel.grids.at(0).body, [&](const ir::Statement& statement) {
    const auto* write = std::get_if<ir::Write>(&statement.node);
    if (write && is_tile(axes_of(kernel, *write), plan))
      passes = passes && lines_of_panels(kernel, sizes, plan, *write).has_value();
  });
  return passes;
}

TileRole changed(TileRole role) {
  return role == TileRole::row ? TileRole::column : role == TileRole::column ? TileRole::row : role;
}

}  // namespace

std::vector<TilePlan> turned_plans(const ir::Kernel& kernel, const PlanOverrides& overrides,
                                   ir::SizeTable& sizes, const TilePlan& general, const TilePlan& groups) {
  if (overrides.turn == 0 || is_asked(kernel, overrides, general) ||
      !std::ranges::all_of(groups.products,
                           [&](const auto& entry) { return has_one_order(kernel, entry.second); }))
    return {};
  std::vector<TilePlan> plans;
  if (is_one(groups, &TileProduct::columns)) {
    TilePlan plan = general;
    plan.turned = Turned::columns;
    for (auto& [axis, role] : plan.roles) role = changed(role);
    for (auto& [dot, product] : plan.products) std::swap(product.rows, product.columns);
    if (passes_panels(kernel, sizes, plan)) plans.push_back(std::move(plan));
  }
  if (is_one(groups, &TileProduct::rows)) {
    plans.push_back(general);
    plans.back().turned = Turned::rows;
  }
  return plans;
}

std::string suffix_of(const TilePlan& plan) {
  if (plan.way == TileWay::threads) return "";
  switch (plan.turned) {
    case Turned::none: return "by_warpgroups";
    case Turned::rows: return "with_turned_rows";
    case Turned::columns: return "with_turned_columns";
  }
  return "";
}

int64_t registers_of_turned_rows(const ir::Kernel& kernel, const TilePlan& plan, const TileShape& shape) {
  constexpr int64_t kRegisterBytes = 4;
  int64_t most = 0;
  for (const auto& [dot, product] : plan.products) {
    if (!product.rows.is_turned) continue;
    const int64_t bytes = shape.extent.at(product.rows.width) * shape.extent.at(product.depth) *
                          size_in_bytes(tile_type(kernel, product.rows));
    most = std::max(most, bytes / (kRegisterBytes * shape.threads()));
  }
  return most;
}

}  // namespace tessera::emit
