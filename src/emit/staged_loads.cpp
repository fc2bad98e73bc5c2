// SPDX-License-Identifier: Apache-2.0
// Staged loads and their boxes.
#include "emit/staged_loads.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "base/check.h"
#include "emit/group_products.h"
#include "emit/lower.h"
#include "emit/naming.h"
#include "emit/print.h"
#include "emit/term_shares.h"
#include "emit/tile_lines.h"
#include "emit/tile_plan.h"
#include "emit/turned_variants.h"

namespace tessera::emit {

StagedLoads::StagedLoads(KernelPlan& plan, const TilePlan& tiles)
    : plan_(plan), kernel_(*plan.kernel), tiles_(tiles) {
  for (const TileFactor* factor : tiles_.factors()) {
    const bool is_new = std::ranges::find(loads_, factor->load, &StagedLoad::value) == loads_.end();
    if (factor->way == TileFactor::Way::staged && is_new) loads_.push_back({factor->load, factor});
  }
}

size_t StagedLoads::number_of(ir::ValueId load) const {
  const auto found = std::ranges::find(loads_, load, &StagedLoad::value);
  TESSERA_CHECK(found != loads_.end(), "the load of a staged factor is staged");
  return static_cast<size_t>(found - loads_.begin());
}

ir::TensorId StagedLoads::tensor_id(const StagedLoad& load) const {
  return std::get<ir::Load>(kernel_.values[load.value].op).tensor;
}

std::string StagedLoads::extent_of(ir::AxisId axis) const {
  const ir::SizeId extent = plan_.sizes.subtract(kernel_.axes[axis].upper, kernel_.axes[axis].lower);
  return print(lower_size(kernel_, plan_.sizes, extent));
}

std::vector<std::string> StagedLoads::extents_of_terms(const TileFactor& factor) const {
  std::vector<std::string> extents;
  for (const ir::AxisId axis : axes_of_terms(kernel_, plan_.phase.analysis, tiles_, factor))
    extents.push_back(extent_of(axis));
  return extents;
}

bool StagedLoads::takes_either(const StagedLoad& load) const {
  return !load.factor->lies_as_declared() && has_either_order(tile_type(kernel_, *load.factor));
}

bool StagedLoads::may_turn(const StagedLoad& load) const {
  return plan_that_turns(plan_, load.value) != nullptr && may_lie_along_width(load);
}

bool StagedLoads::may_lie_along_width(const StagedLoad& load) const {
  return begins_at_blocks(kernel_, plan_.sizes, *load.factor, load.factor->width_index,
                          tile_type(kernel_, *load.factor));
}

std::set<size_t> StagedLoads::dimensions_of_lines(const StagedLoad& load) const {
  const TileFactor& factor = *load.factor;
  if (factor.lies_as_declared()) return {factor.ends_with_depth() ? factor.depth_index : factor.width_index};
  if (!may_lie_along_width(load) || (!takes_either(load) && !may_turn(load))) return {factor.depth_index};
  return {factor.width_index, factor.depth_index};
}

std::string StagedLoads::boxes_of(const StagedLoad& load) const {
  const std::set<size_t> dimensions = dimensions_of_lines(load);
  const bool are_shared = std::ranges::all_of(loads_, [&](const StagedLoad& other) {
    return tensor_id(other) != tensor_id(load) || dimensions_of_lines(other) == dimensions;
  });
  return are_shared ? "boxes_of_" + tensor_of(load).name
                    : fmt::format("boxes_along_{}_of_{}", fmt::join(dimensions, "_"), tensor_of(load).name);
}

std::map<std::string, const StagedLoad*> StagedLoads::by_boxes() const {
  std::map<std::string, const StagedLoad*> result;
  const auto count = [&](const StagedLoad& load) { return extents_of_terms(*load.factor).size(); };
  for (const StagedLoad& load : loads_) {
    const auto [entry, is_new] = result.emplace(boxes_of(load), &load);
    if (!is_new && count(load) > count(*entry->second)) entry->second = &load;
  }
  return result;
}

std::string StagedLoads::lie_along(const StagedLoad& load, size_t dimension) const {
  return fmt::format("{}.lie_along({})", boxes_of(load), dimension);
}

std::string StagedLoads::lie_along_depth(const StagedLoad& load) const {
  return lie_along(load, load.factor->depth_index);
}

std::string StagedLoads::have_boxes(const StagedLoad& load) const {
  if (load.factor->is_turned) return lie_along(load, load.factor->width_index);
  return may_turn(load) ? lie_along_depth(load) : boxes_of(load) + ".are_there()";
}

std::string StagedLoads::may_be_turned(const StagedLoad& load) const {
  const std::string condition =
      when_to_turn(kernel_, plan_, *plan_that_turns(plan_, load.value), safe_name(tensor_of(load).name),
                   fmt::format("{}", fmt::join(extents_of_terms(*load.factor), ", ")));
  const TileFactor* columns = columns_before(plan_, load.value);
  return columns ? fmt::format("{} && {}", condition, lie_along_depth({columns->load, columns})) : condition;
}

}  // namespace tessera::emit
