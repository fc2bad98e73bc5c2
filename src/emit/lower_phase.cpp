// SPDX-License-Identifier: Apache-2.0
// The functions of a phase. What stays in registers is found by trying: a first run keeps nothing and notes which
// values several sweeps need.
#include <algorithm>

#include "emit/lower_function.h"
#include "emit/tile_lowering.h"

namespace tessera::emit {

using lowered::Expr;

namespace {

// Loads and what needs tens of instructions are worth registers; the rest is computed again.
constexpr int kWorthKeeping = 8;

class Cost {
 public:
  Cost(const KernelPlan& plan, const std::set<Instance>& kept)
      : kernel_(*plan.kernel), phase_(plan.phase), kept_(kept) {}

  int of(const Instance& instance) {
    if (const auto known = known_.find(instance.first); known != known_.end()) return known->second;
    int sum = own(instance.first);
    for (ir::ValueId operand : ir::operands_of(kernel_.values[instance.first].op)) {
      if (!in_lane(operand)) continue;  // the same for a whole row: held anyway
      const bool held = std::any_of(kept_.begin(), kept_.end(),
                                    [&](const Instance& other) { return other.first == operand; });
      if (!held) sum = std::min(sum + of({operand, {}}), 1000);
    }
    return known_[instance.first] = sum;
  }

 private:
  bool in_lane(ir::ValueId id) const {
    const AxisSet& axes = phase_.analysis.dependence.at(id).axes;
    return std::any_of(phase_.lanes.begin(), phase_.lanes.end(),
                       [&](const Lane& lane) { return axes.contains(lane.axis); });
  }

  int own(ir::ValueId id) const {
    const ir::Op& op = kernel_.values[id].op;
    if (std::holds_alternative<ir::Load>(op)) return 20;
    if (std::holds_alternative<ir::Math>(op)) return 15;
    if (std::holds_alternative<ir::Reduce>(op)) return 20;
    const bool free = std::holds_alternative<ir::Constant>(op) ||
                      std::holds_alternative<ir::Coordinate>(op) || std::holds_alternative<ir::Extent>(op) ||
                      std::holds_alternative<ir::ScalarArgument>(op) || std::holds_alternative<ir::Pick>(op);
    return free ? 0 : 1;
  }

  const ir::Kernel& kernel_;
  const PhasePlan& phase_;
  const std::set<Instance>& kept_;
  std::map<ir::ValueId, int> known_;
};

// From what a run without registers computed in which sweep: the values that several sweeps need and that cost more
// than a few instructions to make from the ones kept already. Ids ascend from operands to results.
std::set<Instance> candidates(const KernelPlan& plan, const FunctionPlan& function,
                              const Residency& residency) {
  std::set<Instance> kept;
  for (const auto& [instance, sweeps] : residency.sweeps) {
    if (is_read_ahead(plan, function, instance.first)) kept.insert(instance);
    if (!function.resident) continue;
    if (sweeps.size() < 2 || !plan.kernel->values[instance.first].total) continue;
    if (plan.phase.interleaved.contains(instance.first))
      continue;  // its vector holds what others need as well
    const auto& axes = plan.phase.analysis.dependence.at(instance.first).axes;
    const bool fits = std::none_of(axes.begin(), axes.end(),
                                   [&](ir::AxisId axis) { return plan.phase.role(axis) == Role::serial; });
    if (fits && Cost(plan, kept).of(instance) >= kWorthKeeping) kept.insert(instance);
  }
  return kept;
}

// Rows of which nothing stays in registers are read again, whatever their length.
void drop_empty_residency(KernelPlan& plan, LoweredPhase& lowered) {
  std::vector<FunctionPlan>& functions = plan.phase.functions;
  if (functions.size() != 2 || !plan.phase.has_row_functions() || !lowered.kept[0].values.empty()) return;
  functions.erase(functions.begin());
  lowered.functions.erase(lowered.functions.begin());
  lowered.unit_count.erase(lowered.unit_count.begin());
  lowered.kept.erase(lowered.kept.begin());
  functions[0].suffix.clear();
  lowered.functions[0].name = safe_name(plan.kernel->c_name);
  plan.phase.reasons.back() = "no value of a row is worth registers: rows are read again in each pass";
}

}  // namespace

LoweredPhase lower(KernelPlan& plan) {
  LoweredPhase result;
  for (size_t k = 0; k < plan.tiles.size(); ++k) {
    Residency nothing;
    TileLowering function(plan, k, nothing);
    result.functions.push_back(function.run());
    result.unit_count.push_back(function.unit_count());
    result.kept.emplace_back();
  }
  if (!plan.tiles.empty()) return result;
  for (const FunctionPlan& function : plan.phase.functions) {
    Residency residency;
    lowered::Function text;
    FunctionLowering first(plan, function, residency);
    text = first.run();
    Expr units = first.unit_count();
    std::map<ir::ValueId, ir::AxisId> again = first.again();
    Kept kept;
    if (function.resident || function.ragged) {
      residency.kept = candidates(plan, function, residency);
      // What is read from a kept value is not computed again, so some candidates turn out to be needed once.
      for (bool changed = !residency.kept.empty(); changed;) {
        residency.sweeps.clear();
        FunctionLowering next(plan, function, residency);
        text = next.run();
        units = next.unit_count();
        again = next.again();
        kept.bytes = next.kept_bytes();
        const size_t before = residency.kept.size();
        std::erase_if(residency.kept, [&](const Instance& instance) {
          return residency.lost.contains(instance) ||
                 (residency.sweeps[instance].size() < 2 && !is_read_ahead(plan, function, instance.first));
        });
        changed = residency.kept.size() != before;
      }
      for (const Instance& instance : residency.kept) kept.values.insert(instance.first);
    }
    result.again.insert(again.begin(), again.end());
    result.kept.push_back(std::move(kept));
    result.functions.push_back(std::move(text));
    result.unit_count.push_back(units);
  }
  drop_empty_residency(plan, result);
  return result;
}

}  // namespace tessera::emit
