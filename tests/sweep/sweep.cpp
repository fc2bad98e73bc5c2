// SPDX-License-Identifier: Apache-2.0
// The sweep; see sweep.h.
#include "sweep/sweep.h"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdio>
#include <deque>
#include <map>
#include <mutex>
#include <ranges>
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

/// A problem that costs more on the twin, some seconds, is tried in one layout: others of the kernel are in the rest.
constexpr std::int64_t kStepsForOneLayout = 30'000'000;

/// What all threads of a sweep share.
struct Shared {
  const std::function<const Executors&(const Case&)>& executors_of;
  const Options& options;
  Ledger& ledger;
  Digests& digests;
  std::chrono::steady_clock::time_point end;  // of taking problems
  std::atomic<std::int64_t> left_out = 0;

  bool is_over() const { return std::chrono::steady_clock::now() >= end; }
};

/// The sweep of one problem: every layout, every way to run it.
class ProblemSweep {
 public:
  ProblemSweep(const Case& description, const Executors& executors, Shared& shared)
      : case_(description), executors_(executors), shared_(shared) {}

  void run(const Sizes& sizes, std::size_t number) {
    const bool all_layouts = shared_.options.all_layouts;
    Problem problem(case_, sizes, number + 1);
    problem.solve();
    const std::int64_t steps = try_layout(problem, Layout::dense);
    if (!all_layouts && steps > kStepsForOneLayout) return;
    // The rest of the layouts but the last, which is another problem.
    constexpr std::size_t kOthers = std::size(kLayouts) - 2;
    for (std::size_t other = 0; other < kOthers; ++other) {
      if (all_layouts || number % kOthers == other) try_layout(problem, kLayouts[1 + other]);
    }
    if (!all_layouts && number % 4 != 0) return;
    repeat_values(problem);
    problem.solve();
    baseline_.reset();
    try_layout(problem, Layout::broadcast);
  }

 private:
  /// What the executor that takes longest cost, in steps of the twin.
  std::int64_t try_layout(Problem& problem, Layout layout) {
    if (shared_.is_over()) {
      ++shared_.left_out;
      return 0;
    }
    std::int64_t steps = 0;
    const bool other_values = layout == Layout::dense || layout == Layout::broadcast;
    for (const auto& executor : executors_) {
      if (!other_values && !executor->sees_layouts()) continue;
      const auto begin = std::chrono::steady_clock::now();
      const std::int64_t of_this = executor->run(
          problem, layout, [&](Run run) { judge_run(problem, layout, executor->name(), std::move(run)); });
      steps = std::max(steps, of_this);
      const std::chrono::duration<double> time = std::chrono::steady_clock::now() - begin;
      shared_.ledger.took(case_.name, executor->name(), time.count());
    }
    return steps;
  }

  void judge_run(const Problem& problem, Layout layout, const std::string& executor, Run run) {
    const std::string place = spell(problem.sizes()) + ", " + to_string(layout) + ", " + run.how;
    const auto fail = [&](const std::string& text) {
      shared_.ledger.failed(case_.name, executor, place + ": " + text);
    };
    if (!run.error.empty()) return fail(run.error);
    const Verdict verdict = judge(problem, run.outputs);
    if (!verdict.mistakes.empty()) return fail(verdict.mistakes);
    if (case_.exactness != Exactness::kBounded) {
      if (baseline_) {
        const std::string difference = first_difference(baseline_->outputs, run.outputs, case_.exactness);
        if (!difference.empty()) return fail("differs from " + baseline_->how + ": " + difference);
      } else if (const std::string difference = note_digests(problem, layout, run.outputs);
                 !difference.empty()) {
        return fail("bits of " + difference + " differ from those that were expected");
      }
    }
    shared_.ledger.passed(case_.name, executor, verdict.ratio);
    if (baseline_ || case_.exactness == Exactness::kBounded) return;
    run.how = executor + ", " + place;
    baseline_ = std::move(run);
  }

  /// The output whose bits are not those that were read, or nothing.
  std::string note_digests(const Problem& problem, Layout layout, const Outputs& outputs) {
    for (const auto& [name, values] : outputs) {
      const std::string result = case_.name + " " + name + " " + spell(problem.sizes()) +
                                 (layout == Layout::broadcast ? " repeated" : "");
      if (!shared_.digests.note(result, digest(values, case_.exactness))) return name;
    }
    return {};
  }

  const Case& case_;
  const Executors& executors_;
  Shared& shared_;
  std::optional<Run> baseline_;  // the first run of the problem; all others must give its bits
};

/// The sweep of one kernel, by any number of threads.
class KernelSweep {
 public:
  KernelSweep(const Case& description, Shared& shared) : case_(description), shared_(shared) {}

  /// Tries problems until all of them are taken.
  void run() {
    std::call_once(is_prepared_, [this] { prepare(); });
    for (std::size_t number = next_++; number < chosen_.size(); number = next_++) {
      if (shared_.is_over()) {
        ++shared_.left_out;
      } else {
        ProblemSweep(case_, *executors_, shared_).run(chosen_[number], number);
      }
    }
  }

 private:
  void prepare() {
    const std::vector<Sizes> all = all_sizes(case_, shared_.options.largest);
    chosen_ = sample(case_, all, shared_.options.budget, problems());
    shared_.ledger.sampled(case_.name, static_cast<std::int64_t>(chosen_.size()),
                           static_cast<std::int64_t>(all.size()));
    executors_ = &shared_.executors_of(case_);
  }

  std::size_t problems() const {
    const Options& options = shared_.options;
    if (options.all_layouts) return options.problems;
    const bool is_limited = case_.problems < Case{}.problems;
    return std::min(is_limited ? options.limited_problems : options.problems, case_.problems);
  }

  const Case& case_;
  Shared& shared_;
  std::once_flag is_prepared_;
  const Executors* executors_ = nullptr;
  std::vector<Sizes> chosen_;
  std::atomic<std::size_t> next_ = 0;
};

/// One of each file first: who comes to a file's second kernel while the executors of the first are compiled waits for
/// them.
std::vector<const Case*> chosen_cases(const Options& options) {
  std::multimap<int, const Case*> result;  // by how many of the same file come before
  std::map<std::string, int> of_file;
  for (const Case& description : reference::cases()) {
    if (options.kernels.empty() || std::ranges::count(options.kernels, description.name) > 0)
      result.emplace(of_file[description.file]++, &description);
  }
  const auto cases = std::views::values(result);
  return {cases.begin(), cases.end()};
}

}  // namespace

int sweep(const std::function<const Executors&(const Case&)>& executors_of, const Options& options) {
  Ledger ledger;
  Digests digests;
  if (!options.expect_digests.empty() && !digests.read(options.expect_digests)) {
    std::fprintf(stderr, "cannot read %s\n", options.expect_digests.c_str());
    return 3;
  }
  const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(options.seconds);
  Shared shared{executors_of, options, ledger, digests, end};
  std::deque<KernelSweep> kernels;
  for (const Case* description : chosen_cases(options)) kernels.emplace_back(*description, shared);
  std::atomic<std::size_t> next = 0;
  const auto work = [&] {
    for (std::size_t i = next++; i < kernels.size(); i = next++) kernels[i].run();
    for (KernelSweep& kernel : kernels) kernel.run();  // what others have not come to yet
  };
  {
    std::vector<std::jthread> helpers;
    for (int i = 1; i < options.threads; ++i) helpers.emplace_back(work);
    work();
  }
  ledger.print();
  if (shared.left_out > 0)
    std::printf("%lld problems or layouts were left out: the time was over\n",
                static_cast<long long>(shared.left_out.load()));
  if (!options.expect_digests.empty())
    std::printf("%lld results compared bit by bit with %s\n", static_cast<long long>(digests.compared()),
                options.expect_digests.c_str());
  if (!options.write_digests.empty() && !digests.write(options.write_digests)) {
    std::fprintf(stderr, "cannot write %s\n", options.write_digests.c_str());
    return 3;
  }
  return ledger.failures() == 0 && shared.left_out == 0 && !kernels.empty() ? 0 : 4;
}

}  // namespace tessera::sweep
