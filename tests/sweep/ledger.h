// SPDX-License-Identifier: Apache-2.0
// What a sweep found, counted for each kernel and executor, and printed as a table at the end.
#pragma once

#include <cstdint>
#include <map>
#include <mutex>
#include <string>
#include <utility>

namespace tessera::sweep {

/// May be used by several threads at once.
class Ledger {
 public:
  /// A run whose outputs were within their bounds by this ratio of error to bound.
  void passed(const std::string& kernel, const std::string& executor, double ratio);
  /// Prints the failure, unless there were many of this kernel and executor already.
  void failed(const std::string& kernel, const std::string& executor, const std::string& text);
  /// Time of a thread that went into runs and their judgement.
  void took(const std::string& kernel, const std::string& executor, double seconds);
  /// How many problems of a kernel were run, of how many.
  void sampled(const std::string& kernel, std::int64_t problems, std::int64_t of);

  void print() const;
  std::int64_t failures() const { return failures_; }

 private:
  struct Line {
    std::int64_t passed = 0, failed = 0;
    double worst = 0, seconds = 0;
  };

  std::mutex mutex_;
  std::map<std::pair<std::string, std::string>, Line> lines_;
  std::map<std::string, std::pair<std::int64_t, std::int64_t>> samples_;
  std::int64_t failures_ = 0;
};

}  // namespace tessera::sweep
