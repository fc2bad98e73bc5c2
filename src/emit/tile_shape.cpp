// SPDX-License-Identifier: Apache-2.0
// The numbers of the variants of a phase in tiles.
#include "emit/tile_shape.h"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>

#include "emit/plan_extents.h"
#include "emit/plan_requests.h"
#include "emit/registers.h"
#include "emit/tile_lines.h"
#include "emit/tile_live.h"
#include "emit/tile_memory.h"
#include "emit/tile_price.h"
#include "sema/ir/extents.h"

namespace tessera::emit {

namespace {

constexpr int kWarpBlockRows = 16, kWarpBlockColumns = 8;
constexpr int kFewWarps = 4, kManyWarps = 8;
constexpr int64_t kDepthBytes = 128;       // of a line along the depth, where nothing is asked for
constexpr int64_t kWidth = 128;            // of a tile in registers, where nothing is asked for
constexpr int64_t kLoopWidth = 64;         // the same of columns that a loop brings
constexpr int64_t kSumRegisters = 192;     // of a thread, for tiles that a request fixes
constexpr int64_t kOfWidening = 40;        // of a thread, to make f16 of fp8
constexpr int64_t kTileRegisters = 224;    // the same with what is read of factors, where that is our choice
constexpr int64_t kAddressRegisters = 31;  // of a thread, at least, that tiles leave for all else
constexpr int64_t kWorthOfWarp = 100000;   // in places that a warp reads of factors
constexpr int64_t kManyWarpsWorth = 1000 * kWorthOfWarp;
constexpr int64_t kLeastTile = 64;       // what is shrunk for a second block on a multiprocessor
constexpr int64_t kLeastLoopWidth = 32;  // of columns that a loop brings
constexpr int64_t kComputedBytes = 8;    // what takes as long to bring as an element takes to compute
constexpr int64_t kLeastSmall = 32;      // of its extents
constexpr int kMostStages = 4, kDepthStages = 3, kFewestStages = 2;
constexpr int64_t kLeastLineBytes = 64;  // of what a loop brings of a line

int64_t round_up(int64_t n, int64_t multiple) { return (n + multiple - 1) / multiple * multiple; }

class ShapeChooser {
 public:
  ShapeChooser(const ir::Kernel& kernel, ir::SizeTable& sizes, const Target& target,
               const PlanOverrides& overrides, TilePlan& plan)
      : kernel_(kernel), sizes_(sizes), target_(target), overrides_(overrides), plan_(plan) {}

  std::string run() {
    plan_.shifts = can_shift();
    const std::optional<ir::SymbolId> choice = listed_symbol();
    if (!choice) {
      std::string reason = add_shape({});
      if (reason.empty()) add_small_shape();
      return reason;
    }
    for (int64_t value : kernel_.symbols[*choice].allowed) {
      std::string reason = add_shape({{*choice, value}});
      if (!reason.empty()) return reason;
    }
    return "";
  }

  /// Half as much of each axis of the grid that nothing fixes.
  std::optional<TileShape> half_of(TileShape shape) {
    TileShape known = shape;
    for (const auto& [axis, role] : plan_.roles)
      if (!choose_extent(axis, known).empty()) return std::nullopt;
    if (halve_grid(shape) == 0 || !choose_warps(shape, kFewWarps) || !share_memory(shape, 2))
      return std::nullopt;
    shape.registers = static_cast<int>(registers(shape));
    return shape;
  }

 private:
  /// A symbol with few values that is the extent of a tile: each gets code of its own.
  std::optional<ir::SymbolId> listed_symbol() const {
    constexpr size_t kMostValues = 3;
    for (const auto& [axis, role] : plan_.roles) {
      const ir::Axis& entry = kernel_.axes[axis];
      if (entry.kind != ir::AxisKind::let || !entry.dimension) continue;
      const size_t values = kernel_.symbols[*entry.dimension].allowed.size();
      if (values > 1 && values <= kMostValues) return *entry.dimension;
    }
    return std::nullopt;
  }

  std::string add_shape(std::map<ir::SymbolId, int64_t> symbols) {
    TileShape shape;
    shape.symbols = std::move(symbols);
    for (const auto& [axis, role] : plan_.roles) {
      std::string reason = choose_extent(axis, shape);
      if (!reason.empty()) return reason;
    }
    std::string reason = search(shape);
    if (!reason.empty()) return reason;
    shape.registers = static_cast<int>(registers(shape));
    plan_.shapes.push_back(std::move(shape));
    return "";
  }

  /// Half as much of each axis, for launches that would leave multiprocessors idle: unless something is asked for. Halves
  /// of a tile keep a multiprocessor busier than one whole; quarters read so much more that a few must be idle.
  void add_small_shape() {
    const auto& requests = kernel_.grids.at(0).requests;
    const bool is_asked = !overrides_.tiles.empty() || overrides_.warps || overrides_.stages ||
                          overrides_.raster || overrides_.warpgroups || overrides_.cluster ||
                          !requests.empty() || !kernel_.requests.empty() || kernel_.tuning;
    const bool is_free = std::ranges::all_of(plan_.roles, [&](const auto& entry) {
      return is_in_loop(entry.first) || free_.contains(entry.first);
    });
    if (is_asked || !is_free) return;
    std::optional<TileShape> small = half_of(plan_.shapes.back());
    if (!small) return;
    TileShape counted = plan_.shapes.back();
    small->few_quarters = halve_grid(counted) == 1 ? 4 : 3;
    plan_.shapes.insert(plan_.shapes.end() - 1, *std::move(small));
  }
  int halve_grid(TileShape& shape) const {
    int halved = 0;
    for (ir::AxisId axis : free_) {
      const int64_t half = shape.extent.at(axis) / 2;
      if (is_in_loop(axis) || half % unit_of(axis) != 0 || half < kLeastSmall) continue;
      shape.extent.at(axis) = half;
      ++halved;
    }
    return halved;
  }

  /// Blocks of four warps, two of which share a multiprocessor, so that one multiplies while the other waits at a
  /// barrier or computes; with tiles as large as its registers allow, since large tiles are read least often.
  /// Where that is impossible one block of up to eight warps.
  std::string search(TileShape& shape) {
    const TileShape wanted = shape;
    const int most = requested_warps(kernel_, overrides_).value_or(kFewWarps);
    for (shape = wanted;;) {
      if (choose_warps(shape, most) && has_registers(shape) && share_memory(shape, most <= kFewWarps ? 2 : 1))
        return "";
      if (!shrink(shape, kLeastTile)) break;
    }
    std::string reason;
    for (shape = wanted; !(reason = fit(shape)).empty();)
      if (!shrink(shape, kWarpBlockRows)) return reason;
    return "";
  }

  int64_t size_of(const TileFactor& factor) const {
    return size_in_bytes(kernel_.values[factor.value].dtype);
  }

  /// Of an element of a factor, or of a narrower tensor that it is computed from.
  int64_t narrowest_size(const TileFactor& factor) const {
    int64_t bytes = size_of(factor);
    for (const TileFactor& part : factor.parts) bytes = std::min(bytes, size_of(part));
    return bytes;
  }

  /// What the extent of a tile along an axis is a multiple of.
  int64_t unit_of(ir::AxisId axis) const {
    int64_t unit = 1;
    for (const auto& [id, product] : plan_.products) {
      for (const TileFactor* factor : {&product.rows, &product.columns}) {
        const int64_t line = kLineBytes / narrowest_size(*factor);
        if (factor->depth == axis)
          unit = std::lcm(
              unit, std::lcm(line, depth_of_tiles(kernel_.values[factor->value].dtype, product.is_tf32)));
        if (factor->width == axis) unit = std::lcm(unit, plan_.role(axis) == TileRole::row ? 16 : 8);
      }
    }
    for (const auto& [id, fold] : plan_.folds)
      for (const TileFactor& part : fold.parts)
        if (part.depth == axis) unit = std::lcm(unit, kLineBytes / size_of(part));
    return unit;
  }

  /// What whole lines are a multiple of, where those of a factor run along this width: shorter ones could not be copied.
  int64_t line_unit(ir::AxisId axis) const {
    int64_t unit = 1;
    for (const TileFactor* factor : plan_.factors()) {
      const bool is_along_lines = factor->way == TileFactor::Way::staged && factor->width == axis &&
                                  factor->width_index > factor->depth_index;
      if (is_along_lines) unit = std::lcm(unit, kLineBytes / size_of(*factor));
    }
    return unit;
  }

  std::string choose_extent(ir::AxisId axis, TileShape& shape) {
    const int64_t unit = unit_of(axis);
    const ir::Axis& entry = kernel_.axes[axis];
    const int64_t fixed = fixed_tile(kernel_, overrides_, axis);
    int64_t& extent = shape.extent[axis];
    if (entry.kind != ir::AxisKind::let && fixed > 0) {
      extent = fixed;
      if (fixed % unit != 0)
        return fmt::format("a tile of {} along `{}` is no multiple of {}", fixed, entry.name, unit);
      if (fixed > kLongestTile)
        return fmt::format("a tile of {} along `{}` is longer than {}", fixed, entry.name, kLongestTile);
      return "";
    }
    if (const auto whole = extent_of(axis, shape); whole && entry.kind == ir::AxisKind::let) {
      const bool is_long = *whole > 2 * kWidth;  // as long as an integer can say: it cannot be rounded up
      if (!is_long) extent = round_up(std::max<int64_t>(*whole, 1), std::lcm(unit, line_unit(axis)));
      return !is_long && extent <= 2 * kWidth ? "" : fmt::format("`{}` is too long for one tile", entry.name);
    }
    free_.insert(axis);
    extent = round_up(default_extent(axis), unit);
    return "";
  }

  std::optional<int64_t> extent_of(ir::AxisId axis, const TileShape& shape) {
    const ir::Axis& entry = kernel_.axes[axis];
    if (entry.dimension)
      if (const auto found = shape.symbols.find(*entry.dimension); found != shape.symbols.end())
        return found->second;
    return ir::greatest_extent(kernel_, sizes_, axis);
  }

  int64_t default_extent(ir::AxisId axis) const {
    int64_t extent = kWidth;
    for (const auto& [id, product] : plan_.products) {
      const int64_t line = kDepthBytes / std::max(size_of(product.rows), size_of(product.columns));
      if (product.depth == axis && plan_.role(axis) == TileRole::depth) extent = std::min(extent, line);
    }
    const bool in_loop = kernel_.axes[axis].kind == ir::AxisKind::loop;
    return plan_.role(axis) == TileRole::column && in_loop && !brings_rows_again(axis) ? kLoopWidth : extent;
  }

  /// Whether the rows of a product come in a ring of their own for each tile of columns of a loop: then few columns at a
  /// time read them more often.
  bool brings_rows_again(ir::AxisId columns) const {
    return std::ranges::any_of(plan_.products, [&](const auto& entry) {
      const TileProduct& product = entry.second;
      return product.columns.width == columns && plan_.role(product.depth) == TileRole::depth &&
             product.rows.in_ring;
    });
  }

  // ---- warps, registers, shared memory ----

  std::string fit(TileShape& shape) {
    if (!choose_warps(shape, kManyWarps)) return warps_reason(shape);
    const int64_t room = register_room(shape, kSumRegisters);
    if (registers(shape) > room)
      return fmt::format(
          "the tiles would take {} registers of a thread, and {} are there for them{}", registers(shape),
          room, room < kSumRegisters ? fmt::format(" in blocks of {} threads", shape.threads()) : "");
    return share_memory(shape, 1) ? "" : memory_reason(shape);
  }

  /// Whether a thread can hold its parts of the tiles and what it reads of factors: for a step, and for the next.
  bool has_registers(const TileShape& shape) const {
    return registers(shape) + 2 * step_registers(kernel_, plan_, shape) + widening_registers() <=
           register_room(shape, kTileRegisters);
  }

  /// Of a thread that widens factors of fp8 beside its sums.
  int64_t widening_registers() const {
    const bool widens = std::ranges::any_of(plan_.factors(), [&](const TileFactor* factor) {
      return std::ranges::any_of(factor->parts, [&](const TileFactor& part) {
        const DType type = kernel_.values[part.load].dtype;
        return type == DType::fp8_e4m3 || type == DType::fp8_e5m2;
      });
    });
    return widens ? kOfWidening : 0;
  }

  /// For tiles, of at most `most`: many threads have few registers each.
  int64_t register_room(const TileShape& shape, int64_t most) const {
    return std::min(most, registers_for_each(shape.threads(), target_) - kAddressRegisters);
  }

  std::string memory_reason(const TileShape& shape) const {
    constexpr const char* kExchanged = "what warps exchange of rows and columns";
    const int64_t own = static_bytes(kernel_, plan_, shape);
    if (own > kMostStaticBytes)
      return fmt::format("{} would take {} bytes of shared memory, and {} are there for it", kExchanged, own,
                         kMostStaticBytes);
    const std::string beside = own > 0 ? fmt::format(" beside {} for {}", own, kExchanged) : "";
    return fmt::format(
        "{} stages of the factors' tiles would take {} bytes of shared memory{}, and {} has {}", shape.stages,
        shape.shared_bytes + shape.end_bytes, beside, target_.name, target_.shared_memory_per_block);
  }

  std::string warps_reason(const TileShape& shape) const {
    std::string tiles;
    for (const auto& [axis, role] : plan_.roles)
      if (role != TileRole::depth)
        tiles += fmt::format("{}{} along `{}`", tiles.empty() ? "" : " and ", shape.extent.at(axis),
                             kernel_.axes[axis].name);
    return fmt::format("{} warps cannot share tiles of {} in blocks of {} x {}",
                       requested_warps(kernel_, overrides_).value_or(1), tiles, kWarpBlockRows,
                       kWarpBlockColumns);
  }

  /// As many stages as `blocks` blocks on a multiprocessor have room for, and no more than hide their copies. Where that
  /// is fewer than wanted, what a loop brings at a time is halved, if another block is to be had for it.
  bool share_memory(TileShape& shape, int blocks) {
    const std::optional<int> wanted = requested_stages(kernel_, overrides_);
    shape.are_stages_asked_for = wanted.has_value();
    const int most = wanted.value_or(kMostStages);
    const int fewest = wanted.value_or(blocks > 1 && has_depth_ring() ? kDepthStages : kFewestStages);
    for (TileShape attempt = shape;;) {
      for (attempt.stages = most; attempt.stages >= fewest; --attempt.stages) {
        measure(attempt);
        if (!has_room(attempt, blocks)) continue;
        if (!wanted) leave_spare_stages(attempt, blocks);
        shape = std::move(attempt);
        return true;
      }
      if (blocks > 1 && shrink_loops(attempt)) continue;
      shape.stages = fewest;
      measure(shape);
      return false;
    }
  }

  /// Takes away stages that hide nothing more.
  void leave_spare_stages(TileShape& shape, int blocks) {
    for (TileShape fewer = shape; fewer.stages > kDepthStages; shape = fewer) {
      --fewer.stages;
      if (!hides_copies(kernel_, plan_, fewer, blocks)) break;
      measure(fewer);
    }
  }

  void measure(TileShape& shape) const {
    shape.shared_bytes = static_cast<int>(tile_bytes(kernel_, plan_, shape));
    shape.end_bytes = static_cast<int>(end_bytes(kernel_, plan_, shape));
  }
  bool has_room(const TileShape& shape, int blocks) const {
    const int64_t own = static_bytes(kernel_, plan_, shape);
    const int64_t before = bytes_before_tiles(kernel_, plan_, shape);
    const int64_t all = before + shape.shared_bytes + shape.end_bytes;
    return own <= kMostStaticBytes && all <= target_.shared_memory_per_block &&
           (blocks == 1 || blocks_in_memory(before + shape.shared_bytes, target_) >= blocks);
  }

  /// A ring whose tiles are used up by one product needs more of them under way, but where factors are computed first.
  bool has_depth_ring() const {
    const auto is_computed = [](const TileFactor& factor) { return factor.way == TileFactor::Way::computed; };
    return std::ranges::any_of(plan_.products, [&](const auto& entry) {
      const TileProduct& product = entry.second;
      return product.rows.in_ring && plan_.role(product.depth) == TileRole::depth &&
             !is_computed(product.columns);
    });
  }

  /// Halves the longest tile that nothing fixes; before all others the columns that a loop brings, of which few at a time
  /// are read as often as many.
  bool shrink(TileShape& shape, int64_t least) {
    ir::AxisId longest;
    const auto length = [&](ir::AxisId axis) {
      const bool is_brought = is_in_loop(axis) && shape.extent.at(axis) > kLeastLoopWidth;
      TileShape half = shape;
      half.extent.at(axis) /= 2;
      return std::pair(shape.extent.at(axis) + (is_brought ? kWidth * kWidth : 0), -step_effort(half));
    };
    for (ir::AxisId axis : free_) {
      if (plan_.role(axis) == TileRole::depth && least > kWarpBlockRows) continue;
      const bool halves = shape.extent.at(axis) / 2 % unit_of(axis) == 0;
      if (halves && (!longest.valid() || length(axis) > length(longest))) longest = axis;
    }
    if (!longest.valid()) return false;
    const int64_t limit = is_in_loop(longest) ? std::min(least, kLeastLoopWidth) : least;
    if (shape.extent.at(longest) <= limit) return false;
    shape.extent.at(longest) /= 2;
    return true;
  }

  /// What all products bring and compute for one place of their depth, in bytes of shared memory.
  int64_t step_effort(const TileShape& shape) const {
    int64_t sum = 0;
    for (const TileFactor* factor : plan_.factors_with_own_tiles()) {
      const bool is_computed = factor->way == TileFactor::Way::computed;
      sum += shape.extent.at(factor->width) * (size_of(*factor) + (is_computed ? kComputedBytes : 0));
    }
    return sum;
  }

  bool is_in_loop(ir::AxisId axis) const { return kernel_.axes[axis].kind != ir::AxisKind::grid; }

  /// Halves what a loop brings at a time, not below what memory delivers at once.
  bool shrink_loops(TileShape& shape) {
    ir::AxisId longest;
    for (ir::AxisId axis : free_) {
      const bool halves = shape.extent.at(axis) / 2 % unit_of(axis) == 0;
      const bool is_depth = plan_.role(axis) == TileRole::depth;
      const int64_t bytes = shape.extent.at(axis) * (is_depth ? depth_bytes(axis) : 2);
      if (!is_in_loop(axis) || !halves || bytes <= kLeastLineBytes) continue;
      if (!longest.valid() || shape.extent.at(axis) > shape.extent.at(longest)) longest = axis;
    }
    if (longest.valid()) shape.extent.at(longest) /= 2;
    return longest.valid();
  }

  /// Of an element of the factors that are summed along an axis.
  int64_t depth_bytes(ir::AxisId axis) const {
    int64_t bytes = 1;
    for (const auto& [id, product] : plan_.products)
      if (product.depth == axis) bytes = std::max({bytes, size_of(product.rows), size_of(product.columns)});
    return bytes;
  }

  bool divides(const TileShape& shape, int rows, int columns) const {
    return std::ranges::all_of(plan_.roles, [&](const auto& entry) {
      const int64_t extent = shape.extent.at(entry.first);
      if (entry.second == TileRole::row) return extent % (kWarpBlockRows * rows) == 0;
      return entry.second == TileRole::depth || extent % (kWarpBlockColumns * columns) == 0;
    });
  }

  /// Whether so many warps have registers for their parts of the tiles, and a function may declare what they leave for
  /// each other.
  bool can_be_split(const TileShape& shape, int rows, int columns) const {
    TileShape split = shape;
    split.warp_rows = rows;
    split.warp_columns = columns;
    return registers(split) <= register_room(split, kSumRegisters) && has_registers(split) &&
           static_bytes(kernel_, plan_, split) <= kMostStaticBytes;
  }

  /// The fewest reads of shared memory for a multiplication, that is the largest and squarest parts of warps.
  bool choose_warps(TileShape& shape, int most) const {
    const std::optional<int> wanted = requested_warps(kernel_, overrides_);
    const bool whole_rows = std::ranges::any_of(plan_.products, [](const auto& entry) {
      return entry.second.rows.way == TileFactor::Way::registers;
    });
    std::optional<int64_t> best;
    for (int rows = 1; rows <= wanted.value_or(most); ++rows) {
      for (int columns = 1; rows * columns <= wanted.value_or(most); ++columns) {
        if ((wanted && rows * columns != *wanted) || (whole_rows && columns > 1)) continue;
        if (!divides(shape, rows, columns)) continue;
        const int64_t worth = int64_t{rows} * columns * kWorthOfWarp - perimeter(shape, rows, columns) -
                              (can_be_split(shape, rows, columns) ? 0 : kManyWarpsWorth);
        if (best && worth <= *best) continue;
        best = worth;
        shape.warp_rows = rows;
        shape.warp_columns = columns;
      }
    }
    return best.has_value();
  }

  /// What a warp reads of both factors for a step, of all products.
  int64_t perimeter(const TileShape& shape, int rows, int columns) const {
    int64_t sum = 0;
    for (const auto& [id, product] : plan_.products)
      sum += shape.extent.at(product.rows.width) / rows + shape.extent.at(product.columns.width) / columns;
    return sum;
  }

  int64_t registers(const TileShape& shape) const { return tile_registers(kernel_, plan_, live_, shape); }

  /// Lines of tensors may begin anywhere, not only of tensors with gaps, and neighbours along them are neighbours in
  /// memory.
  bool can_shift() const {
    std::vector<const TileFactor*> staged = plan_.factors();
    std::erase_if(staged, [](const TileFactor* f) { return f->way != TileFactor::Way::staged; });
    return std::ranges::all_of(staged,
                               [&](const TileFactor* f) { return steps_by_one(kernel_, sizes_, *f); }) &&
           !std::ranges::all_of(
               staged, [&](const TileFactor* f) { return is_aligned_if_dense(kernel_, sizes_, *f); });
  }

  const ir::Kernel& kernel_;
  ir::SizeTable& sizes_;
  const Target& target_;
  const PlanOverrides& overrides_;
  TilePlan& plan_;
  const std::vector<std::vector<LiveTile>> live_ = live_tiles(kernel_, plan_);
  AxisSet free_;  // axes whose extent is the planner's choice
};

}  // namespace

int64_t instruction_depth(DType factor, bool is_tf32) {
  if (is_tf32) return 8;
  if (factor == DType::f32) return 2;
  if (factor == DType::f64) return 8;
  return 32 / size_in_bytes(factor);
}

int64_t depth_of_tiles(DType factor, bool is_tf32) {
  return factor == DType::f64 ? 16 : instruction_depth(factor, is_tf32);
}

std::string choose_shapes(const ir::Kernel& kernel, ir::SizeTable& sizes, const Target& target,
                          const PlanOverrides& overrides, TilePlan& plan) {
  return ShapeChooser(kernel, sizes, target, overrides, plan).run();
}

std::optional<TileShape> half_of(const ir::Kernel& kernel, ir::SizeTable& sizes, const Target& target,
                                 const PlanOverrides& overrides, TilePlan& plan, const TileShape& shape) {
  return ShapeChooser(kernel, sizes, target, overrides, plan).half_of(shape);
}

}  // namespace tessera::emit
