// SPDX-License-Identifier: Apache-2.0
// Requests are added one by one to a plan that is free, and the first with which nothing fits any more is the one that
// is told. What can be honoured is found by the same trial.
#include "emit/tile_blame.h"

#include <fmt/format.h>

#include <algorithm>
#include <functional>

#include "emit/plan_requests.h"

namespace tessera::emit {

namespace {

/// A kernel and a command line that ask for less or for other things than what is compiled.
struct Trial {
  ir::Kernel kernel;
  PlanOverrides overrides;
};

/// One thing that is asked for.
struct Asked {
  std::string text;  // as it is written
  Span span;
  bool is_option = false;  // of the command line: the span is the kernel's
  int64_t value = 0, greatest = 0;
  std::function<void(Trial&, int64_t)> set;   // 0: the planner is free
  std::function<std::string(int64_t)> spell;  // another value as it would be written there
};

class Requests {
 public:
  Requests(const ir::Kernel& kernel, const PhaseAnalysis& analysis, const PlanOverrides& overrides,
           const TilePlan& plan)
      : kernel_(kernel), analysis_(analysis), overrides_(overrides), plan_(plan) {}

  std::vector<Asked> collect() {
    for (const auto& [axis, role] : plan_.roles) add_tile(axis);
    add_count({"warps"}, overrides_.warps, ir::kWarpsRange.most, &PlanOverrides::warps);
    add_count({"stages", "pipeline"}, overrides_.stages, ir::kStagesRange.most, &PlanOverrides::stages);
    return std::move(asked_);
  }

 private:
  void add_tile(ir::AxisId id) {
    const ir::Axis& axis = kernel_.axes[id];
    if (const auto found = overrides_.tiles.find(axis.name); found != overrides_.tiles.end())
      return add_option(fmt::format("tile.{}", axis.name), found->second, kLongestTile,
                        [name = axis.name](Trial& trial, int64_t value) {
                          trial.overrides.tiles.erase(name);
                          if (value > 0) trial.overrides.tiles[name] = value;
                        });
    if (axis.step == ir::StepKind::none || axis.step_size == 0) return;
    // A step that something crosses, or that a loop counts by, is part of the meaning and asks for nothing.
    const bool is_meant = analysis_.crossed.contains(id) || axis.kind != ir::AxisKind::grid;
    if (axis.step == ir::StepKind::semantic && is_meant) return;
    const bool is_named = axis.step == ir::StepKind::plan;
    if (is_named && !names_.insert(axis.step_name).second) return;
    const std::string before = is_named ? axis.step_name + " = " : "by ";
    asked_.push_back({.text = before + std::to_string(axis.step_size),
                      .span = axis.step_span,
                      .value = axis.step_size,
                      .greatest = kLongestTile,
                      .set = [id, is_named, name = axis.step_name](
                                 Trial& trial, int64_t value) { set_step(trial, id, is_named, name, value); },
                      .spell = [](int64_t value) { return std::to_string(value); }});
  }

  /// Axes that share a plan parameter share what it is set to.
  static void set_step(Trial& trial, ir::AxisId id, bool is_named, const std::string& name, int64_t value) {
    for (size_t k = 0; k < trial.kernel.axes.size(); ++k) {
      ir::Axis& axis = trial.kernel.axes[trial.kernel.axes.id_at(k)];
      if (is_named ? axis.step_name == name && axis.step == ir::StepKind::plan
                   : trial.kernel.axes.id_at(k) == id) {
        axis.step = ir::StepKind::plan;
        axis.step_size = value;
      }
    }
  }

  void add_option(const std::string& name, int64_t value, int64_t greatest,
                  std::function<void(Trial&, int64_t)> set) {
    asked_.push_back({.text = fmt::format("--plan {}={}", name, value),
                      .span = kernel_.span,
                      .is_option = true,
                      .value = value,
                      .greatest = greatest,
                      .set = std::move(set),
                      .spell = [name](int64_t other) { return fmt::format("--plan {}={}", name, other); }});
  }

  /// What any of the annotations asks for, or the option of the first name.
  void add_count(const std::vector<std::string>& names, std::optional<int> option, int64_t greatest,
                 std::optional<int> PlanOverrides::*field) {
    const auto set = [names, field](Trial& trial, int64_t value) {
      const auto is_same = [&](const ir::Request& request) {
        return std::ranges::count(names, request.name) > 0;
      };
      std::erase_if(trial.kernel.requests, is_same);
      for (ir::Grid& grid : trial.kernel.grids) std::erase_if(grid.requests, is_same);
      trial.overrides.*field = value > 0 ? std::optional(static_cast<int>(value)) : std::nullopt;
    };
    if (option) return add_option(names[0], *option, greatest, set);
    for (const ir::Request* request : all_requests(kernel_)) {
      if (std::ranges::count(names, request->name) == 0) continue;
      const auto spell = [name = request->name](int64_t value) {
        return fmt::format("@{}({})", name, value);
      };
      asked_.push_back({.text = spell(request->arguments[0]),
                        .span = request->span,
                        .value = request->arguments[0],
                        .greatest = greatest,
                        .set = set,
                        .spell = spell});
      return;
    }
  }

  const ir::Kernel& kernel_;
  const PhaseAnalysis& analysis_;
  const PlanOverrides& overrides_;
  const TilePlan& plan_;
  std::vector<Asked> asked_;
  std::set<std::string> names_;  // plan parameters seen
};

class Blame {
 public:
  Blame(ir::SizeTable& sizes, const Target& target, const TilePlan& plan, Trial trial)
      : sizes_(sizes), target_(target), plan_(plan), trial_(std::move(trial)) {}

  ShapeDecision run(const std::vector<Asked>& asked, DiagnosticSink& sink) {
    for (const Asked& one : asked) one.set(trial_, 0);
    if (std::string reason = attempt(); !reason.empty()) return {ShapeOutcome::impossible, std::move(reason)};
    for (const Asked& one : asked) {
      one.set(trial_, one.value);
      const std::string reason = attempt();
      if (!reason.empty())
        one.set(trial_, report(one, reason, sink));  // the next mistake is found beside its mend
    }
    return {ShapeOutcome::refused, {}};
  }

 private:
  std::string attempt() {
    TilePlan plan = plan_;
    return choose_shapes(trial_.kernel, sizes_, target_, trial_.overrides, plan);
  }

  bool fits(const Asked& one, int64_t value) {
    one.set(trial_, value);
    return attempt().empty();
  }

  /// Returns the nearest value that can be, or 0.
  int64_t report(const Asked& one, const std::string& reason, DiagnosticSink& sink) {
    int64_t below = std::min(one.value - 1, one.greatest), above = std::min(one.value, one.greatest) + 1;
    while (below > 0 && !fits(one, below)) --below;
    while (above <= one.greatest && !fits(one, above)) ++above;
    const bool has_below = below > 0, has_above = above <= one.greatest;
    auto report = sink.report(Diag::request_impossible, one.span, one.text, reason);
    if (!has_below && !has_above) return 0;
    const bool is_below = has_below && (!has_above || one.value - below <= above - one.value);
    const std::string nearest = one.spell(is_below ? below : above);
    const std::string other = has_below && has_above ? fmt::format(", and `{}` on the other side",
                                                                   one.spell(is_below ? above : below))
                                                     : "";
    const std::string text = fmt::format("the nearest that can be is `{}`{}", nearest, other);
    if (one.is_option || !one.span.valid()) {
      report.help("{}", text);
    } else {
      report.fix(one.span, nearest, text);
    }
    return is_below ? below : above;
  }

  ir::SizeTable& sizes_;
  const Target& target_;
  const TilePlan& plan_;
  Trial trial_;
};

}  // namespace

ShapeDecision blame(const ir::Kernel& kernel, const PhaseAnalysis& analysis, ir::SizeTable& sizes,
                    const Target& target, const PlanOverrides& overrides, const TilePlan& plan,
                    DiagnosticSink& sink) {
  const std::vector<Asked> asked = Requests(kernel, analysis, overrides, plan).collect();
  return Blame(sizes, target, plan, {kernel, overrides}).run(asked, sink);
}

}  // namespace tessera::emit
