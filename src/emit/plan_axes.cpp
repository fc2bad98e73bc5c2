// SPDX-License-Identifier: Apache-2.0
// The choice of lanes: every candidate is priced by the memory transactions that it causes, the cheapest wins.
#include "emit/plan_axes.h"

#include <fmt/format.h>

#include <algorithm>

#include "emit/access_price.h"
#include "emit/held_values.h"
#include "emit/plan_extents.h"
#include "emit/plan_vectors.h"
#include "sema/ir/extents.h"

namespace tessera::emit {

namespace {

// An axis of at most this constant extent is written out or looped over inside a thread.
constexpr int64_t kSmallExtent = 32;
constexpr int64_t kUnrollExtent = 16;
// The price of what passes through shared memory, and of meeting in folds, as those in access_price.h.
constexpr double kStaged = 2;
constexpr double kGroupReduction = 1.1;
// Rows of a tile that passes through shared memory, unless they are asked for; and the most of rows and of lanes that
// the planner chooses.
constexpr int64_t kStageRows = 32;
constexpr int64_t kMostStageLines = 64;

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
    choose_vectors(kernel_, sizes_, overrides_, phase_);
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

  int64_t tile_of(ir::AxisId id) const { return planned_tile(kernel_, analysis_, overrides_, id); }

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

  double weight(const Access& access) { return weight_of(kernel_, sizes_, access); }
  double price(const Access& access, const Lanes& lanes) { return price_of(sizes_, access, lanes); }
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
      if (!folding_of(lanes)) continue;
      for (ir::AxisId other : possible) {
        if (other == first || !compatible(lanes, other)) continue;
        lanes.push_back(other);
        if (!folding_of(lanes) || outgrows_state(lanes)) lanes.pop_back();
      }
      result.push_back(std::move(lanes));
    }
    return result;
  }

  // How lanes are folded that a group shares. It must do so before its threads part for the elements of what uses a result.
  struct Folding {
    std::map<ir::ValueId, HeldAxes> held;
    AxisSet around_writes;
  };

  // What is folded for several coordinates is held until its elements need it, or these are looped over around the elements,
  // or they have units of their own.
  std::optional<Folding> folding_of(const Lanes& lanes) {
    const AxisSet all(lanes.begin(), lanes.end()), folded = axes_of_folds(all);
    AxisSet looped;
    for (ir::AxisId id : all_tile_axes())
      if (!all.contains(id) && is_looped_in_thread(id) && !(folded.contains(id) && may_be_unit(id)))
        looped.insert(id);
    const auto held = [&] { return held_values(kernel_, sizes_, overrides_, phase_, all, looped); };
    if (auto values = held()) return Folding{std::move(*values), {}};
    const AxisSet around = axes_around_writes(kernel_, analysis_, all, looped);
    for (ir::AxisId id : around) looped.erase(id);
    if (auto values = held()) return Folding{std::move(*values), around};
    return std::nullopt;
  }

  // The axes of what is folded along lanes and used by elements of lanes.
  AxisSet axes_of_folds(const AxisSet& lanes) const {
    const auto has_lane = [&](const AxisSet& axes) {
      return std::ranges::any_of(axes, [&](ir::AxisId id) { return lanes.contains(id); });
    };
    AxisSet result;
    for (const auto& [folded, dependence] : analysis_.dependence) {
      const auto* reduce = std::get_if<ir::Reduce>(&kernel_.values[folded].op);
      if (reduce && has_lane({reduce->axes.begin(), reduce->axes.end()}) &&
          has_lane(analysis_.axes_of_users(kernel_, folded)))
        result.insert(dependence.axes.begin(), dependence.axes.end());
    }
    return result;
  }

  // Whether each coordinate of an axis inside of an instance can be a unit of its own: no result is of several of them.
  bool may_be_unit(ir::AxisId id) const {
    const auto known = phase_.roles.find(id);
    const bool is_free = known == phase_.roles.end() || known->second == Role::serial;
    return is_free && !is_grid_axis(id) && axis(id).is_tile() && is_parallel(id) &&
           std::ranges::none_of(kernel_.variables, [&](const ir::Variable& variable) {
             return std::ranges::count(variable.axes, id) > 0;
           });
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
    if (best->chunked) return;
    Folding folding = *folding_of(best->lanes);
    phase_.held = std::move(folding.held);
    phase_.around_writes = std::move(folding.around_writes);
    explain_folding();
    make_units({best->lanes.begin(), best->lanes.end()});
  }

  // What is folded inside of a unit is folded for one coordinate of it at a time.
  void make_units(const AxisSet& lanes) {
    for (ir::AxisId id : axes_of_folds(lanes)) {
      if (lanes.contains(id) || !is_looped_in_thread(id) || !may_be_unit(id)) continue;
      phase_.roles[id] = Role::unit;
      phase_.units.push_back({.axis = id, .tile = std::max<int64_t>(tile_of(id), 1)});
      phase_.reasons.push_back(fmt::format(
          "units take one coordinate of `{}`: lanes are folded for each, and no result is of several",
          axis(id).name));
    }
  }

  void explain_folding() {
    for (ir::AxisId id : phase_.around_writes)
      phase_.reasons.push_back(
          fmt::format("one coordinate of `{}` after another: lanes are folded for each", axis(id).name));
    for (const auto& [value, axes] : phase_.held) {
      std::string names;
      for (const auto& [id, extent] : axes)
        names += fmt::format("{}`{}`", names.empty() ? "" : ", ", axis(id).name);
      const std::string& name = kernel_.values[value].name;
      phase_.reasons.push_back(
          fmt::format("{} is folded for all of {} before lanes need it, and waits in shared memory",
                      name.empty() ? "a value" : "`" + name + "`", names));
    }
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
