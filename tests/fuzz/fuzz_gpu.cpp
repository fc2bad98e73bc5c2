// SPDX-License-Identifier: Apache-2.0
// Generated programs on a GPU: every program of a folder that `fuzz_write` filled and run_gpu.sh compiled gives what
// the independent evaluation gives. `fuzz_gpu --help` lists the options.
#include <dlfcn.h>

#include <CLI/CLI.hpp>
#include <atomic>
#include <chrono>
#include <cstdio>
#include <mutex>
#include <thread>

#include "fuzz/generate.h"
#include "fuzz/launch.h"
#include "fuzz/print.h"
#include "fuzz/unit_index.h"
#include "tessera/runner.h"

namespace tessera::fuzz {

namespace {

class Runner {
 public:
  explicit Runner(std::vector<UnitEntry> entries) : entries_(std::move(entries)) {}

  int run(int jobs) {
    const auto start = std::chrono::steady_clock::now();
    std::vector<std::thread> threads;
    for (int i = 0; i < jobs; ++i) threads.emplace_back([this] { work(); });
    for (std::thread& thread : threads) thread.join();
    const std::chrono::duration<double> seconds = std::chrono::steady_clock::now() - start;
    std::printf("%zu programs under a plan, %zu pairs, %zu runs, %zu failures, %.1f s\n", programs_.load(),
                pairs_.load(), runs_.load(), failures_.load(), seconds.count());
    return failures_ == 0 && programs_ == entries_.size() ? 0 : 1;
  }

 private:
  void work() {
    while (true) {
      const std::size_t next = next_++;
      if (next >= entries_.size() || is_lost_) return;
      run_entry(entries_[next]);
      ++programs_;
    }
  }

  void run_entry(const UnitEntry& entry) {
    const Program program = generate(entry.seed, entry.profile);
    const auto launch = reinterpret_cast<sweep::Entry>(::dlsym(entry.object, entry.symbol.c_str()));
    if (launch == nullptr) return report(entry, program, "no " + entry.symbol + " in the unit");
    for (int problem = 0; problem < program.problems; ++problem) {
      std::size_t runs = 0;
      const Expected expected = evaluate(program, problem, 7);
      const std::string wrong = launch_everywhere(launch, program, problem, expected, program.seed, runs);
      ++pairs_;
      runs_ += runs;
      if (!wrong.empty()) return report(entry, program, wrong);
    }
  }

  /// After a fault of the device nothing runs any more in this process.
  void report(const UnitEntry& entry, const Program& program, const std::string& wrong) {
    const std::lock_guard lock(mutex_);
    if (is_lost_) return;
    is_lost_ = tessera_runner_synchronize(0) != 0;
    ++failures_;
    std::printf("FAILURE seed %llu, %s\n%s\n%s\n", static_cast<unsigned long long>(entry.seed),
                entry.plan.c_str(), wrong.c_str(), print(program).c_str());
    if (is_lost_) std::printf("the device is lost to this process, the rest does not run\n");
    std::fflush(stdout);
  }

  std::vector<UnitEntry> entries_;
  std::atomic<std::size_t> next_ = 0, programs_ = 0, pairs_ = 0, runs_ = 0, failures_ = 0;
  std::atomic<bool> is_lost_ = false;
  std::mutex mutex_;
};

}  // namespace

}  // namespace tessera::fuzz

int main(int count, char** arguments) {
  using namespace tessera::fuzz;
  std::string folder = ".";
  int jobs = 8;
  CLI::App app("Generated programs on a GPU");
  app.add_option("--folder", folder, "compiled units");
  app.add_option("--jobs", jobs, "threads of the host");
  CLI11_PARSE(app, count, arguments);
  int devices = 0;
  char name[256] = "";
  if (tessera_runner_device_count(&devices) != 0 || tessera_runner_device_name(0, name, sizeof name) != 0) {
    std::fprintf(stderr, "fuzz_gpu: no GPU: %s\n", tessera_runner_last_error());
    return 3;
  }
  std::string error;
  std::vector<UnitEntry> entries = load_units(folder, error);
  if (!error.empty() || entries.empty()) {
    std::fprintf(stderr, "fuzz_gpu: %s\n", error.empty() ? "no units" : error.c_str());
    return 2;
  }
  std::printf("on %s\n", name);
  return Runner(std::move(entries)).run(jobs);
}
