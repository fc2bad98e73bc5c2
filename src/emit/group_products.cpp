// SPDX-License-Identifier: Apache-2.0
// See group_products.h.
#include "emit/group_products.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "emit/tile_live.h"
#include "sema/ir/statements.h"

namespace tessera::emit {

bool has_either_order(DType factor) { return size_in_bytes(factor) == 2 || factor == DType::f64; }

bool is_by_warps(const ir::Kernel& kernel, const TileProduct& product) {
  return kernel.values[product.rows.value].dtype == DType::f64;
}

bool has_products_by_warps(const ir::Kernel& kernel, const TilePlan& plan) {
  return std::ranges::any_of(plan.products,
                             [&](const auto& entry) { return is_by_warps(kernel, entry.second); });
}

bool is_promoted(const ir::Kernel& kernel, const TileProduct& product) {
  return product.rows.in_parts || is_fp8(kernel.values[product.rows.value].dtype);
}

bool is_done_at_once(const ir::Kernel& kernel, const TileProduct& product) {
  return is_promoted(kernel, product) || is_by_warps(kernel, product);
}

bool takes_turns_with_products(const ir::Kernel& kernel, const std::map<ir::ValueId, int>& uses,
                               const TilePlan& plan) {
  std::set<ir::ValueId> added;
  ir::for_each_statement(kernel.grids.at(0).body, [&](const ir::Statement& statement) {
    const auto* assign = std::get_if<ir::Assign>(&statement.node);
    if (const auto dot = assign ? product_summand(kernel, uses, *assign) : std::nullopt) added.insert(*dot);
  });
  return std::ranges::any_of(plan.products, [&](const auto& entry) {
    const TileProduct& product = entry.second;
    const bool is_computed = !product.rows.parts.empty() || !product.columns.parts.empty();
    return is_computed && !product.has_own_loop && !added.contains(product.dot);
  });
}

std::string header_of_instructions(const ir::Kernel& kernel, const TileProduct& product) {
  if (is_by_warps(kernel, product)) return "tessera/mma.h";
  const DType type = tile_type(kernel, product.rows);
  const std::string_view name = product.rows.in_parts ? "bf16"
                                : product.is_tf32     ? "tf32"
                                : is_fp8(type)        ? "fp8"
                                : is_integer(type)    ? "int8"
                                                      : spelling(type);
  return fmt::format("tessera/wgmma/{}.h", name);
}

}  // namespace tessera::emit
