// SPDX-License-Identifier: Apache-2.0
// The table that `tesserac verify` prints: one row for each way of running a kernel.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace tessera::commands {

/// One wrong element.
struct VerifyFailure {
  std::string device;
  std::string variant;
  std::string sizes;
  std::string tensor;
  std::string position;
  double expected = 0;
  double actual = 0;
  double bound = 0;
};

class VerifyTable {
 public:
  struct Row {
    std::string device;
    std::string variant;
    int64_t sizes = 0;
    int64_t elements = 0;
    int64_t unbounded = 0;  // elements for which anything may come out
    int64_t wrong = 0;
    double worst = 0;  // largest error as a share of its bound
  };

  /// The row of a device and variant, added at the first call. Good until the next call.
  Row& row(const std::string& device, const std::string& variant);
  /// Counts a failure, and keeps the first ones.
  void add_failure(VerifyFailure failure);
  const std::vector<VerifyFailure>& failures() const { return failures_; }
  int64_t failure_count() const { return failure_count_; }

  /// The table as text.
  std::string text(const std::string& kernel, std::size_t sizes, bool exact) const;

 private:
  std::vector<Row> rows_;
  std::vector<VerifyFailure> failures_;
  int64_t failure_count_ = 0;
};

}  // namespace tessera::commands
