// SPDX-License-Identifier: Apache-2.0
// See tile_memory.h.
#include "emit/tile_memory.h"

#include <algorithm>
#include <set>

#include "emit/group_products.h"
#include "emit/reductions.h"

namespace tessera::emit {

namespace {

constexpr int64_t kChunkBytes = 16;  // of one copy, and what arrays begin at multiples of
constexpr int64_t kTileAlignment = 1024;
constexpr int64_t kPanelBytes = 128;  // of a line, that one box brings
constexpr int64_t kBuffers =
    2;  // that reductions alternate between, and tiles that are computed for warpgroups

int64_t round_up(int64_t n, int64_t multiple) { return (n + multiple - 1) / multiple * multiple; }

int64_t element_bytes(const ir::Kernel& kernel, const TileFactor& factor) {
  return size_in_bytes(tile_type(kernel, factor));
}

/// Narrow floats are computed with and exchanged as f32.
DType held_type(DType type) { return is_narrow_float(type) ? DType::f32 : type; }

/// What warps leave for each other: reductions that agree in all of this share one array.
struct Exchange {
  bool is_of_rows = true;
  ir::AxisId kept, folded;  // `kept` is not valid where all rows (columns) have the same result
  DType type = DType::f32;
  int64_t position_bytes = 0;  // of where a value was found, which stands beside it

  auto operator<=>(const Exchange&) const = default;
};

class Exchanges {
 public:
  Exchanges(const ir::Kernel& kernel, const TilePlan& plan) : kernel_(kernel), plan_(plan) {
    for (ir::ValueId id : plan.anchored)
      if (const auto* reduce = std::get_if<ir::Reduce>(&kernel.values[id].op)) add(id, *reduce);
  }

  int64_t bytes(const TileShape& shape) const {
    int64_t sum = 0;
    for (const Exchange& entry : all_) {
      const int64_t warps = entry.is_of_rows ? shape.warp_columns : shape.warp_rows;
      const int64_t bytes = size_in_bytes(entry.type);
      const int64_t size = entry.position_bytes > 0 ? 2 * std::max(bytes, entry.position_bytes) : bytes;
      if (warps > 1) sum += round_up(kBuffers * warps * length(entry, shape) * size, kChunkBytes);
    }
    return sum;
  }

 private:
  void add(ir::ValueId id, const ir::Reduce& reduce) {
    const ir::Value& value = kernel_.values[id];
    const auto role = plan_.role(reduce.axes[0]);
    if (!role || first_coordinate(kernel_, id)) return;
    if (plan_.way == TileWay::warpgroups && plan_.folds.contains(id)) return;  // see bytes_of_lines
    const auto kept =
        std::ranges::find_if(value.axes, [&](ir::AxisId axis) { return plan_.is_in_registers(axis); });
    const bool is_scalar = kept == value.axes.end();
    const bool of_rows = is_scalar ? *role == TileRole::column : plan_.role(*kept) == TileRole::row;
    // Along a tile in registers positions are ints, counted from its beginning.
    const int64_t position_bytes = !is_argument(reduce.op) ? 0 : plan_.folds.contains(id) ? 8 : 4;
    const DType type = held_type(position_bytes > 0 ? kernel_.values[reduce.operand].dtype : value.dtype);
    const Exchange entry{of_rows, is_scalar ? ir::AxisId{} : *kept, reduce.axes[0], type, position_bytes};
    all_.insert(entry);
    if (!value.total)
      all_.insert({of_rows, entry.kept, entry.folded, DType::boolean, 0});  // whether it exists
  }

  /// Of rows (columns) of the tile; of the longest where the result does not say which.
  int64_t length(const Exchange& entry, const TileShape& shape) const {
    if (entry.kept.valid()) return shape.extent.at(entry.kept);
    int64_t longest = 0;
    for (const auto& [axis, role] : plan_.roles)
      if (role == (entry.is_of_rows ? TileRole::row : TileRole::column))
        longest = std::max(longest, shape.extent.at(axis));
    return longest;
  }

  const ir::Kernel& kernel_;
  const TilePlan& plan_;
  std::set<Exchange> all_;
};

/// What threads of warpgroups leave for each other of the lines that they have folded, with places where an extreme was found,
/// and flags where perhaps there is nothing.
int64_t bytes_of_lines(const ir::Kernel& kernel, const TileFold& fold, const TileShape& shape) {
  constexpr int64_t kPlaceBytes = 8;
  const ir::Value& value = kernel.values[fold.reduce];
  const auto& reduce = std::get<ir::Reduce>(value.op);
  const bool has_place = is_argument(reduce.op);
  const int64_t bytes =
      has_place ? 2 * kPlaceBytes : static_cast<int64_t>(size_in_bytes(held_type(value.dtype)));
  const int64_t lines = shape.extent.at(fold.width);
  return round_up(bytes * lines, kChunkBytes) + (value.total ? 0 : round_up(lines, kChunkBytes));
}

/// The rings of all products that read the tile of a factor.
std::set<RingKey> rings_of_tile(const ir::Kernel& kernel, const TilePlan& plan, const TileFactor& tile) {
  std::set<RingKey> rings;
  for (const auto& [dot, product] : plan.products)
    for (const TileFactor* factor : {&product.rows, &product.columns})
      if (factor->shares_tile(tile)) rings.insert(ring_of(kernel, product, *factor));
  return rings;
}

/// Whether two tiles have as many lines or are as long, and neither is there while the other is. What one leaves behind the
/// end of a tensor stands in rows or columns that nobody stores: no other product sums over these.
bool takes_turns(const ir::Kernel& kernel, const TilePlan& plan, const TileFactor& a, const TileFactor& b) {
  const auto is_plain = [](const TileFactor& tile) {
    return tile.way == TileFactor::Way::staged && !tile.is_source && !tile.stays;
  };
  if (!is_plain(a) || !is_plain(b)) return false;
  if (plan.folds_tile_of(a) || plan.folds_tile_of(b)) return false;
  const std::set<RingKey> first = rings_of_tile(kernel, plan, a), second = rings_of_tile(kernel, plan, b);
  return a.width == b.width &&
         std::ranges::none_of(first, [&](const RingKey& ring) { return second.contains(ring); });
}

}  // namespace

RingKey ring_of(const ir::Kernel& kernel, const TileProduct& product, const TileFactor& factor) {
  if (product.has_own_loop) return {product.depth, product.dot};
  const bool turns_with_depth = kernel.axes[product.depth].kind == ir::AxisKind::loop;
  return {turns_with_depth ? product.depth : factor.width, ir::ValueId{}};
}

std::set<RingKey> rings_of(const ir::Kernel& kernel, const TilePlan& plan) {
  std::set<RingKey> rings;
  for (const auto& [dot, product] : plan.products)
    for (const TileFactor* factor : {&product.rows, &product.columns})
      if (factor->passes_ring()) rings.insert(ring_of(kernel, product, *factor));
  return rings;
}

std::vector<std::vector<const TileFactor*>> tiles_by_place(const ir::Kernel& kernel, const TilePlan& plan) {
  std::vector<std::vector<const TileFactor*>> places;
  for (const TileFactor* tile : plan.factors_with_own_tiles()) {
    if (tile->way == TileFactor::Way::registers) continue;
    const auto place = std::ranges::find_if(places, [&](const std::vector<const TileFactor*>& others) {
      return plan.way == TileWay::warpgroups && std::ranges::all_of(others, [&](const TileFactor* other) {
               return takes_turns(kernel, plan, *tile, *other);
             });
    });
    place != places.end() ? place->push_back(tile) : places.push_back({tile});
  }
  return places;
}

int64_t room_along_width(const ir::Kernel& kernel, const TilePlan& plan, const TileFactor& factor,
                         const TileShape& shape) {
  const int64_t width = shape.extent.at(factor.width);
  const bool is_copied = factor.way == TileFactor::Way::staged && !factor.lies_as_declared();
  const bool has_panels = plan.way == TileWay::warpgroups && has_either_order(tile_type(kernel, factor)) &&
                          (shape.has_panels || !is_copied);
  return has_panels ? round_up(width, kPanelBytes / element_bytes(kernel, factor)) : width;
}

bool has_whole_panels(const ir::Kernel& kernel, const TilePlan& plan, const TileShape& shape) {
  return shape.has_panels && std::ranges::all_of(plan.products, [&](const auto& entry) {
           const TileFactor& columns = entry.second.columns;
           return columns.way != TileFactor::Way::staged ||
                  room_along_width(kernel, plan, columns, shape) == shape.extent.at(columns.width);
         });
}

int64_t tile_bytes(const ir::Kernel& kernel, const TilePlan& plan, const TileFactor& factor,
                   const TileShape& shape) {
  return room_along_width(kernel, plan, factor, shape) * shape.extent.at(factor.depth) *
         element_bytes(kernel, factor);
}

int64_t tile_bytes(const ir::Kernel& kernel, const TilePlan& plan, const TileShape& shape) {
  const auto copies = [&](const TileFactor& tile) -> int64_t {
    if (plan.way == TileWay::warpgroups && tile.way == TileFactor::Way::computed) return kBuffers;
    return tile.in_ring ? shape.stages : 1;
  };
  int64_t sum = 0;
  for (const auto& tiles : tiles_by_place(kernel, plan))
    sum += round_up(tile_bytes(kernel, plan, *tiles[0], shape) * copies(*tiles[0]), kTileAlignment);
  return sum;
}

int64_t end_bytes(const ir::Kernel& kernel, const TilePlan& plan, const TileShape& shape) {
  if (!plan.shifts) return 0;
  int64_t sum = 0;
  for (const TileFactor* factor : plan.factors()) {
    if (factor->way != TileFactor::Way::staged || element_bytes(kernel, *factor) >= 4) continue;
    const ir::AxisId lines = factor->depth_index > factor->width_index ? factor->width : factor->depth;
    sum += kChunkBytes * shape.extent.at(lines) * (factor->in_ring ? shape.stages : 1);
  }
  return sum;
}

int64_t exchanged_bytes(const ir::Kernel& kernel, const TilePlan& plan, const TileShape& shape) {
  return Exchanges(kernel, plan).bytes(shape);
}

int64_t static_bytes(const ir::Kernel& kernel, const TilePlan& plan, const TileShape& shape) {
  int64_t sum = exchanged_bytes(kernel, plan, shape);
  if (plan.way == TileWay::warpgroups)
    for (const auto& [reduce, fold] : plan.folds) sum += bytes_of_lines(kernel, fold, shape);
  for (ir::ValueId id : plan.shared_vectors) {
    const ir::Value& value = kernel.values[id];
    for (ir::AxisId axis : value.axes)
      if (plan.is_in_registers(axis))
        sum += round_up(shape.extent.at(axis) * size_in_bytes(held_type(value.dtype)), kChunkBytes);
  }
  return sum;
}

int64_t bytes_before_tiles(const ir::Kernel& kernel, const TilePlan& plan, const TileShape& shape) {
  return round_up(static_bytes(kernel, plan, shape), kTileAlignment);
}

int blocks_in_memory(int64_t bytes, const Target& target) {
  return static_cast<int>(target.shared_memory_per_multiprocessor / (bytes + kSystemBytes));
}

}  // namespace tessera::emit
