// SPDX-License-Identifier: Apache-2.0
// Prices of tiles: multiply-adds, reads from shared memory and from the second-level cache overlap, so the slowest of
// them counts; a barrier and the wait for a copy that has not arrived come on top.
#include "emit/tile_price.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "emit/group_products.h"
#include "emit/registers.h"
#include "emit/tile_memory.h"
#include "emit/warpgroup_plan.h"

namespace tessera::emit {

namespace {

constexpr double kSharedBytes = 128;     // that a multiprocessor reads of shared memory in a clock
constexpr double kCacheBytes = 47;       // the same of the second-level cache, while all of them read
constexpr double kBarrierClocks = 40;    // of a step
constexpr double kLatencyClocks = 2000;  // from the start of a copy to its arrival, while all others copy
constexpr double kMillion = 1e6;
constexpr int kWorkingRegisters = 56;  // of a thread, beside the tiles
constexpr int kMostBlocks = 32;

/// Multiply-adds of a multiprocessor in a clock.
double rate(const ir::Kernel& kernel, const TileProduct& product) {
  if (product.is_tf32) return 512;
  if (product.rows.in_parts) return 1024.0 / kSplitProducts;
  switch (kernel.values[product.rows.value].dtype) {
    case DType::f32: return 128;
    case DType::f64: return 64;
    case DType::i8:
    case DType::u8:
    case DType::fp8_e4m3:
    case DType::fp8_e5m2: return 2048;
    default: return 1024;
  }
}

constexpr double kGroupSpeed = 2;  // products on chips with warpgroups, of those of a warp each on others
constexpr double kGroupCacheBytes = 85;  // as kCacheBytes, of an engine that copies boxes
constexpr double kRoundClocks = 30;      // of a round that is not hidden behind others, as with teams
constexpr double kWarpAlone = 1.5;       // what a warp takes that reads and multiplies with none beside it
constexpr double kAddedAlone = 150;      // of a round whose products a lone warpgroup awaits and adds up
constexpr double kRivalDepth = 64;       // of what sizes of tiles are compared for

/// What one step of a product takes.
struct Step {
  double terms = 0, clocks = 0;
};

/// How much longer a copy of a factor takes where lines are slow, by blocks in pairs with neighbouring tiles along an axis,
/// which share what is the same for both, or by lone ones.
double slowness(const ir::Kernel& kernel, const TileShape& shape, const TileFactor& factor,
                const std::optional<ir::AxisId>& slow_along) {
  constexpr double kSlow = 2;
  if (!slow_along) return 1;
  return shape.cluster != 1 && is_shared_along(kernel, factor, *slow_along) ? kSlow / 2 : kSlow;
}

Step step_of(const ir::Kernel& kernel, const TilePlan& plan, const TileProduct& product,
             const TileShape& shape, const std::optional<ir::AxisId>& slow_along = std::nullopt) {
  const bool by_groups = plan.way == TileWay::warpgroups;
  const auto rows = static_cast<double>(shape.extent.at(product.rows.width));
  const auto columns = static_cast<double>(shape.extent.at(product.columns.width));
  const auto depth = static_cast<double>(shape.extent.at(product.depth));
  const auto bytes = [&](const TileFactor& factor, double width) {
    return width * depth * size_in_bytes(tile_type(kernel, factor));
  };
  const auto room = [&](const TileFactor& factor) {
    return static_cast<double>(room_along_width(kernel, plan, factor, shape));
  };
  double copied = 0, read = 0;
  // Those of a warpgroup read columns together, but where each multiplies for itself.
  const int readers_of_columns =
      by_groups && !is_by_warps(kernel, product) ? shape.all_groups() : shape.warp_rows;
  for (const auto& [factor, width, readers] : {std::tuple(&product.rows, rows, shape.warp_columns),
                                               std::tuple(&product.columns, columns, readers_of_columns)}) {
    if (factor->way == TileFactor::Way::registers) continue;
    const int tiles = factor->in_parts ? kSplitParts : 1, products = factor->in_parts ? kSplitProducts : 1;
    if (factor->way == TileFactor::Way::staged)
      copied += bytes(*factor, room(*factor)) * tiles * slowness(kernel, shape, *factor, slow_along);
    // Read by each warp (or warpgroup) across, and written by threads, or by an engine that is half as much in the way.
    read += bytes(*factor, width) * (readers * products + (by_groups ? 0.5 : 1) * tiles);
    if (!by_groups || factor->way != TileFactor::Way::computed) continue;
    // The engine brings what threads read and write another tile from.
    read += 0.5 * bytes(*factor, width);
    for (const TileFactor& part : factor->parts) {
      copied += bytes(part, width) * slowness(kernel, shape, part, slow_along);
      read += 1.5 * bytes(part, width);
    }
  }
  const double terms = rows * columns * depth;
  const double speed = rate(kernel, product) * (by_groups ? kGroupSpeed : 1);
  const bool is_alone = by_groups && shape.all_groups() == 1;
  const double products = terms / speed * (is_alone && is_by_warps(kernel, product) ? kWarpAlone : 1);
  const double not_hidden = by_groups && shape.teams == 1 ? kRoundClocks : 0;
  const double added = is_alone && is_promoted(kernel, product) ? kAddedAlone : 0;
  return {terms, added + std::max({products, read / kSharedBytes + not_hidden,
                                   copied / (by_groups ? kGroupCacheBytes : kCacheBytes)})};
}

/// Clocks of a step in which no block of a multiprocessor multiplies. The barriers of one block pass behind the products
/// of the others; so does a copy behind the steps before it, of its own block only if there are several stages.
double waiting(const Step& step, const TileShape& shape, int blocks) {
  const bool is_ahead = shape.stages > 1;
  const int copies = is_ahead ? blocks * (shape.stages - 1) : blocks;  // under way together
  const int barriers = is_ahead ? 1 : 2;
  const double hidden = step.clocks * (is_ahead ? copies : blocks - 1);
  return barriers * kBarrierClocks / blocks + std::max(0.0, kLatencyClocks - hidden) / copies;
}

const char* plural(int count) { return count == 1 ? "" : "s"; }

}  // namespace

Occupancy occupancy(const ir::Kernel& kernel, const TilePlan& plan, const TileShape& shape,
                    const Target& target) {
  Occupancy result;
  if (plan.way == TileWay::warpgroups) return result;  // a block takes all registers
  const int64_t bytes = shape.shared_bytes + bytes_before_tiles(kernel, plan, shape);
  result.by_shared_memory = blocks_in_memory(bytes, target);
  result.by_shifted_memory = blocks_in_memory(bytes + shape.end_bytes, target);
  const int registers =
      std::min(shape.registers + kWorkingRegisters, registers_for_each(shape.threads(), target));
  result.by_registers = target.registers_per_multiprocessor / (shape.threads() * registers);
  result.by_threads = target.threads_per_multiprocessor / shape.threads();
  result.blocks =
      std::clamp(std::min({result.by_shared_memory, result.by_registers, result.by_threads}), 1, kMostBlocks);
  return result;
}

double price(const ir::Kernel& kernel, const TilePlan& plan, const TileShape& shape, const Target& target) {
  const int blocks = occupancy(kernel, plan, shape, target).blocks;
  double terms = 0, clocks = 0;
  for (const auto& [id, product] : plan.products) {
    const Step step = step_of(kernel, plan, product, shape);
    terms += step.terms;
    clocks += step.clocks + waiting(step, shape, blocks);
  }
  return terms > 0 ? clocks / terms * kMillion : 0;
}

bool hides_copies(const ir::Kernel& kernel, const TilePlan& plan, const TileShape& shape, int blocks) {
  double shortest = 0;
  for (const auto& [id, product] : plan.products) {
    const double clocks = step_of(kernel, plan, product, shape).clocks;
    shortest = shortest == 0 ? clocks : std::min(shortest, clocks);
  }
  return shortest * blocks * (shape.stages - 1) >= 2 * kLatencyClocks;
}

namespace {

/// How often a product is computed for 64 coordinates of each axis whose tiles follow one another: that of its terms, where a
/// loop or a walk brings them, and those of loops around it.
double rounds_of_product(const ir::Kernel& kernel, const TileProduct& product, const TileShape& shape) {
  const auto is_loop = [&](ir::AxisId axis) { return kernel.axes[axis].kind == ir::AxisKind::loop; };
  double rounds = 1;
  const auto add = [&](ir::AxisId axis) {
    if (const auto tile = shape.extent.find(axis); tile != shape.extent.end())
      rounds *= kRivalDepth / static_cast<double>(tile->second);
  };
  if (product.has_own_loop || is_loop(product.depth)) add(product.depth);
  for (ir::AxisId axis : kernel.values[product.dot].axes)
    if (is_loop(axis)) add(axis);
  return rounds;
}

}  // namespace

int64_t round_clocks(const ir::Kernel& kernel, const TilePlan& plan, const TileShape& shape,
                     const std::optional<ir::AxisId>& slow_along) {
  double clocks = 0;
  for (const auto& [id, product] : plan.products)
    clocks +=
        step_of(kernel, plan, product, shape, slow_along).clocks * rounds_of_product(kernel, product, shape);
  return static_cast<int64_t>(std::ceil(clocks));
}

std::string clocks_in_launches(const ir::Kernel& kernel, const TilePlan& plan, const TileShape& shape,
                               const std::optional<ir::AxisId>& cluster_axis) {
  const int64_t clocks = round_clocks(kernel, plan, shape);
  const int64_t slow = cluster_axis ? round_clocks(kernel, plan, shape, cluster_axis) : clocks;
  return slow > clocks ? fmt::format("clusters.clocks({}, {})", clocks, slow) : std::to_string(clocks);
}

bool has_raster(const ir::Kernel& kernel, const TilePlan& plan) {
  const std::vector<ir::AxisId>& axes = kernel.grids.at(0).axes;
  return axes.size() >= 2 && plan.is_in_registers(axes[axes.size() - 1]) &&
         plan.is_in_registers(axes[axes.size() - 2]);
}

int best_raster(const ir::Kernel& kernel, const TilePlan& plan, const TileShape& shape,
                const Target& target) {
  const std::vector<ir::AxisId>& axes = kernel.grids.at(0).axes;
  const int64_t rows = shape.extent.at(axes[axes.size() - 2]), columns = shape.extent.at(axes.back());
  const int wave = target.multiprocessors * occupancy(kernel, plan, shape, target).blocks;
  int best = 1;
  int64_t least = rows + columns * wave;
  for (int group = 2; group <= 16; group *= 2) {
    const int64_t read = rows * group + columns * ((wave + group - 1) / group);
    if (read >= least) continue;
    least = read;
    best = group;
  }
  return best;
}

namespace {

std::string reason_of_clusters(const ir::Kernel& kernel, const TilePlan& plan, const TileShape& shape) {
  const char* when = "";
  if (shape.cluster == 0)
    when = shared_columns(kernel, plan)
               ? ", where copies are slow, two tiles have all rows or the last ones few columns"
               : ", where copies are slow or two tiles have all rows";
  return fmt::format(
      "clusters of 2{}: blocks with neighbouring rows of tiles share what they read of columns", when);
}

}  // namespace

std::vector<std::string> reasons_of(const ir::Kernel& kernel, const TilePlan& plan, const TileShape& shape,
                                    const Target& target) {
  const Occupancy held = occupancy(kernel, plan, shape, target);
  std::string tile;
  for (const auto& [axis, extent] : shape.extent)
    tile += fmt::format("{}{} along {}", tile.empty() ? "" : ", ", extent, kernel.axes[axis].name);
  std::vector<std::string> lines;
  lines.push_back(fmt::format("tile {}: {} registers of a thread hold its sums", tile, shape.registers));
  lines.push_back(plan.way == TileWay::warpgroups
                      ? fmt::format("warpgroups {}: they multiply what another one copies{}",
                                    shape.all_groups(), shape.teams > 1 ? ", and take tiles in turn" : "")
                      : fmt::format("warps {} x {}: {:.0f} clocks for a million multiply-adds",
                                    shape.warp_rows, shape.warp_columns, price(kernel, plan, shape, target)));
  if (shape.cluster != 1) lines.push_back(reason_of_clusters(kernel, plan, shape));
  lines.push_back(fmt::format("stages {}: {} of {} bytes of shared memory", shape.stages, shape.shared_bytes,
                              target.shared_memory_per_block));
  const std::string shifted = held.by_shifted_memory < held.by_shared_memory
                                  ? fmt::format(" ({} where lines are shifted)", held.by_shifted_memory)
                                  : "";
  if (plan.way == TileWay::warpgroups)
    lines.push_back("1 block on a multiprocessor: those that multiply take all of its registers");
  else
    lines.push_back(fmt::format(
        "{} block{} on a multiprocessor: shared memory has room for {}{}, registers for {}, threads for {}",
        held.blocks, plural(held.blocks), held.by_shared_memory, shifted, held.by_registers,
        held.by_threads));
  if (has_raster(kernel, plan))
    lines.push_back(
        fmt::format("raster {}: {} row{} of tiles at a time; with {}, {} blocks in flight read the least of "
                    "rows and columns",
                    shape.raster, shape.raster, plural(shape.raster),
                    best_raster(kernel, plan, shape, target), target.multiprocessors * held.blocks));
  else if (shape.raster > 1)
    lines.push_back(
        fmt::format("raster {}: of so many instances at a time, those with most rounds first", shape.raster));
  return lines;
}

}  // namespace tessera::emit
