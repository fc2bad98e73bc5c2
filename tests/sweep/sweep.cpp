// SPDX-License-Identifier: Apache-2.0
// The sweep; see sweep.h.
#include "sweep/sweep.h"

#include <algorithm>
#include <atomic>
#include <cstdio>
#include <thread>

#include "sweep/digests.h"
#include "sweep/judge.h"
#include "sweep/ledger.h"
#include "sweep/sizes.h"

namespace tessera::sweep {

namespace {

using reference::Case;
using reference::Exactness;
using reference::Problem;
using reference::Sizes;

/// The sweep of one kernel.
class KernelSweep {
 public:
  KernelSweep(const Case& description, const Executors& executors, const Options& options, Ledger& ledger,
              Digests& digests)
      : case_(description), executors_(executors), options_(options), ledger_(ledger), digests_(digests) {}

  void run() {
    const std::vector<Sizes> all = all_sizes(case_, options_.largest);
    const std::vector<Sizes> chosen = sample(case_, all, options_.budget, problems());
    ledger_.sampled(case_.name, static_cast<std::int64_t>(chosen.size()),
                    static_cast<std::int64_t>(all.size()));
    for (std::size_t number = 0; number < chosen.size(); ++number) try_sizes(chosen[number], number);
  }

 private:
  std::size_t problems() const {
    if (options_.all_layouts) return options_.problems;
    const bool is_limited = case_.problems < Case{}.problems;
    return std::min(is_limited ? options_.limited_problems : options_.problems, case_.problems);
  }

  void try_sizes(const Sizes& sizes, std::size_t number) {
    Problem problem(case_, sizes, number + 1);
    problem.solve();
    baseline_.reset();
    try_layout(problem, Layout::dense);
    // The rest of the layouts but the last, which is another problem.
    constexpr std::size_t kOthers = std::size(kLayouts) - 2;
    for (std::size_t other = 0; other < kOthers; ++other) {
      if (options_.all_layouts || number % kOthers == other) try_layout(problem, kLayouts[1 + other]);
    }
    if (!options_.all_layouts && number % 4 != 0) return;
    repeat_values(problem);
    problem.solve();
    baseline_.reset();
    try_layout(problem, Layout::broadcast);
  }

  void try_layout(Problem& problem, Layout layout) {
    const bool other_values = layout == Layout::dense || layout == Layout::broadcast;
    for (const auto& executor : executors_) {
      if (!other_values && !executor->sees_layouts()) continue;
      executor->run(problem, layout,
                    [&](Run run) { judge_run(problem, layout, executor->name(), std::move(run)); });
    }
  }

  void judge_run(const Problem& problem, Layout layout, const std::string& executor, Run run) {
    const std::string place = spell(problem.sizes()) + ", " + to_string(layout) + ", " + run.how;
    const auto fail = [&](const std::string& text) {
      ledger_.failed(case_.name, executor, place + ": " + text);
    };
    if (!run.error.empty()) return fail(run.error);
    const Verdict verdict = judge(problem, run.outputs);
    if (!verdict.mistakes.empty()) return fail(verdict.mistakes);
    if (case_.exactness == Exactness::kBitwise) {
      if (baseline_) {
        const std::string difference = first_difference(baseline_->outputs, run.outputs);
        if (!difference.empty()) return fail("differs from " + baseline_->how + ": " + difference);
      } else if (const std::string difference = note_digests(problem, layout, run.outputs);
                 !difference.empty()) {
        return fail("bits of " + difference + " differ from those that were expected");
      }
    }
    ledger_.passed(case_.name, executor, verdict.ratio);
    if (baseline_ || case_.exactness != Exactness::kBitwise) return;
    run.how = executor + ", " + place;
    baseline_ = std::move(run);
  }

  /// The output whose bits are not those that were read, or nothing.
  std::string note_digests(const Problem& problem, Layout layout, const Outputs& outputs) {
    for (const auto& [name, values] : outputs) {
      const std::string result = case_.name + " " + name + " " + spell(problem.sizes()) +
                                 (layout == Layout::broadcast ? " repeated" : "");
      if (!digests_.note(result, digest(values))) return name;
    }
    return {};
  }

  const Case& case_;
  const Executors& executors_;
  const Options& options_;
  Ledger& ledger_;
  Digests& digests_;
  std::optional<Run> baseline_;  // the first run of the problem; all others must give its bits
};

std::vector<const Case*> chosen_cases(const Options& options) {
  std::vector<const Case*> result;
  for (const Case& description : reference::cases()) {
    if (options.kernels.empty() || std::ranges::count(options.kernels, description.name) > 0)
      result.push_back(&description);
  }
  return result;
}

}  // namespace

int sweep(const std::function<const Executors&(const Case&)>& executors_of, const Options& options) {
  Ledger ledger;
  Digests digests;
  if (!options.expect_digests.empty() && !digests.read(options.expect_digests)) {
    std::fprintf(stderr, "cannot read %s\n", options.expect_digests.c_str());
    return 3;
  }
  const std::vector<const Case*> cases = chosen_cases(options);
  std::atomic<std::size_t> next = 0;
  const auto work = [&] {
    for (std::size_t i = next++; i < cases.size(); i = next++)
      KernelSweep(*cases[i], executors_of(*cases[i]), options, ledger, digests).run();
  };
  {
    std::vector<std::jthread> helpers;
    for (int i = 1; i < options.threads; ++i) helpers.emplace_back(work);
    work();
  }
  ledger.print();
  if (!options.expect_digests.empty())
    std::printf("%lld results compared bit by bit with %s\n", static_cast<long long>(digests.compared()),
                options.expect_digests.c_str());
  if (!options.write_digests.empty() && !digests.write(options.write_digests)) {
    std::fprintf(stderr, "cannot write %s\n", options.write_digests.c_str());
    return 3;
  }
  return ledger.failures() == 0 && !cases.empty() ? 0 : 4;
}

}  // namespace tessera::sweep
