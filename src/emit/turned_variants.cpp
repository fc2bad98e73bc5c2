// SPDX-License-Identifier: Apache-2.0
// See turned_variants.h.
#include "emit/turned_variants.h"

#include <fmt/format.h>

#include <algorithm>

#include "emit/group_products.h"

namespace tessera::emit {

const TilePlan* plan_that_turns(const KernelPlan& plan, ir::ValueId load) {
  const auto found = std::ranges::find_if(plan.tiles, [&](const TilePlan& tiles) {
    return std::ranges::any_of(tiles.products, [&](const auto& entry) {
      return entry.second.rows.is_turned && entry.second.rows.load == load;
    });
  });
  return found == plan.tiles.end() ? nullptr : &*found;
}

const TileFactor* columns_before(const KernelPlan& plan, ir::ValueId load) {
  const TilePlan* own = plan_that_turns(plan, load);
  const auto columns = std::ranges::find(plan.tiles, Turned::columns, &TilePlan::turned);
  if (own == nullptr || own->turned != Turned::rows || columns == plan.tiles.end()) return nullptr;
  return &columns->products.begin()->second.rows;  // which they are there
}

std::string when_to_turn(const ir::Kernel& kernel, const KernelPlan& plan, const TilePlan& tiles,
                         const std::string& tensor, const std::string& extents) {
  const auto function = &tiles - plan.tiles.data();
  const auto is_own = [&](const Variant& variant) { return variant.function == function; };
  const auto first = std::ranges::find_if(plan.phase.variants, is_own) - plan.phase.variants.begin();
  const auto count = std::ranges::count_if(plan.phase.variants, is_own);
  // Threads that sum integers have time to spare; those that add parts of sums have none.
  const bool adds = std::ranges::any_of(tiles.products,
                                        [&](const auto& entry) { return is_promoted(kernel, entry.second); });
  const bool has_words = size_in_bytes(tile_type(kernel, tiles.products.begin()->second.rows)) == 4;
  const char* slowness = adds ? "kTurnsAndAdds" : has_words ? "kTurnsWords" : nullptr;
  if (slowness == nullptr) return fmt::format("may_take(options, {}, {})", first, count);
  return fmt::format("may_turn(options, {}, {}, {}, {}, {{{}}})", first, count, slowness, tensor, extents);
}

}  // namespace tessera::emit
