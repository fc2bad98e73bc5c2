// SPDX-License-Identifier: Apache-2.0
// See held_values.h.
#include "emit/held_values.h"

#include <algorithm>

#include "emit/plan_extents.h"
#include "sema/ir/extents.h"

namespace tessera::emit {

namespace {

// Of a group; of what takes much of it, a block has fewer groups.
constexpr int64_t kMostGroupBytes = kMostStaticBytes / 2;
// Floats may be held wider than they are, and what may not exist has a flag.
constexpr int64_t kElementBytes = 8;

bool meet(const AxisSet& some, const AxisSet& others) {
  return std::ranges::any_of(some, [&](ir::AxisId axis) { return others.contains(axis); });
}

/// Finds them among the values of a phase.
class Search {
 public:
  Search(const ir::Kernel& kernel, const PhaseAnalysis& analysis, const AxisSet& lanes, const AxisSet& looped)
      : kernel_(kernel), analysis_(analysis), lanes_(lanes), looped_(looped) {
    find_folds();
  }

  /// What elements of lanes need.
  std::set<ir::ValueId> needed() const {
    std::set<ir::ValueId> result;
    for (const auto& [user, dependence] : analysis_.dependence)
      if (meet(dependence.axes, lanes_))
        for (ir::ValueId operand : operands(user)) add(operand, result);
    for (const ir::Statement* root : analysis_.roots)
      for (ir::ValueId value : values_of_elements(*root)) add(value, result);
    return result;
  }

  /// Whether results of what is needed for one coordinate of an axis are written for this coordinate, and go nowhere else.
  bool is_written_along(ir::AxisId axis, const std::set<ir::ValueId>& needed) const {
    std::set<ir::ValueId> along;
    std::ranges::copy_if(needed, std::inserter(along, along.end()),
                         [&](ir::ValueId id) { return analysis_.dependence.at(id).axes.contains(axis); });
    const auto uses = [&](ir::ValueId user) {
      return std::ranges::any_of(along, [&](ir::ValueId id) { return needs(user, id); });
    };
    const bool is_folded = std::ranges::any_of(analysis_.dependence, [&](const auto& entry) {
      const auto* reduce = std::get_if<ir::Reduce>(&kernel_.values[entry.first].op);
      if (!reduce || std::ranges::count(reduce->axes, axis) == 0 || !uses(entry.first)) return false;
      return meet(entry.second.axes, lanes_) || meet({reduce->axes.begin(), reduce->axes.end()}, lanes_);
    });
    return !is_folded && std::ranges::none_of(analysis_.roots, [&](const ir::Statement* root) {
      const auto* assign = std::get_if<ir::Assign>(&root->node);
      const auto* declare = std::get_if<ir::Declare>(&root->node);
      return (assign && has_lane(assign->variable) && uses(assign->value)) ||
             (declare && has_lane(declare->variable) && uses(declare->initial));
    });
  }

  /// What several loops would fold again: those that make `needed`, and those of folds along looped axes. Of each fold the
  /// last value that all of them have in common.
  std::set<ir::ValueId> shared(const std::set<ir::ValueId>& needed) const {
    std::set<ir::ValueId> ends = needed, result;
    for (const auto& [user, dependence] : analysis_.dependence)
      if (const auto* reduce = std::get_if<ir::Reduce>(&kernel_.values[user].op);
          reduce && meet({reduce->axes.begin(), reduce->axes.end()}, looped_))
        add(reduce->operand, ends);
    for (ir::ValueId fold : folds_) {
      std::vector<ir::ValueId> above;
      std::ranges::copy_if(ends, std::back_inserter(above),
                           [&](ir::ValueId end) { return needs(end, fold); });
      if (above.size() < 2) continue;
      for (ir::ValueId id = above.front();; id = previous(id)) {
        if (is_held_alike(id) && needs(id, fold) &&
            std::ranges::all_of(above, [&](ir::ValueId end) { return needs(end, id); })) {
          result.insert(id);
          break;
        }
        if (id == fold) break;
      }
    }
    return result;
  }

 private:
  std::vector<ir::ValueId> operands(ir::ValueId id) const { return ir::operands_of(kernel_.values[id].op); }

  // Folds along lanes, and what is made of them. Ids ascend from operands to results.
  void find_folds() {
    for (const auto& [id, dependence] : analysis_.dependence) {
      const auto* reduce = std::get_if<ir::Reduce>(&kernel_.values[id].op);
      if (reduce && meet({reduce->axes.begin(), reduce->axes.end()}, lanes_)) folds_.insert(id);
      const auto is_found = [&](ir::ValueId operand) { return of_folds_.contains(operand); };
      if (folds_.contains(id) || std::ranges::any_of(operands(id), is_found)) of_folds_.insert(id);
    }
  }

  bool is_held_alike(ir::ValueId id) const {
    if (!of_folds_.contains(id)) return false;
    const AxisSet& axes = analysis_.dependence.at(id).axes;
    return !meet(axes, lanes_) && meet(axes, looped_);
  }
  void add(ir::ValueId id, std::set<ir::ValueId>& result) const {
    if (is_held_alike(id)) result.insert(id);
  }

  ir::ValueId previous(ir::ValueId id) const { return std::prev(analysis_.dependence.find(id))->first; }

  bool needs(ir::ValueId id, ir::ValueId operand) const {
    std::set<ir::ValueId> visited;
    return needs(id, operand, visited);
  }
  bool needs(ir::ValueId id, ir::ValueId operand, std::set<ir::ValueId>& visited) const {
    if (id == operand) return true;
    if (id < operand || !visited.insert(id).second) return false;
    return std::ranges::any_of(operands(id),
                               [&](ir::ValueId below) { return needs(below, operand, visited); });
  }

  bool has_lane(ir::VariableId variable) const {
    const auto& axes = kernel_.variables[variable].axes;
    return meet({axes.begin(), axes.end()}, lanes_);
  }

  // What a statement does for each element of a lane.
  std::vector<ir::ValueId> values_of_elements(const ir::Statement& root) const {
    if (const auto* assign = std::get_if<ir::Assign>(&root.node))
      return has_lane(assign->variable) ? std::vector{assign->value} : std::vector<ir::ValueId>{};
    if (const auto* declare = std::get_if<ir::Declare>(&root.node))
      return has_lane(declare->variable) ? std::vector{declare->initial} : std::vector<ir::ValueId>{};
    const auto& write = std::get<ir::Write>(root.node);
    std::vector<ir::ValueId> values = write.indices;
    values.push_back(write.value);
    const bool is_in_lane = std::ranges::any_of(
        values, [&](ir::ValueId id) { return meet(analysis_.dependence.at(id).axes, lanes_); });
    return is_in_lane ? values : std::vector<ir::ValueId>{};
  }

  const ir::Kernel& kernel_;
  const PhaseAnalysis& analysis_;
  const AxisSet& lanes_;
  const AxisSet& looped_;
  std::set<ir::ValueId> folds_, of_folds_;
};

/// What is held so far, and the room for it.
class Room {
 public:
  Room(const ir::Kernel& kernel, ir::SizeTable& sizes, const PlanOverrides& overrides, const PhasePlan& phase,
       const AxisSet& looped)
      : kernel_(kernel), sizes_(sizes), overrides_(overrides), phase_(phase), looped_(looped) {}

  /// False where a value has no bound, or there is no room for it.
  bool hold(ir::ValueId id) {
    if (held_.contains(id)) return true;
    HeldAxes axes;
    int64_t bytes = kElementBytes;
    for (ir::AxisId axis : phase_.analysis.dependence.at(id).axes) {
      if (!looped_.contains(axis)) continue;
      const auto extent = extent_of(axis);
      if (!extent || *extent > kMostGroupBytes) return false;
      axes.push_back({axis, *extent});
      bytes = std::min(bytes * *extent, kMostGroupBytes + 1);
    }
    if (bytes_ + bytes > kMostGroupBytes) return false;
    bytes_ += bytes;
    held_.emplace(id, std::move(axes));
    return true;
  }

  std::map<ir::ValueId, HeldAxes> held() && { return std::move(held_); }

 private:
  std::optional<int64_t> extent_of(ir::AxisId axis) const {
    if (phase_.analysis.loops.contains(axis)) return phase_.serial_tile(axis);
    const int64_t tile = fixed_tile(kernel_, overrides_, axis);
    if (tile > 0) return tile;
    if (kernel_.axes[axis].kind == ir::AxisKind::grid) return std::nullopt;
    return ir::greatest_extent(kernel_, sizes_, axis);
  }

  const ir::Kernel& kernel_;
  ir::SizeTable& sizes_;
  const PlanOverrides& overrides_;
  const PhasePlan& phase_;
  const AxisSet& looped_;
  std::map<ir::ValueId, HeldAxes> held_;
  int64_t bytes_ = 0;  // of a group
};

}  // namespace

std::optional<std::map<ir::ValueId, HeldAxes>> held_values(const ir::Kernel& kernel, ir::SizeTable& sizes,
                                                           const PlanOverrides& overrides,
                                                           const PhasePlan& phase, const AxisSet& lanes,
                                                           const AxisSet& looped) {
  const Search search(kernel, phase.analysis, lanes, looped);
  Room room(kernel, sizes, overrides, phase, looped);
  const std::set<ir::ValueId> needed = search.needed();
  if (!std::ranges::all_of(needed, [&](ir::ValueId id) { return room.hold(id); })) return std::nullopt;
  for (ir::ValueId id : search.shared(needed)) (void)room.hold(id);
  return std::move(room).held();
}

int64_t held_bytes_of_group(const ir::Kernel& kernel, const PhasePlan& phase) {
  int64_t bytes = 0;
  for (const auto& [id, axes] : phase.held) {
    const ir::Value& value = kernel.values[id];
    int64_t of_value = is_narrow_float(value.dtype) ? 4 : size_in_bytes(value.dtype);  // held as f32
    if (!value.total) ++of_value;                                                      // a flag
    for (const auto& [axis, extent] : axes) of_value *= extent;
    bytes += of_value;
  }
  return bytes;
}

AxisSet axes_around_writes(const ir::Kernel& kernel, const PhaseAnalysis& analysis, const AxisSet& lanes,
                           const AxisSet& looped) {
  const Search search(kernel, analysis, lanes, looped);
  const std::set<ir::ValueId> needed = search.needed();
  AxisSet result;
  for (ir::AxisId axis : looped)
    if (!analysis.loops.contains(axis) && kernel.axes[axis].kind == ir::AxisKind::let &&
        search.is_written_along(axis, needed))
      result.insert(axis);
  return result;
}

}  // namespace tessera::emit
