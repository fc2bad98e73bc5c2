// SPDX-License-Identifier: Apache-2.0
// The choice of lanes: every candidate is priced by the memory transactions that it causes, the cheapest wins.
#include "emit/plan_axes.h"

#include <fmt/format.h>

#include <algorithm>

#include "emit/plan_extents.h"
#include "emit/plan_windows.h"
#include "sema/ir/extents.h"

namespace tessera::emit {

namespace {

// An axis of at most this constant extent is written out or looped over inside a thread.
constexpr int64_t kSmallExtent = 32;
constexpr int64_t kUnrollExtent = 16;
// Price of an access whose neighbours in a group lie apart in memory, relative to one 16 byte access.
constexpr double kScattered = 8;
constexpr double kStrided = 2;
constexpr double kStaged = 2;
constexpr double kBroadcast = 0.05;
constexpr double kGroupReduction = 1.1;
// Rows of a tile that passes through shared memory, unless they are asked for; and the most of rows and of lanes that
// the planner chooses.
constexpr int64_t kStageRows = 32;
constexpr int64_t kMostStageLines = 64;
// Stands for the extent of an axis that is known at launch only.
constexpr double kTypicalExtent = 64;

using Lanes = std::vector<ir::AxisId>;

class AxisChooser {
 public:
  AxisChooser(const ir::Kernel& kernel, ir::SizeTable& sizes, const PlanOverrides& overrides,
              PhasePlan& phase)
      : kernel_(kernel), sizes_(sizes), overrides_(overrides), phase_(phase), analysis_(phase.analysis) {}

  void run() {
    assign_small_axes();
    choose_lanes();
    assign_units();
    choose_vector_accesses();
    choose_anchors();
    if (!phase_.anchors.empty()) choose_windows(kernel_, sizes_, phase_);
    if (phase_.windows.empty() && !phase_.has_neighbour_groups()) choose_strip_axis();
  }

 private:
  const ir::Axis& axis(ir::AxisId id) const { return kernel_.axes[id]; }
  bool is_grid_axis(ir::AxisId id) const {
    return std::find(phase_.grid->axes.begin(), phase_.grid->axes.end(), id) != phase_.grid->axes.end();
  }
  bool is_small(ir::AxisId id) {
    const auto extent = ir::constant_extent(kernel_, sizes_, id);
    return extent && *extent <= kSmallExtent && !is_grid_axis(id);
  }

  // A semantic step that nothing crosses means nothing to a plan: every partition gives the same result.
  int64_t tile_of(ir::AxisId id) const {
    const bool free = axis(id).step == ir::StepKind::semantic && !analysis_.crossed.contains(id) &&
                      !analysis_.loops.contains(id);
    return free ? 0 : fixed_tile(kernel_, overrides_, id);
  }

  void assign_small_axes() {
    for (ir::AxisId id : analysis_.inner_axes) {
      // One coordinate of a variable is for each thread to see: all of them stay in it.
      if (analysis_.picked_state.contains(id)) phase_.roles[id] = Role::serial;
      if (!is_small(id)) continue;
      const bool write_out =
          analysis_.picked.contains(id) && *ir::constant_extent(kernel_, sizes_, id) <= kUnrollExtent;
      phase_.roles[id] = write_out ? Role::unrolled : Role::serial;
    }
  }

  // An axis along which instances, or parts of one, are independent: chunks of it can go to different units.
  bool is_parallel(ir::AxisId id) const {
    if (analysis_.crossed.contains(id) || analysis_.loops.contains(id)) return false;
    if (is_grid_axis(id)) return true;
    return std::all_of(analysis_.accesses.begin(), analysis_.accesses.end(),
                       [&](const Access& access) { return !access.is_write() || access.axes.contains(id); });
  }

  double weight(const Access& access) {
    double points = size_in_bytes(kernel_.tensors[access.tensor].dtype);
    for (ir::AxisId id : access.axes) {
      const auto extent = ir::constant_extent(kernel_, sizes_, id);
      points *= extent ? static_cast<double>(std::max<int64_t>(*extent, 1)) : kTypicalExtent;
    }
    return points;
  }

  double price(const Access& access, const Lanes& lanes) {
    const auto lane =
        std::find_if(lanes.begin(), lanes.end(), [&](ir::AxisId id) { return access.axes.contains(id); });
    if (lane == lanes.end()) return kBroadcast;
    if (access.indices.empty()) return kBroadcast;
    for (size_t d = 0; d + 1 < access.indices.size(); ++d)
      if (!access.indices[d] || access.indices[d]->coefficient(*lane)) return kScattered;
    const auto& last = access.indices.back();
    if (!last) return kScattered;
    const auto coefficient = last->coefficient(*lane);
    if (!coefficient) return kBroadcast;
    return sizes_.as_constant(*coefficient) == 1 ? 1 : kStrided;
  }

  double price(const Lanes& lanes) {
    double sum = 0;
    for (const Access& access : analysis_.accesses) sum += weight(access) * price(access, lanes);
    const bool crosses = std::any_of(lanes.begin(), lanes.end(),
                                     [&](ir::AxisId id) { return analysis_.crossed.contains(id); });
    return crosses ? sum * kGroupReduction : sum;
  }

  // Two lanes must not meet in one value or one address.
  bool compatible(const Lanes& lanes, ir::AxisId candidate) const {
    const auto meets = [&](const AxisSet& axes) {
      return axes.contains(candidate) &&
             std::any_of(lanes.begin(), lanes.end(), [&](ir::AxisId lane) { return axes.contains(lane); });
    };
    for (const auto& [value, dependence] : analysis_.dependence) {
      AxisSet axes = dependence.axes;
      if (const auto* reduce = std::get_if<ir::Reduce>(&kernel_.values[value].op))
        axes.insert(reduce->axes.begin(), reduce->axes.end());
      if (meets(axes)) return false;
    }
    return std::none_of(analysis_.accesses.begin(), analysis_.accesses.end(),
                        [&](const Access& access) { return meets(access.axes); });
  }

  // Lanes inside an instance: its rows. Started from each candidate, completed by what goes with it.
  std::vector<Lanes> row_candidates() {
    Lanes possible;
    for (ir::AxisId id : analysis_.inner_axes)
      if (!phase_.roles.contains(id)) possible.push_back(id);
    for (ir::AxisId id : phase_.grid->axes)
      if (analysis_.crossed.contains(id)) possible.push_back(id);
    std::vector<Lanes> result;
    for (ir::AxisId first : possible) {
      Lanes lanes{first};
      if (threads_part(lanes)) continue;
      for (ir::AxisId other : possible) {
        if (other == first || !compatible(lanes, other)) continue;
        lanes.push_back(other);
        if (threads_part(lanes) || outgrows_state(lanes)) lanes.pop_back();
      }
      result.push_back(std::move(lanes));
    }
    return result;
  }

  // A group folds a lane together, so it must do so before its threads part for the elements of what uses the result.
  // That cannot be where the result has axes of its own that only a loop inside of each thread binds.
  bool threads_part(const Lanes& lanes) const {
    const auto has_lane = [&](const AxisSet& axes) {
      return std::any_of(lanes.begin(), lanes.end(), [&](ir::AxisId lane) { return axes.contains(lane); });
    };
    for (const auto& [folded, dependence] : analysis_.dependence) {
      const auto* reduce = std::get_if<ir::Reduce>(&kernel_.values[folded].op);
      if (!reduce || !has_lane({reduce->axes.begin(), reduce->axes.end()})) continue;
      if (std::none_of(dependence.axes.begin(), dependence.axes.end(),
                       [&](ir::AxisId id) { return is_looped_in_thread(id); }))
        continue;
      const AxisSet users = analysis_.axes_of_users(kernel_, folded);
      if (has_lane(users)) return true;
    }
    return false;
  }

  // Lanes with state are written out as a whole, and all lanes with them: none may be longer than what is kept.
  bool outgrows_state(const Lanes& lanes) {
    const auto has_state = [&](ir::AxisId lane) {
      return !is_grid_axis(lane) && !analysis_.loops.contains(lane) &&
             std::ranges::any_of(kernel_.variables, [&](const ir::Variable& variable) {
               return std::ranges::count(variable.axes, lane) > 0;
             });
    };
    const auto is_long = [&](ir::AxisId lane) {
      const auto extent = ir::greatest_extent(kernel_, sizes_, lane);
      return !is_grid_axis(lane) && tile_of(lane) == 0 && (!extent || *extent > ir::kMostStateElements);
    };
    return std::ranges::any_of(lanes, has_state) && std::ranges::any_of(lanes, is_long);
  }

  bool is_looped_in_thread(ir::AxisId id) const {
    if (!axis(id).is_tile()) return false;
    const auto known = phase_.roles.find(id);
    if (known != phase_.roles.end()) return known->second == Role::serial;
    return !is_grid_axis(id) || analysis_.crossed.contains(id);
  }

  void choose_lanes() {
    struct Candidate {
      Lanes lanes;
      bool chunked;
      double price;
    };
    std::vector<Candidate> candidates;
    for (ir::AxisId id : all_tile_axes())
      if (is_parallel(id) && !phase_.roles.contains(id))
        candidates.push_back({{id}, true, price_of_chunks(id)});
    for (Lanes& lanes : row_candidates()) {
      const double cost = price(lanes);
      candidates.push_back({std::move(lanes), false, cost});
    }
    if (candidates.empty()) {
      phase_.reasons.push_back("no axis to spread over threads: one thread of each group works");
      return;
    }
    const auto best =
        std::min_element(candidates.begin(), candidates.end(),
                         [](const Candidate& a, const Candidate& b) { return a.price < b.price; });
    if (best->chunked) phase_.staging = staging(best->lanes[0]);
    for (ir::AxisId id : best->lanes) {
      const bool semantic_chunk = is_grid_axis(id) && !best->chunked;
      phase_.lanes.push_back({.axis = id, .chunked = best->chunked || semantic_chunk, .tile = tile_of(id)});
      phase_.roles[id] = Role::lane;
    }
    explain_lanes(candidates.size(), best->chunked);
  }

  // Chunks of one axis: what would be scattered goes through shared memory where it can.
  double price_of_chunks(ir::AxisId lane) {
    const auto stage = staging(lane);
    double sum = 0;
    for (const Access& access : analysis_.accesses) {
      const bool staged = stage && !access.is_write() && stage->loads.contains(access.value);
      sum += weight(access) * (staged ? kStaged : price(access, {lane}));
    }
    return sum;
  }

  // The axis along which the most scattered loads are contiguous, and these loads.
  std::optional<Staging> staging(ir::AxisId lane) {
    std::map<ir::AxisId, std::set<ir::ValueId>> by_rows;
    for (const Access& access : analysis_.accesses)
      if (const auto rows = rows_of(access, lane)) by_rows[*rows].insert(access.value);
    const auto best = std::max_element(by_rows.begin(), by_rows.end(), [](const auto& a, const auto& b) {
      return a.second.size() < b.second.size();
    });
    if (best == by_rows.end()) return std::nullopt;
    const auto lines = [&](ir::AxisId id) { return tile_of(id) > 0 ? tile_of(id) : kMostStageLines; };
    const int64_t elements = (lines(best->first) + 1) * lines(lane);
    Staging result{lane, best->first, {}, tile_of(best->first) > 0};
    int64_t bytes = 0;
    for (ir::ValueId load : best->second) {
      const auto tensor = std::get<ir::Load>(kernel_.values[load].op).tensor;
      bytes += elements * size_in_bytes(kernel_.tensors[tensor].dtype);
      if (bytes <= kMostStaticBytes) result.loads.insert(load);
    }
    if (result.loads.empty()) return std::nullopt;
    return result;
  }

  // The unit axis along which a load is contiguous while the lane runs along another of its dimensions.
  std::optional<ir::AxisId> rows_of(const Access& access, ir::AxisId lane) {
    if (access.is_write() || access.indices.size() < 2 || !access.axes.contains(lane) ||
        price(access, {lane}) != kScattered)
      return std::nullopt;
    if (!kernel_.values[access.value].total) return std::nullopt;
    for (const auto& index : access.indices)
      if (!index) return std::nullopt;
    for (const auto& [id, coefficient] : access.indices.back()->terms) {
      const bool alone =
          std::none_of(access.indices.begin(), access.indices.end() - 1,
                       [axis = id](const auto& index) { return index->coefficient(axis).has_value(); });
      if (id != lane && alone && is_grid_axis(id) && is_parallel(id) &&
          sizes_.as_constant(coefficient) == 1 && only_units(access, lane))
        return id;
    }
    return std::nullopt;
  }

  // Besides the lane, the address depends on nothing that changes inside a unit.
  bool only_units(const Access& access, ir::AxisId lane) const {
    return std::all_of(access.axes.begin(), access.axes.end(), [&](ir::AxisId id) {
      return id == lane || (is_grid_axis(id) && !analysis_.crossed.contains(id));
    });
  }

  void explain_lanes(size_t candidates, bool chunked) {
    for (const Lane& lane : phase_.lanes)
      phase_.reasons.push_back(
          fmt::format("lanes run along `{}`: neighbours in memory for the most bytes ({} {} priced); {}",
                      axis(lane.axis).name, candidates, candidates == 1 ? "choice" : "choices",
                      chunked ? "nothing crosses it, so units take chunks of it"
                              : "a group of threads takes all of it and meets in reductions"));
  }

  Lanes all_tile_axes() const {
    Lanes result = phase_.grid->axes;
    result.insert(result.end(), analysis_.inner_axes.begin(), analysis_.inner_axes.end());
    return result;
  }

  void assign_units() {
    for (ir::AxisId id : phase_.grid->axes) {
      if (phase_.roles.contains(id)) continue;
      const bool crossed = analysis_.crossed.contains(id);
      phase_.roles[id] = crossed ? Role::serial : Role::unit;
      const bool staged = phase_.staging && phase_.staging->rows == id;
      const int64_t tile = tile_of(id) > 0 ? tile_of(id) : staged ? kStageRows : 1;
      phase_.units.push_back({.axis = id, .is_chunk = crossed, .tile = tile});
    }
    for (ir::AxisId id : analysis_.inner_axes)
      if (!phase_.roles.contains(id)) phase_.roles[id] = Role::serial;
    // A range that takes one value at a time is no axis of a tile, but what stands in its body depends on it.
    for (ir::AxisId id : analysis_.loops)
      if (!phase_.roles.contains(id)) phase_.roles[id] = Role::serial;
    for (const Lane& lane : phase_.lanes)
      if (lane.chunked) phase_.units.push_back({.axis = lane.axis, .is_chunk = true, .tile = lane.tile});
    order_units();
  }

  // Neighbouring units should touch neighbouring memory: the order of the dimensions of what is written.
  void order_units() {
    if (analysis_.writes.empty()) return;
    const auto first_write = std::find_if(analysis_.accesses.begin(), analysis_.accesses.end(),
                                          [](const Access& a) { return a.is_write(); });
    const auto position = [&](const UnitAxis& unit) {
      for (size_t d = 0; d < first_write->index_values.size(); ++d)
        if (analysis_.depends(first_write->index_values[d], unit.axis)) return static_cast<int>(d);
      return -1;
    };
    std::stable_sort(phase_.units.begin(), phase_.units.end(),
                     [&](const UnitAxis& a, const UnitAxis& b) { return position(a) < position(b); });
  }

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
    if (lane == phase_.lanes.end() || price(access, {lane->axis}) > kStrided || access.indices.empty())
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
      if (unit.is_chunk || unit.tile != 1 || tile_of(unit.axis) > 0) continue;
      double shared = 0;
      for (const Access& access : analysis_.accesses)
        if (phase_.vector_loads.contains(access.value) && !access.is_write() &&
            !access.axes.contains(unit.axis))
          shared += weight(access);
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
  PhaseAnalysis& analysis_;
};

}  // namespace

void choose_axes(const ir::Kernel& kernel, ir::SizeTable& sizes, const PlanOverrides& overrides,
                 PhasePlan& phase) {
  AxisChooser(kernel, sizes, overrides, phase).run();
}

}  // namespace tessera::emit
