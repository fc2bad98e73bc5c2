// SPDX-License-Identifier: Apache-2.0
// The sweep: every kernel, many sizes, every layout, every way to run it, held against the reference.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "sweep/executor.h"

namespace tessera::sweep {

struct Options {
  std::vector<std::string> kernels;              ///< empty: all
  std::int64_t largest = std::int64_t{1} << 22;  ///< elements of a problem
  std::int64_t budget = std::int64_t{1} << 21;   ///< elements of the problems of a kernel together
  bool all_layouts = false;                      ///< of every problem; otherwise they take turns
  int threads = 1;
  std::string write_digests, expect_digests;  ///< files; empty: none
};

/// Reads the command line; prints the usage and exits when it is wrong.
Options parse_options(int count, char** arguments, Options defaults);

/// Prints failures as they are found and a table at the end; gives the exit code.
int sweep(const std::vector<std::unique_ptr<Executor>>& executors, const Options& options);

}  // namespace tessera::sweep
