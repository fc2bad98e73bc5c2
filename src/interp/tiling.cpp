// SPDX-License-Identifier: Apache-2.0
// Tile extents and the order of instances.
#include "interp/tiling.h"

#include <algorithm>
#include <numeric>

#include "interp/random.h"

namespace tessera::interp {

namespace {

/// Elements of the largest tile, where there is a choice: few enough that the operands of an operation stay
/// in the second-level cache, many enough that the work on them hides what each operation costs.
constexpr int64_t kTileElements = int64_t{1} << 14;
/// A chosen step of a loop, which leaves room for the other axes.
constexpr int64_t kLoopStep = 256;

class Tiling {
 public:
  Tiling(const Program& program, const Launch& launch, const Partition& partition)
      : program_(program), kernel_(*program.kernel), launch_(launch), partition_(partition) {}

  std::vector<AxisRange> run() {
    std::vector<ir::AxisId> open;  // ranges whose tile extent is free
    for (size_t i = 0; i < kernel_.axes.size(); ++i) {
      const ir::AxisId id = kernel_.axes.id_at(i);
      const ir::Axis& axis = kernel_.axes[id];
      AxisRange range{evaluate(axis.lower), evaluate(axis.upper), 1};
      range.upper = std::max(range.lower, range.upper);
      if (axis.kind == ir::AxisKind::let) range.tile = std::max<int64_t>(range.extent(), 1);
      if (axis.step == ir::StepKind::semantic) range.tile = axis.step_size;
      ranges_.push_back(range);
      const bool is_free = axis.step == ir::StepKind::plan ||
                           (axis.step == ir::StepKind::none && axis.kind == ir::AxisKind::grid);
      if (is_free && !set_requested(id)) open.push_back(id);
    }
    choose(open);
    return std::move(ranges_);
  }

 private:
  int64_t evaluate(ir::SizeId size) const {
    return kernel_.sizes.evaluate(size, [this](ir::SymbolId id) { return launch_.symbols[id.index()]; });
  }

  /// Takes the tile extent that the partition or the kernel asks for, if any does.
  bool set_requested(ir::AxisId id) {
    AxisRange& range = ranges_[id.index()];
    const auto named = partition_.steps.find(id);
    int64_t step = named != partition_.steps.end() ? named->second : partition_.step;
    if (step == Partition::kChosen) step = kernel_.axes[id].step_size;
    if (step == Partition::kChosen) return false;
    range.tile = std::clamp<int64_t>(step, 1, std::max<int64_t>(range.extent(), 1));
    return true;
  }

  /// Loops first, then the grid from its innermost axis: each takes what the largest tile with it still
  /// permits.
  void choose(const std::vector<ir::AxisId>& open) {
    for (auto id = open.rbegin(); id != open.rend(); ++id) {
      AxisRange& range = ranges_[id->index()];
      if (kernel_.axes[*id].kind == ir::AxisKind::loop)
        range.tile = std::clamp<int64_t>(range.extent(), 1, kLoopStep);
    }
    for (auto id = open.rbegin(); id != open.rend(); ++id) {
      AxisRange& range = ranges_[id->index()];
      if (kernel_.axes[*id].kind == ir::AxisKind::loop) continue;
      const int64_t room = std::max<int64_t>(kTileElements / largest_tile_with(*id), 1);
      range.tile = std::clamp<int64_t>(range.extent(), 1, room);
    }
  }

  int64_t largest_tile_with(ir::AxisId axis) const {
    int64_t largest = 1;
    for (size_t i = 0; i < kernel_.values.size(); ++i) {
      const AxisList& axes = program_.value_axes[i];
      if (!std::binary_search(axes.begin(), axes.end(), axis)) continue;
      int64_t volume = 1;
      for (const ir::AxisId other : axes) {
        volume = std::min(kTileElements, volume) * std::min(kTileElements, ranges_[other.index()].tile);
      }
      largest = std::max(largest, volume);
    }
    return largest;
  }

  const Program& program_;
  const ir::Kernel& kernel_;
  const Launch& launch_;
  const Partition& partition_;
  std::vector<AxisRange> ranges_;
};

}  // namespace

std::vector<AxisRange> make_ranges(const Program& program, const Launch& launch, const Partition& partition) {
  return Tiling(program, launch, partition).run();
}

std::vector<int64_t> instance_order(int64_t count, const Partition& partition) {
  std::vector<int64_t> instances(static_cast<size_t>(count));
  std::iota(instances.begin(), instances.end(), int64_t{0});
  if (partition.order == InstanceOrder::reverse) std::reverse(instances.begin(), instances.end());
  if (partition.order == InstanceOrder::random) {
    Random random(partition.seed);
    for (size_t i = instances.size(); i > 1; --i) std::swap(instances[i - 1], instances[random.below(i)]);
  }
  return instances;
}

}  // namespace tessera::interp
