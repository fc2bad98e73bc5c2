// SPDX-License-Identifier: Apache-2.0
// Windows from affine indices: loads of one line group by what their other indices are.
#include "emit/plan_windows.h"
#include "sema/ir/extents.h"

#include <fmt/format.h>

#include <algorithm>

namespace tessera::emit {

namespace {

// Neighbours on one side: more would cost more registers than they save loads.
constexpr int64_t kMostNeighbours = 8;

// Coordinates that a unit takes one after another, of an axis along which it reads the same lines again.
constexpr int64_t kSteps = 8;

/// Distances, both ends included.
struct Distances {
  int64_t low = 0, high = 0;
};

class WindowChooser {
 public:
  WindowChooser(const ir::Kernel& kernel, ir::SizeTable& sizes, PhasePlan& phase)
      : kernel_(kernel), sizes_(sizes), phase_(phase) {}

  void run() {
    if (phase_.staging) return;
    for (const Lane& lane : phase_.lanes) windows_along(lane);
    share_lines();
  }

 private:
  using Lead = std::vector<std::pair<ir::SizeId, std::vector<std::pair<ir::AxisId, ir::SizeId>>>>;
  struct Line {
    ir::TensorId tensor;
    Distances distances;
    std::vector<ir::ValueId> loads;
  };

  void windows_along(const Lane& lane) {
    std::map<std::pair<ir::TensorId, Lead>, Line> lines;
    for (const Access& access : phase_.analysis.accesses) {
      const auto distances = distances_along(access, lane.axis);
      if (!distances) continue;
      Lead lead;
      for (size_t d = 0; d + 1 < access.indices.size(); ++d)
        lead.emplace_back(access.indices[d]->offset, access.indices[d]->terms);
      Line& line = lines[{access.tensor, lead}];
      line.tensor = access.tensor;
      line.distances = {std::min(line.distances.low, distances->low),
                        std::max(line.distances.high, distances->high)};
      line.loads.push_back(access.value);
    }
    for (const auto& [key, line] : lines) make_window(line);
  }

  void make_window(const Line& line) {
    const auto [low, high] = line.distances;
    const bool is_near = low >= -kMostNeighbours && high <= kMostNeighbours && (low < 0 || high > 0);
    const auto is_vector = [&](ir::ValueId load) { return phase_.vector_loads.contains(load); };
    if (!is_near || std::all_of(line.loads.begin(), line.loads.end(), is_vector) || !keeps_vectors(line))
      return;
    const bool is_known = std::any_of(phase_.alignment.begin(), phase_.alignment.end(),
                                      [&](const AlignmentNeed& need) { return need.tensor == line.tensor; });
    if (!is_known) phase_.alignment.push_back({line.tensor, false, 1});
    for (ir::ValueId load : line.loads) {
      phase_.vector_loads.erase(load);
      phase_.windows[load] = {static_cast<int>(-low), static_cast<int>(high)};
    }
  }

  // A phase without vectors has elements of its own: nothing is shared.
  bool keeps_vectors(const Line& line) const {
    return !phase_.vector_writes.empty() ||
           std::any_of(phase_.vector_loads.begin(), phase_.vector_loads.end(), [&](ir::ValueId load) {
             return std::find(line.loads.begin(), line.loads.end(), load) == line.loads.end();
           });
  }

  // How far a load lies from the coordinate of the lane along the last dimension: constants, and coordinates of loops
  // that are written out. Nothing where its other indices change along the lane.
  std::optional<Distances> distances_along(const Access& access, ir::AxisId lane) {
    if (access.is_write() || access.indices.empty() || !access.axes.contains(lane)) return std::nullopt;
    for (const auto& index : access.indices)
      if (!index) return std::nullopt;
    for (size_t d = 0; d + 1 < access.indices.size(); ++d)
      if (access.indices[d]->coefficient(lane)) return std::nullopt;
    const ir::Affine& last = *access.indices.back();
    const auto offset = sizes_.as_constant(last.offset);
    if (!offset || !last.coefficient(lane)) return std::nullopt;
    Distances result{*offset, *offset};
    for (const auto& [axis, factor] : last.terms) {
      const auto step = sizes_.as_constant(factor);
      if (!step || (axis == lane && *step != 1)) return std::nullopt;
      if (axis == lane) continue;
      const auto extent = written_out(axis);
      const auto first = sizes_.as_constant(kernel_.axes[axis].lower);
      if (!extent || !first || *extent < 1) return std::nullopt;
      const int64_t a = *step * *first, b = *step * (*first + *extent - 1);
      result = {result.low + std::min(a, b), result.high + std::max(a, b)};
    }
    return result;
  }

  std::optional<int64_t> written_out(ir::AxisId axis) {
    const Role role = phase_.role(axis);
    if ((role != Role::serial && role != Role::unrolled) || phase_.analysis.loops.contains(axis))
      return std::nullopt;
    const auto extent = ir::constant_extent(kernel_, sizes_, axis);
    return extent && (role == Role::unrolled || *extent <= kUnrolledWindow) ? extent : std::nullopt;
  }

  // What is read again one step further along a unit axis should still be in the first level cache: the groups of a
  // block are neighbours along one such axis, and a unit goes some steps along the others.
  void share_lines() {
    if (phase_.lanes.size() != 1 || !phase_.lanes[0].chunked) return;
    UnitAxis* best = nullptr;
    int64_t most = 1;
    for (UnitAxis& unit : phase_.units) {
      if (unit.is_chunk || unit.tile != 1 || kernel_.axes[unit.axis].step_size > 0) continue;
      const int64_t lines = lines_along(unit.axis);
      if (lines <= 1) continue;
      unit.tile = kSteps;
      if (lines < most) continue;  // of equals the last: its coordinates lie closest in memory
      most = lines;
      best = &unit;
    }
    if (!best) return;
    best->tile = 1;
    best->is_groups = true;
    phase_.reasons.push_back(
        fmt::format("the groups of a block are neighbours along `{}`: they read the same lines",
                    kernel_.axes[best->axis].name));
  }

  // At how many places along an axis one point reads the tensor that it reads at the most.
  int64_t lines_along(ir::AxisId axis) {
    std::map<std::pair<ir::TensorId, size_t>, std::map<ir::SizeId, int64_t>> places;
    for (const Access& access : phase_.analysis.accesses) {
      for (size_t d = 0; d < access.indices.size() && !access.is_write(); ++d) {
        const auto& index = access.indices[d];
        if (!index || !index->coefficient(axis)) continue;
        int64_t turns = 1;
        for (const auto& [other, factor] : index->terms)
          if (other != axis) turns *= ir::constant_extent(kernel_, sizes_, other).value_or(1);
        int64_t& known = places[{access.tensor, d}][index->offset];
        known = std::max(known, turns);
      }
    }
    int64_t most = 0;
    for (const auto& [place, offsets] : places) {
      int64_t sum = 0;
      for (const auto& [offset, turns] : offsets) sum += turns;
      most = std::max(most, sum);
    }
    return most;
  }

  const ir::Kernel& kernel_;
  ir::SizeTable& sizes_;
  PhasePlan& phase_;
};

}  // namespace

void choose_windows(const ir::Kernel& kernel, ir::SizeTable& sizes, PhasePlan& phase) {
  WindowChooser(kernel, sizes, phase).run();
}

}  // namespace tessera::emit
