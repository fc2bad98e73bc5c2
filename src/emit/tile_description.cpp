// SPDX-License-Identifier: Apache-2.0
// What `--emit=plan` says of phases in tiles.
#include <fmt/format.h>

#include <algorithm>

#include "emit/tile_price.h"
#include "emit/tile_shape.h"
#include "emit/tile_variants.h"

namespace tessera::emit {

namespace {

const char* spelling_of(TileRole role) {
  switch (role) {
    case TileRole::row: return "rows of tiles in registers";
    case TileRole::column: return "columns of tiles in registers";
    case TileRole::depth: return "summed over, in shared memory";
  }
  return "";
}

const char* spelling_of(TileFactor::Way way) {
  switch (way) {
    case TileFactor::Way::staged: return "copied to shared memory";
    case TileFactor::Way::registers: return "taken from registers";
    case TileFactor::Way::moved: return "stored from registers to shared memory";
    case TileFactor::Way::computed: return "computed into shared memory";
  }
  return "";
}

/// The variants that have the tiles and warps of a shape.
std::vector<const Variant*> variants_of(const KernelPlan& plan, size_t function, const TileShape& shape) {
  const TilePlan& tiles = plan.tiles[function];
  const auto has = [](const Variant& variant, const std::string& name, int64_t value) {
    const auto argument = variant.arguments.find(name);
    return argument == variant.arguments.end() || argument->second == std::to_string(value);
  };
  std::vector<const Variant*> result;
  for (const Variant& variant : plan.phase.variants) {
    bool is_of_shape = variant.function == static_cast<int>(function) &&
                       has(variant, "kWarpRows", shape.warp_rows) &&
                       has(variant, "kWarpColumns", shape.warp_columns) &&
                       has(variant, "kStages", shape.stages) && has(variant, "kTeams", shape.teams);
    for (const auto& [axis, name] : tiles.extents)
      is_of_shape = is_of_shape && has(variant, name, shape.extent.at(axis));
    if (is_of_shape) result.push_back(&variant);
  }
  return result;
}

/// When the launcher takes a shape: "when …", or "" if nothing is left to say.
std::string condition_of_shape(const KernelPlan& plan, const TilePlan& tiles, const TileShape& shape,
                               const std::vector<const Variant*>& variants) {
  const ir::Kernel& kernel = *plan.kernel;
  std::string condition;
  const auto also = [&](const std::string& term) {
    condition += (condition.empty() ? "when " : " && ") + term;
  };
  for (const auto& [symbol, value] : shape.symbols)
    also(fmt::format("{} == {}", kernel.symbols[symbol].name, value));
  for (const ir::Constraint& term : shape.when) also(term.text);
  if (std::ranges::all_of(variants, [](const Variant* variant) { return variant->few_quarters > 0; }))
    also(fmt::format("larger tiles are for at most {}/4 of the multiprocessors", shape.few_quarters));
  if (tiles.way == TileWay::warpgroups) also("the factors have boxes");
  if (tiles.turned != Turned::none)
    also(fmt::format("lines of {} lie across what is summed over",
                     tiles.turned == Turned::rows ? "rows" : "columns, which are rows of these tiles,"));
  if (variants[0]->rival && !variants[0]->rival->lines.empty())
    also("lines of columns run along what is summed over");
  if (shape.clocks > 0) also(fmt::format("its tiles, {} clocks for 64 terms, are done first", shape.clocks));
  return condition;
}

std::string describe_shapes(const KernelPlan& plan, size_t function, size_t choice) {
  const TilePlan& tiles = plan.tiles[function];
  const bool is_only = plan.tiles.size() == 1 && tiles.shapes.size() == 1;
  std::string text;
  for (const TileShape& shape : tiles.shapes) {
    const std::vector<const Variant*> variants = variants_of(plan, function, shape);
    if (shape.choice != choice || variants.empty()) continue;
    const std::string condition = condition_of_shape(plan, tiles, shape, variants);
    if (!condition.empty() || !is_only)
      text += fmt::format("  {}\n", condition.empty() ? "otherwise" : condition);
    for (const std::string& reason : reasons_of(*plan.kernel, tiles, shape, *plan.target))
      text += "  because " + reason + "\n";
  }
  return text;
}

/// What becomes of products that may be split; "" where there are none.
std::string describe_split(const KernelPlan& plan) {
  const bool is_split = std::ranges::any_of(plan.general_tiles().products,
                                            [](const auto& entry) { return entry.second.is_split; });
  if (!is_split) return "";
  if (plan.tiles.front().has_parts())
    return fmt::format(
        "  f32_split: warpgroups sum {} products of factors in {} parts of bf16, all else multiplies by "
        "fma\n",
        kSplitProducts, kSplitParts);
  return fmt::format("  f32_split: by fma{}\n",
                     plan.target->has(kWarpgroups)
                         ? ""
                         : fmt::format(", because {} has no warpgroups that multiply", plan.target->name));
}

}  // namespace

std::string describe_tiles(const KernelPlan& plan) {
  const ir::Kernel& kernel = *plan.kernel;
  std::string text;
  for (const auto& [axis, role] : plan.general_tiles().roles)
    text += fmt::format("  tile {}: {}\n", kernel.axes[axis].name, spelling_of(role));
  for (const auto& [id, product] : plan.general_tiles().products)
    text +=
        fmt::format("  product %{} in {}: rows {}, columns {}\n", id.index(), product_type(kernel, product),
                    spelling_of(product.rows.way), spelling_of(product.columns.way));
  text += describe_split(plan);
  for (const std::string& member : plan.general_tiles().members) text += "  " + member + "\n";
  if (const std::string& obstacle = plan.general_tiles().obstacle; !obstacle.empty())
    text += fmt::format("  not by warpgroups, because {}\n", obstacle);
  for (size_t choice = 0; choice <= last_choice(plan); ++choice)
    for (size_t function = 0; function < plan.tiles.size(); ++function)
      text += describe_shapes(plan, function, choice);
  for (const Variant& variant : plan.phase.variants) {
    std::string arguments;
    for (const auto& [name, value] : variant.arguments)
      arguments += fmt::format("{}{} = {}", arguments.empty() ? "" : ", ", name, value);
    text += fmt::format("  variant {}: {} threads, {} bytes of shared memory, {}; {}\n", variant.name,
                        variant.threads, variant.shared_bytes, arguments, variant.explanation);
  }
  return text;
}

}  // namespace tessera::emit
