// SPDX-License-Identifier: Apache-2.0
// The plans that are tried; see plan_list.h.
#include "sweep/plan_list.h"

#include <algorithm>
#include <iterator>
#include <map>
#include <random>
#include <regex>
#include <set>
#include <sstream>

#include "sema/ir/expand_products.h"

namespace tessera::sweep {

namespace {

constexpr std::int64_t kTiles[] = {16, 48, 80, 96, 176};
constexpr int kMostWarps = 8;
constexpr int kVectors[] = {1, 2, 4, 8};
constexpr int kFewestStages = 1, kMostStages = 5;
constexpr int kRasters[] = {2, 5};
constexpr int kMostWarpgroups = 3;
constexpr std::size_t kTilesOfSome = 2;  // that are tried along an axis of some kernels only
constexpr std::size_t kLeastPlans = 24;
constexpr std::size_t kLeastCombinations = 6;

/// Axes that kernels of the module have a plan step along, and how many of them.
std::map<std::string, std::size_t> plan_axes(const ir::Module& module) {
  std::map<std::string, std::size_t> kernels;
  for (const ir::Kernel& kernel : module.kernels) {
    std::set<std::string> names;
    for (const ir::Axis& axis : kernel.axes) {
      if (axis.step == ir::StepKind::plan && names.insert(axis.name).second) ++kernels[axis.name];
    }
  }
  return kernels;
}

bool has_products(const ir::Module& module) {
  return std::any_of(module.kernels.begin(), module.kernels.end(), ir::has_products);
}

std::string name_of(const emit::PlanOverrides& overrides) {
  std::string name;
  const auto add = [&](const std::string& key, std::int64_t value) {
    name += (name.empty() ? "" : ",") + key + "=" + std::to_string(value);
  };
  for (const auto& [axis, tile] : overrides.tiles) add("tile." + axis, tile);
  if (overrides.warps) add("warps", *overrides.warps);
  if (overrides.vector) add("vector", *overrides.vector);
  if (overrides.stages) add("stages", *overrides.stages);
  if (overrides.raster) add("raster", *overrides.raster);
  if (overrides.warpgroups) add("warpgroups", *overrides.warpgroups);
  if (overrides.cluster) add("cluster", *overrides.cluster);
  return name.empty() ? "chosen plan" : name;
}

}  // namespace

std::vector<NamedPlan> all_plans(const ir::Module& module) {
  std::vector<NamedPlan> plans;
  std::set<std::string> names;
  const auto add = [&](const emit::PlanOverrides& overrides) {
    std::string name = name_of(overrides);
    if (names.insert(name).second) plans.push_back({std::move(name), overrides});
  };
  add({});
  for (int warps = 1; warps <= kMostWarps; ++warps) add({.warps = warps});
  for (const int vector : kVectors) add({.vector = vector});
  if (has_products(module))
    for (int stages = kFewestStages; stages <= kMostStages; ++stages) add({.stages = stages});
  if (has_products(module))
    for (const int raster : kRasters) add({.raster = raster});
  if (has_products(module))
    for (int groups = 0; groups <= kMostWarpgroups; ++groups) add({.warpgroups = groups});
  if (has_products(module))
    for (int groups = 1; groups <= kMostWarpgroups; ++groups) add({.warpgroups = groups, .cluster = 2});
  std::vector<std::string> common;  // axes that all kernels have
  std::size_t next = 0;
  for (const auto& [axis, kernels] : plan_axes(module)) {
    const bool is_common = kernels == module.kernels.size();
    if (is_common) common.push_back(axis);
    const std::size_t tiles = is_common ? std::size(kTiles) : kTilesOfSome;
    for (std::size_t k = 0; k < tiles; ++k) add({.tiles = {{axis, kTiles[next++ % std::size(kTiles)]}}});
  }
  std::mt19937_64 random(24);
  const std::size_t enough = std::max(kLeastPlans, plans.size() + kLeastCombinations);
  while (plans.size() < enough) {
    emit::PlanOverrides combination;
    for (const std::string& axis : common) combination.tiles[axis] = kTiles[random() % std::size(kTiles)];
    combination.warps = 1 + static_cast<int>(random() % kMostWarps);
    combination.vector = kVectors[random() % std::size(kVectors)];
    add(combination);
  }
  return plans;
}

bool has_axes(const ir::Kernel& kernel, const emit::PlanOverrides& overrides) {
  return std::ranges::all_of(overrides.tiles, [&](const auto& tile) {
    return std::ranges::any_of(kernel.axes, [&](const ir::Axis& axis) {
      return axis.name == tile.first && axis.step == ir::StepKind::plan;
    });
  });
}

std::string annotated(const std::string& text, const ir::Module& module) {
  std::map<std::string, std::set<std::string>> steps;  // of each kernel: those that nothing sets yet
  std::set<std::string> products;                      // kernels whose tiles and warps have to fit each other
  std::set<std::string> by_warpgroups;                 // whose warps are settled
  for (const ir::Kernel& kernel : module.kernels) {
    if (ir::has_products(kernel)) products.insert(kernel.name);
    for (const ir::Request& request : kernel.requests)
      if (request.name == "warpgroups") by_warpgroups.insert(kernel.name);
    std::set<std::string>& names = steps[kernel.name];
    for (const ir::Axis& axis : kernel.axes) {
      if (axis.step == ir::StepKind::plan && !axis.step_name.empty() && axis.step_size == 0)
        names.insert(axis.step_name);
    }
  }
  std::string result;
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) {
    std::smatch match;
    if (std::regex_search(line, match, std::regex("^kernel (\\w+)"))) {
      const bool is_product = products.contains(match[1]);
      if (!by_warpgroups.contains(match[1])) result += is_product ? "@warps(4)\n" : "@warps(3)\n";
      for (const std::string& name : steps[match[1]])
        result += "@tile(" + name + (is_product ? " = 64)\n" : " = 48)\n");
    }
    result += line + "\n";
  }
  return result;
}

std::string without_annotations(const std::string& text) {
  return std::regex_replace(text, std::regex("@\\w+(\\([^)]*\\))?"), "");
}

}  // namespace tessera::sweep
