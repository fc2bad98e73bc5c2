// SPDX-License-Identifier: Apache-2.0
// Generated programs on the interpreter and on the host twin, under many plans: every one gives what the independent
// evaluation gives. `fuzz_twin --help` lists the options.
#include <CLI/CLI.hpp>
#include <atomic>
#include <chrono>
#include <cstdio>
#include <mutex>
#include <thread>

#include "driver/toolchain.h"
#include "fuzz/differential.h"
#include "fuzz/generate.h"
#include "fuzz/print.h"
#include "fuzz/reduce.h"
#include "fuzz/seeds.h"

namespace tessera::fuzz {

namespace {

struct Options {
  std::string seeds = "1..100";
  double seconds = 1e9;
  std::size_t pairs = 1000000000;
  int jobs = 2;
  std::size_t batch = 12;  ///< programs of a unit
  std::size_t plans = 4;
  Profile profile;
  std::uint64_t replay = 0;
  bool reduces = false;
  std::string plant;
};

std::optional<emit::Fault> fault_of(const std::string& text) {
  using Kind = emit::Fault::Kind;
  static const std::pair<const char*, Kind> kKinds[] = {{"guard", Kind::guard},
                                                        {"barrier", Kind::barrier},
                                                        {"fill", Kind::fill},
                                                        {"initialisation", Kind::initialisation},
                                                        {"mask", Kind::mask}};
  for (const auto& [name, kind] : kKinds) {
    if (text.starts_with(name)) return emit::Fault{kind, std::atoi(text.substr(text.find(':') + 1).c_str())};
  }
  return std::nullopt;
}

class Runner {
 public:
  Runner(const Options& options, Differential how, std::uint64_t first, std::uint64_t last)
      : options_(options), how_(std::move(how)), next_(first), last_(last) {}

  int run() {
    std::vector<std::thread> threads;
    for (int i = 0; i < options_.jobs; ++i) threads.emplace_back([this] { work(); });
    for (std::thread& thread : threads) thread.join();
    const double seconds = elapsed();
    std::printf(
        "%zu programs, %zu accepted (%.1f %%), %zu pairs, %zu runs, %zu plans refused, %zu failures, %.1f s, "
        "%.1f "
        "pairs/s\n",
        totals_.programs, totals_.accepted,
        100.0 * static_cast<double>(totals_.accepted) / static_cast<double>(totals_.programs), totals_.pairs,
        totals_.runs, totals_.refused, failures_, seconds, static_cast<double>(totals_.pairs) / seconds);
    return failures_ == 0 ? 0 : 1;
  }

 private:
  double elapsed() const {
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - start_).count();
  }

  void work() {
    while (true) {
      const std::uint64_t first = next_.fetch_add(options_.batch);
      if (first > last_ || elapsed() > options_.seconds) return;
      std::vector<Program> programs;
      for (std::uint64_t seed = first; seed < first + options_.batch && seed <= last_; ++seed)
        programs.push_back(generate(seed, options_.profile));
      Totals totals;
      const std::vector<Failure> failures = run_programs(how_, programs, totals);
      for (const Failure& failure : failures) report(failure);
      const std::lock_guard lock(mutex_);
      totals_.add(totals);
      std::printf("to seed %llu: %zu pairs, %.0f s\n",
                  static_cast<unsigned long long>(first + programs.size() - 1), totals_.pairs, elapsed());
      std::fflush(stdout);
      if (totals_.pairs >= options_.pairs) return;
    }
  }

  void report(const Failure& failure) {
    std::string text = print(failure.program);
    if (options_.reduces) text += "reduced:\n" + print(reduced(failure));
    const std::lock_guard lock(mutex_);
    ++failures_;
    std::printf("FAILURE seed %llu, %s, %s\n%s\n%s\n", static_cast<unsigned long long>(failure.program.seed),
                failure.kind.c_str(),
                failure.configuration ? failure.configuration->name().c_str() : "no plan",
                failure.detail.c_str(), text.c_str());
    std::fflush(stdout);
  }

  Program reduced(const Failure& failure) const {
    Differential how = how_;
    how.only = failure.configuration;
    return reduce(failure.program, [&](const Program& candidate) {
      Totals totals;
      const std::vector<Failure> failures = run_programs(how, {candidate}, totals);
      return !failures.empty() && failures[0].kind == failure.kind;
    });
  }

  const Options& options_;
  Differential how_;
  std::atomic<std::uint64_t> next_;
  std::uint64_t last_;
  std::chrono::steady_clock::time_point start_ = std::chrono::steady_clock::now();
  std::mutex mutex_;
  Totals totals_;
  std::size_t failures_ = 0;
};

}  // namespace

}  // namespace tessera::fuzz

int main(int count, char** arguments) {
  using namespace tessera::fuzz;
  Options options;
  CLI::App app("Generated programs on the interpreter and the host twin");
  app.add_option("--seeds", options.seeds, "first and last seed: 1..100");
  app.add_option("--seconds", options.seconds, "begin no batch after so long");
  app.add_option("--pairs", options.pairs,
                 "begin no batch after so many pairs of a program and a plan with extents");
  app.add_option("--jobs", options.jobs, "threads");
  app.add_option("--batch", options.batch, "programs of a unit");
  app.add_option("--plans", options.plans, "plans of a program");
  app.add_option("--problems", options.profile.problems, "sets of extents of a program");
  app.add_option("--large-problems", options.profile.large_problems, "those that make work");
  app.add_option("--replay", options.replay, "this seed alone, reduced if it fails");
  app.add_flag("--reduce", options.reduces, "reduce what fails");
  app.add_option("--plant", options.plant, "a fault in generated code: guard:0, barrier:1, fill:0, mask:0 …");
  CLI11_PARSE(app, count, arguments);
  const auto seeds = parse_seeds("fuzz_twin", options.seeds);
  if (!seeds) return 2;
  auto [first, last] = *seeds;
  if (options.replay != 0) {
    first = last = options.replay;
    options.reduces = true;
    options.jobs = 1;
    std::printf("%s\n", print(generate(first, options.profile)).c_str());
  }
  const tessera::driver::ToolLookup compiler = tessera::driver::find_host_compiler({});
  if (!compiler.tool) {
    std::fprintf(stderr, "fuzz_twin: %s\n", compiler.problem.c_str());
    return 3;
  }
  Differential how{*compiler.tool, options.plans, fault_of(options.plant), {}};
  return Runner(options, std::move(how), first, last).run();
}
