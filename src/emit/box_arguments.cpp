// SPDX-License-Identifier: Apache-2.0
// See box_arguments.h.
#include "emit/box_arguments.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <set>

#include "emit/lower.h"
#include "emit/naming.h"
#include "emit/warpgroup_plan.h"

namespace tessera::emit {

namespace {

using lowered::Expr;

Expr cluster() { return lowered::name(kCluster, DType::index); }

Expr map(const std::string& tensor, size_t line, size_t position, const std::string& span,
         const Expr& lines) {
  return lowered::call(fmt::format("{}.map<{}, {}{}>", tensor, line, position, span), {lines}, DType::index);
}

/// ", 64" where boxes bring 64 bytes of each line of a tile that threads read; "" where they bring 128.
std::string span_of_line(int64_t bytes) { return bytes % 128 == 0 ? "" : bytes % 64 == 0 ? ", 64" : ", 32"; }

}  // namespace

Expr BoxArguments::argument(const StagedLoad& load, const TileShape& shape) const {
  const TileFactor& factor = *load.factor;
  const std::string tensor = loads_.boxes_of(load);
  if (factor.lies_as_declared()) {
    const std::string span = span_of(factor, shape);
    return factor.ends_with_depth()
               ? map(tensor, factor.width_index, factor.depth_index, span, lines_along_k(factor, shape))
               : map(tensor, factor.depth_index, factor.width_index, span, lines_across_k(factor, shape));
  }
  if (factor.is_turned)
    return map(tensor, factor.depth_index, factor.width_index, span_across(factor, shape),
               extent_of(factor.depth, shape));
  std::vector<Expr> arguments{lowered::name(tensor, DType::index), lines_along_k(factor, shape)};
  if (loads_.takes_either(load)) arguments.push_back(lines_across_k(factor, shape));
  return lowered::call(fmt::format("factor_boxes<{}, {}>", factor.width_index, factor.depth_index), arguments,
                       DType::index);
}

Expr BoxArguments::cluster_of(const TileShape& shape) const {
  if (shape.cluster != 0) return shape.cluster == 1 ? nullptr : lowered::integer(shape.cluster);
  std::vector<Expr> extents{extent_of(rows_of_clusters(), shape)};
  if (const auto columns = shared_columns(kernel_, tiles_)) extents.push_back(extent_of(*columns, shape));
  return lowered::call("clusters", extents, DType::index);
}

bool BoxArguments::launches_choose_clusters() const {
  return std::ranges::any_of(tiles_.shapes, [](const TileShape& shape) { return shape.cluster == 0; });
}

std::string BoxArguments::declare_clusters() const {
  std::set<std::string> slow;
  for (const StagedLoad& load : loads_) slow.insert(loads_.boxes_of(load) + ".is_slow()");
  const auto columns = shared_columns(kernel_, tiles_);
  return fmt::format("const Clusters clusters({}, {}{});", loads_.extent_of(rows_of_clusters()),
                     fmt::join(slow, " || "), columns ? ", " + loads_.extent_of(*columns) : "");
}

ir::AxisId BoxArguments::rows_of_clusters() const { return *cluster_axis(kernel_, plan_.sizes, tiles_); }

// The template's name for it, or the number where it has none.
Expr BoxArguments::extent_of(ir::AxisId axis, const TileShape& shape) const {
  const auto name = tiles_.extents.find(axis);
  return name == tiles_.extents.end() ? lowered::integer(shape.extent.at(axis))
                                      : lowered::name(name->second, DType::index);
}

bool BoxArguments::is_brought_by_cluster(const TileFactor& factor, const TileShape& shape) const {
  const auto axis = cluster_axis(kernel_, plan_.sizes, tiles_);
  return axis && is_shared_along(kernel_, factor, *axis) && cluster_of(shape) != nullptr;
}

Expr BoxArguments::lines_along_k(const TileFactor& factor, const TileShape& shape) const {
  const ir::Axis& width = kernel_.axes[factor.width];
  std::vector<Expr> arguments{
      extent_of(factor.width, shape),
      lower_size(kernel_, plan_.sizes, plan_.sizes.subtract(width.upper, width.lower))};
  if (is_brought_by_cluster(factor, shape)) arguments.push_back(cluster());
  const bool may_be_cut = tiles_.cut.contains(factor.load);
  return lowered::call(may_be_cut ? "lines_of_boxes" : "lines_of_any_box", arguments, DType::index);
}

Expr BoxArguments::lines_across_k(const TileFactor& factor, const TileShape& shape) const {
  const Expr lines = extent_of(factor.depth, shape);
  return is_brought_by_cluster(factor, shape) ? lowered::binary("/", lines, cluster(), DType::index) : lines;
}

std::string BoxArguments::span_of(const TileFactor& source, const TileShape& shape) const {
  return span_of_line(shape.extent.at(axis_of_lines(kernel_, source)) *
                      size_in_bytes(tile_type(kernel_, source)));
}

std::string BoxArguments::span_across(const TileFactor& turned, const TileShape& shape) const {
  return span_of_line(shape.extent.at(turned.width) * size_in_bytes(tile_type(kernel_, turned)));
}

}  // namespace tessera::emit
