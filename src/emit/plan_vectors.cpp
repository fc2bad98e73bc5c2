// SPDX-License-Identifier: Apache-2.0
// See plan_vectors.h.
#include "emit/plan_vectors.h"

#include <fmt/format.h>

#include <algorithm>

#include "emit/access_price.h"
#include "emit/plan_extents.h"
#include "emit/plan_windows.h"

namespace tessera::emit {

namespace {

class VectorChooser {
 public:
  VectorChooser(const ir::Kernel& kernel, ir::SizeTable& sizes, const PlanOverrides& overrides,
                PhasePlan& phase)
      : kernel_(kernel), sizes_(sizes), overrides_(overrides), phase_(phase), analysis_(phase.analysis) {}

  void run() {
    choose_vector_accesses();
    choose_anchors();
    if (!phase_.anchors.empty()) choose_windows(kernel_, sizes_, phase_);
    if (phase_.windows.empty() && !phase_.has_neighbour_groups()) choose_strip_axis();
  }

 private:
  const ir::Axis& axis(ir::AxisId id) const { return kernel_.axes[id]; }

  void choose_vector_accesses() {
    if (phase_.staging) {
      phase_.reasons.push_back(
          fmt::format("{} loads are contiguous along `{}`: their tiles pass through shared memory",
                      phase_.staging->loads.size(), axis(phase_.staging->rows).name));
    }
    for (const Access& access : analysis_.accesses) {
      std::vector<ir::SizeId> multiples;
      const std::optional<Interleave> pattern = vector_pattern(access, multiples);
      if (!pattern) continue;
      if (pattern->step > 1) phase_.interleaved[access.value] = *pattern;
      for (const Lane& lane : phase_.lanes)
        if (access.axes.contains(lane.axis)) phase_.vector_lanes.insert(lane.axis);
      if (access.write)
        phase_.vector_writes.insert(access.write);
      else
        phase_.vector_loads.insert(access.value);
      for (ir::SizeId size : multiples)
        if (std::find(phase_.vector_multiples.begin(), phase_.vector_multiples.end(), size) ==
            phase_.vector_multiples.end())
          phase_.vector_multiples.push_back(size);
      const auto known =
          std::find_if(phase_.alignment.begin(), phase_.alignment.end(),
                       [&](const AlignmentNeed& need) { return need.tensor == access.tensor; });
      if (known == phase_.alignment.end()) {
        phase_.alignment.push_back({access.tensor, access.is_write(), pattern->step});
      } else {
        known->step = std::max(known->step, pattern->step);
      }
    }
  }

  // Consecutive lanes lie side by side along the last dimension, or a few elements apart, and what is added to them can
  // keep the alignment.
  std::optional<Interleave> vector_pattern(const Access& access, std::vector<ir::SizeId>& multiples) {
    const auto lane = std::find_if(phase_.lanes.begin(), phase_.lanes.end(),
                                   [&](const Lane& l) { return access.axes.contains(l.axis); });
    if (lane == phase_.lanes.end() || price_of(sizes_, access, {lane->axis}) > kStrided ||
        access.indices.empty())
      return std::nullopt;
    if (!access.indices.back() || !last_index_in_bounds(access)) return std::nullopt;
    const ir::Affine& last = *access.indices.back();
    const auto coefficient = last.coefficient(lane->axis);
    const auto step = coefficient ? sizes_.as_constant(*coefficient) : std::nullopt;
    if (!step || (*step != 1 && (access.write || (*step != 2 && *step != 4)))) return std::nullopt;
    Interleave pattern{.step = *step, .phase = 0};
    if (const auto offset = sizes_.as_constant(last.offset); offset && *offset >= 0)
      pattern.phase = *offset % *step;
    // Vectors of several elements for one of the lane begin at multiples of more than a vector.
    if (*step != 1 && (last.terms.size() != 1 || sizes_.as_constant(last.offset) != pattern.phase))
      return std::nullopt;
    if (!may_be_multiple(sizes_.subtract(last.offset, sizes_.constant(pattern.phase)), multiples))
      return std::nullopt;
    for (const auto& [id, factor] : last.terms)
      if (id != lane->axis && !may_be_multiple(factor, multiples)) return std::nullopt;
    if (lane->tile > 0 && !may_be_multiple(sizes_.constant(lane->tile), multiples)) return std::nullopt;
    const bool whole =
        may_be_multiple(axis(lane->axis).lower, multiples) &&
        may_be_multiple(sizes_.subtract(axis(lane->axis).upper, axis(lane->axis).lower), multiples);
    return whole ? std::optional(pattern) : std::nullopt;
  }

  bool last_index_in_bounds(const Access& access) {
    const uint32_t bit = 1u << (access.indices.size() - 1);
    if (access.write) {
      const bool steady = std::none_of(phase_.lanes.begin(), phase_.lanes.end(), [&](const Lane& lane) {
        return presence_varies(kernel_, analysis_, access.value, lane.axis);
      });
      return (access.write->in_bounds & bit) != 0 && steady;
    }
    return (std::get<ir::Load>(kernel_.values[access.value].op).in_bounds & bit) != 0;
  }

  // Operands that are the same along a unit axis are read once for several of its coordinates.
  void choose_strip_axis() {
    const bool one_pass = phase_.lanes.size() == 1 && phase_.lanes[0].chunked && phase_.lanes[0].tile == 0 &&
                          !phase_.staging && analysis_.loops.empty() && kernel_.variables.empty() &&
                          analysis_.crossed.empty();
    if (!one_pass) return;
    double most = 0;
    for (UnitAxis& unit : phase_.units) {
      if (unit.is_chunk || unit.tile != 1 || planned_tile(kernel_, analysis_, overrides_, unit.axis) > 0)
        continue;
      double shared = 0;
      for (const Access& access : analysis_.accesses)
        if (phase_.vector_loads.contains(access.value) && !access.is_write() &&
            !access.axes.contains(unit.axis))
          shared += weight_of(kernel_, sizes_, access);
      if (shared == 0 || shared < most)
        continue;  // of equals the last: its coordinates lie closest in memory
      most = shared;
      phase_.strip_axis = unit.axis;
    }
    if (!phase_.strip_axis) return;
    for (UnitAxis& unit : phase_.units) unit.is_strips = unit.axis == *phase_.strip_axis;
    phase_.reasons.push_back(
        fmt::format("strips run along `{}`: operands without it are read once for all strips of a unit",
                    axis(*phase_.strip_axis).name));
  }

  // Where lines begin anywhere, the threads of a lane keep to the vector boundaries of one line: of what is written, if
  // anything is, and of the narrowest elements, whose boundaries are boundaries of wider ones as well.
  void choose_anchors() {
    for (const Lane& lane : phase_.lanes) {
      const Access* best = nullptr;
      const auto rank = [&](const Access& access) {
        return std::pair(access.is_write() ? 0 : 1, size_in_bytes(kernel_.tensors[access.tensor].dtype));
      };
      for (const Access& access : analysis_.accesses)
        if (can_anchor(access, lane) && (!best || rank(access) < rank(*best))) best = &access;
      if (!best) return phase_.anchors.clear();
      phase_.anchors[lane.axis] = {best->tensor,
                                   {best->index_values.begin(), best->index_values.end() - 1},
                                   best->indices.back()->offset};
    }
  }

  // A vector access at the coordinate of the lane, whose line is the same for all that a unit does.
  bool can_anchor(const Access& access, const Lane& lane) {
    const bool moves_vectors = access.write ? phase_.vector_writes.contains(access.write)
                                            : phase_.vector_loads.contains(access.value) &&
                                                  !phase_.interleaved.contains(access.value);
    if (!moves_vectors || lane.tile > 0 || analysis_.loops.contains(lane.axis) ||
        !access.axes.contains(lane.axis))
      return false;
    const bool steady = std::all_of(access.axes.begin(), access.axes.end(), [&](ir::AxisId id) {
      return id == lane.axis || (phase_.role(id) == Role::unit && !is_looped_around_folds(id, lane));
    });
    const auto& terms = access.indices.back()->terms;
    return steady && terms.size() == 1 && terms.begin()->first == lane.axis;
  }

  /// Whether a unit takes several coordinates of an axis that a fold of the lane does not depend on: it stands before them.
  bool is_looped_around_folds(ir::AxisId unit, const Lane& lane) const {
    const bool is_looped = std::ranges::any_of(
        phase_.units, [&](const UnitAxis& entry) { return entry.axis == unit && entry.tile > 1; });
    return is_looped && std::ranges::any_of(analysis_.dependence, [&](const auto& entry) {
             const auto* fold = std::get_if<ir::Reduce>(&kernel_.values[entry.first].op);
             return fold && std::ranges::count(fold->axes, lane.axis) && !entry.second.axes.contains(unit);
           });
  }

  static constexpr int64_t kWidestVector = 16;
  bool may_be_multiple(ir::SizeId size, std::vector<ir::SizeId>& multiples) {
    if (const auto constant = sizes_.as_constant(size))
      return *constant % kWidestVector == 0 ||
             (*constant > 0 && *constant % 2 == 0 && (multiples.push_back(size), true));
    multiples.push_back(size);
    return true;
  }

  const ir::Kernel& kernel_;
  ir::SizeTable& sizes_;
  const PlanOverrides& overrides_;
  PhasePlan& phase_;
  const PhaseAnalysis& analysis_;
};

}  // namespace

void choose_vectors(const ir::Kernel& kernel, ir::SizeTable& sizes, const PlanOverrides& overrides,
                    PhasePlan& phase) {
  VectorChooser(kernel, sizes, overrides, phase).run();
}

}  // namespace tessera::emit
