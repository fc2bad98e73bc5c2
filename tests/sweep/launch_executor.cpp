// SPDX-License-Identifier: Apache-2.0
// Launches generated code through its type-erased entry, with memory from the runner.
#include <optional>

#include "sweep/device_tensor.h"
#include "sweep/executor.h"
#include "sweep/sizes.h"
#include "tessera/runner.h"

namespace tessera::sweep {

namespace {

using reference::Problem;
using reference::TensorSpec;

constexpr int kMostVariants = 32;
/// The launcher's own choice is one of the variants, so that it is tried on small problems only.
constexpr std::int64_t kSmall = 1 << 14;

/// Steps of the twin's threads, less than a second of them: no further variant is taken then.
constexpr std::int64_t kMostSteps = 10'000'000;

/// A number for a problem and a layout of it: what it is taken modulo takes turns over them.
std::size_t turn_of(const Problem& problem, Layout layout) {
  auto turn = static_cast<std::size_t>(layout);
  for (const auto& [name, extent] : problem.sizes()) turn = turn * 31 + static_cast<std::size_t>(extent);
  return turn;
}

/// What launches of this thread have cost so far; nothing on a GPU.
std::int64_t steps_so_far() {
  std::int64_t steps = 0;
  if (tessera_runner_is_twin() != 0) (void)tessera_runner_twin_steps(&steps);
  return steps;
}

/// The tensors and scalars of a call, kept for all its variants.
class Call {
 public:
  Call(Entry entry, Problem& problem) : entry_(entry) {
    for (const reference::ScalarSpec& spec : problem.description().scalars) {
      const double value = problem.scalar(spec.name);
      TesseraScalar scalar;
      if (reference::format_of(spec.dtype).is_float())
        scalar.real = value;
      else
        scalar.integer = static_cast<std::int64_t>(value);
      scalars_.push_back(scalar);
    }
  }

  /// Brings the inputs to the device; false when the runner failed.
  bool prepare(Problem& problem, Layout layout) {
    for (const TensorSpec& spec : problem.description().tensors) {
      tensors_.emplace_back(Placement(layout, spec, problem.shape(spec.name), tensors_.size()));
      specs_.push_back(&spec);
      DeviceTensor& tensor = tensors_.back();
      if (!tensor.allocate() || (!spec.output && !tensor.put(problem.values(spec.name)))) return false;
      arguments_.push_back(tensor.argument());
    }
    return true;
  }

  /// Runs one variant; absent when it does not exist or does not fit.
  std::optional<Run> run(int variant) {
    Run run{variant < 0 ? "chosen variant" : "variant " + std::to_string(variant), {}, {}};
    for (std::size_t i = 0; i < tensors_.size(); ++i) {
      if (specs_[i]->output && !tensors_[i].poison()) return run.error = tessera_runner_last_error(), run;
    }
    const TesseraLaunch launch{nullptr, variant < 0 ? 0 : TESSERA_VARIANT(variant), 0, 0};
    const TesseraStatus status = entry_(arguments_.data(), scalars_.data(), &launch);
    if (status.code == TESSERA_UNKNOWN_VARIANT && variant >= 0) return std::nullopt;
    if (status.code != TESSERA_OK) return run.error = status_text(status), run;
    if (tessera_runner_synchronize(0) != 0) return run.error = tessera_runner_last_error(), run;
    collect(run);
    return run;
  }

  /// What the runs so far have written into inputs or beside them; nothing when all is well. Asked once for all variants,
  /// since every answer copies all inputs from the device.
  std::string changes_of_inputs() const {
    std::string changes;
    for (std::size_t i = 0; i < tensors_.size(); ++i)
      if (!specs_[i]->output && !tensors_[i].is_unchanged()) add_change(changes, specs_[i]->name);
    return changes;
  }

 private:
  static void add_change(std::string& changes, const std::string& name) {
    changes += (changes.empty() ? "" : "; ") + ("memory that is not an output's changed at " + name);
  }

  void collect(Run& run) const {
    for (std::size_t i = 0; i < tensors_.size(); ++i) {
      if (!specs_[i]->output) continue;
      bool clean = true;
      run.outputs[specs_[i]->name] = tensors_[i].take(clean);
      if (!clean) add_change(run.error, specs_[i]->name);
    }
  }

  Entry entry_;
  std::vector<const TensorSpec*> specs_;
  std::vector<DeviceTensor> tensors_;
  std::vector<TesseraTensor> arguments_;
  std::vector<TesseraScalar> scalars_;
};

}  // namespace

std::string LaunchExecutor::name() const { return tessera_runner_is_twin() != 0 ? "twin" : "gpu"; }

std::int64_t LaunchExecutor::run(Problem& problem, Layout layout, const std::function<void(Run)>& take) {
  const std::size_t turn = turn_of(problem, layout);
  const NamedOrder& named = kTwinOrders[turn % std::size(kTwinOrders)];
  set_order(order_.value_or(named.order));
  const std::string order = order_ || tessera_runner_is_twin() == 0 ? "" : std::string(named.name) + ", ";
  const Entry entry = find_(problem.description().kernel);
  if (entry == nullptr) return 0;
  Call call(entry, problem);
  if (!call.prepare(problem, layout))
    return take({label_ + "preparation", tessera_runner_last_error(), {}}), 0;
  bool has_run = false;
  const auto try_variant = [&](int variant) {
    std::optional<Run> run = call.run(variant);
    if (!run) return;
    has_run = true;
    run->how = label_ + order + run->how;
    take(std::move(*run));
  };
  const std::int64_t begin = steps_so_far();
  if (element_count(problem.description(), problem.sizes()) <= kSmall) try_variant(-1);
  // Of what is too much for all variants, problems and layouts begin with different ones.
  const int first = static_cast<int>(turn / std::size(kTwinOrders) % kMostVariants);
  for (int i = 0; i < kMostVariants && steps_so_far() - begin < kMostSteps; ++i)
    try_variant((first + i) % kMostVariants);
  const std::string changes = call.changes_of_inputs();
  if (!changes.empty()) take({label_ + order + "all variants", changes, {}});
  if (!has_run) take({label_ + order + "all variants", "no variant fits", {}});
  return steps_so_far() - begin;
}

}  // namespace tessera::sweep
