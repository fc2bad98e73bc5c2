// SPDX-License-Identifier: Apache-2.0
// The table that `tesserac verify` prints: one row for each way of running a kernel.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace tessera::commands {

/// One wrong element, with the error that it may have and who says so.
struct VerifyFailure {
  std::string device;
  std::string variant;
  std::string sizes;
  std::string tensor;
  std::string position;
  double expected = 0;
  double actual = 0;
  double bound = 0;
  bool by_clause = false;  // the `verify` clause of the kernel; else the analysis of its errors
};

/// What a table is about.
struct VerifyHeading {
  std::string kernel;
  std::vector<std::string> sizes;
  bool exact = false;  // results must be equal to the last bit
  std::string clause;  // the `verify` clause as it is written; empty without one
};

class VerifyTable {
 public:
  struct Row {
    std::string device = {};
    std::string variant = {};
    int64_t sizes = 0;
    int64_t elements = 0;
    int64_t unbounded = 0;  // elements for which anything may come out
    int64_t held = 0;       // elements that something was asked of: a bound, a clause or their bits
    int64_t wrong = 0;
    double worst = 0;             // largest error as a share of its bound
    double worst_for_clause = 0;  // and of what the `verify` clause allows
  };

  /// The row of a device and variant, added at the first call. Good until the next call.
  Row& row(const std::string& device, const std::string& variant);
  /// Counts a failure, and keeps the first ones.
  void add_failure(VerifyFailure failure);
  const std::vector<VerifyFailure>& failures() const { return failures_; }
  int64_t failure_count() const { return failure_count_; }

  /// The table as text.
  std::string text(const VerifyHeading& heading) const;

 private:
  /// The rows with those of one device together, its variants by name.
  std::vector<Row> sorted_rows() const;

  std::vector<Row> rows_;
  std::vector<VerifyFailure> failures_;
  int64_t failure_count_ = 0;
};

}  // namespace tessera::commands
