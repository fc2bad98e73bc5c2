// SPDX-License-Identifier: Apache-2.0
// See turned_plan.h.
#include "emit/turned_plan.h"

#include <algorithm>
#include <set>
#include <utility>

#include "emit/panel_plan.h"
#include "emit/plan_extents.h"
#include "emit/plan_requests.h"
#include "emit/warpgroup_plan.h"
#include "sema/ir/operands.h"
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

/// Whether the columns of a product are to be turned where they lie across.
bool can_turn(const ir::Kernel& kernel, const TileProduct& product) {
  const auto suits = [&](const TileFactor& factor) {
    return factor.way == TileFactor::Way::staged && !factor.in_parts &&
           !has_either_order(tile_type(kernel, factor));
  };
  return suits(product.rows) && suits(product.columns) && product.rows.load != product.columns.load;
}

/// Whether all that is stored of tiles passes panels, and is computed from nothing that is read element by element.
bool stores_suit(const ir::Kernel& kernel, ir::SizeTable& sizes, const TilePlan& turned) {
  bool suit = true;
  ir::for_each_statement(kernel.grids.at(0).body, [&](const ir::Statement& statement) {
    const auto* write = std::get_if<ir::Write>(&statement.node);
    if (!write) return;
    if (axes_of_tiles(kernel.values[write->value].axes, turned).size() < 2) return;
    suit = suit && lines_of_panels(kernel, sizes, turned, *write).has_value();
    ir::for_each_below(kernel, {write->value}, [&](ir::ValueId id) {
      const ir::Value& value = kernel.values[id];
      if (std::holds_alternative<ir::Dot>(value.op)) return false;
      const bool is_load = std::holds_alternative<ir::Load>(value.op);
      suit = suit && !(is_load && axes_of_tiles(value.axes, turned).size() == 2);
      return true;
    });
  });
  return suit;
}

TileRole turned(TileRole role) {
  return role == TileRole::row ? TileRole::column : role == TileRole::column ? TileRole::row : role;
}

}  // namespace

std::optional<TilePlan> turn_tiles(const ir::Kernel& kernel, const PlanOverrides& overrides,
                                   ir::SizeTable& sizes, const TilePlan& general, const TilePlan& groups) {
  if (overrides.turn == 0 || is_asked(kernel, overrides, general)) return std::nullopt;
  std::set<ir::ValueId> loads;
  for (const auto& [dot, product] : groups.products) {
    if (!can_turn(kernel, product)) return std::nullopt;
    loads.insert(product.columns.load);
  }
  if (loads.size() != 1) return std::nullopt;
  TilePlan plan = general;
  plan.is_turned = true;
  for (auto& [axis, role] : plan.roles) role = turned(role);
  for (auto& [dot, product] : plan.products) std::swap(product.rows, product.columns);
  return stores_suit(kernel, sizes, plan) ? std::optional(std::move(plan)) : std::nullopt;
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
