// SPDX-License-Identifier: Apache-2.0
// What a sweep found; see ledger.h.
#include "sweep/ledger.h"

#include <algorithm>
#include <cinttypes>
#include <cstdio>

namespace tessera::sweep {

namespace {

/// Failures of one kernel on one executor that are printed; all are counted.
constexpr std::int64_t kPrinted = 6;

}  // namespace

void Ledger::passed(const std::string& kernel, const std::string& executor, double ratio) {
  const std::lock_guard lock(mutex_);
  Line& line = lines_[{kernel, executor}];
  ++line.passed;
  line.worst = std::max(line.worst, ratio);
}

void Ledger::failed(const std::string& kernel, const std::string& executor, const std::string& text) {
  const std::lock_guard lock(mutex_);
  ++failures_;
  if (++lines_[{kernel, executor}].failed > kPrinted) return;
  std::printf("FAILED %s on %s: %s\n", kernel.c_str(), executor.c_str(), text.c_str());
  std::fflush(stdout);
}

void Ledger::took(const std::string& kernel, const std::string& executor, double seconds) {
  const std::lock_guard lock(mutex_);
  lines_[{kernel, executor}].seconds += seconds;
}

void Ledger::sampled(const std::string& kernel, std::int64_t problems, std::int64_t of) {
  const std::lock_guard lock(mutex_);
  samples_[kernel] = {problems, of};
}

void Ledger::print() const {
  std::printf("%-28s %-8s %14s %10s %10s %14s %8s\n", "kernel", "executor", "shapes", "passed", "failed",
              "error / bound", "seconds");
  for (const auto& [key, line] : lines_) {
    const auto& [kernel, executor] = key;
    const auto sample = samples_.find(kernel);
    std::string shapes;
    if (sample != samples_.end())
      shapes = std::to_string(sample->second.first) + " of " + std::to_string(sample->second.second);
    std::printf("%-28s %-8s %14s %10" PRId64 " %10" PRId64 " %14.3g %8.1f\n", kernel.c_str(),
                executor.c_str(), shapes.c_str(), line.passed, line.failed, line.worst, line.seconds);
  }
  std::printf("%" PRId64 " failures\n", failures_);
}

}  // namespace tessera::sweep
