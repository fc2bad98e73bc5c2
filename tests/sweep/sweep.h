// SPDX-License-Identifier: Apache-2.0
// The sweep: every kernel, many sizes, every layout, every way to run it, held against the reference.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "sweep/executor.h"

namespace tessera::sweep {

struct Options {
  std::vector<std::string> kernels;              ///< empty: all
  std::int64_t largest = std::int64_t{1} << 22;  ///< elements of a problem
  std::int64_t budget = std::int64_t{1} << 22;   ///< elements of the problems of a kernel together
  std::size_t problems = 1000000;          ///< at most so many of a kernel, spread evenly over the sample
  std::size_t limited_problems = 1000000;  ///< the same of a case that has a limit of its own
  std::size_t plans = 1000;                ///< for a program that tries plans: at most so many of a kernel
  bool all_layouts = false;                ///< of every problem; otherwise they take turns
  int threads = 1;
  int seconds = 1000000;                      ///< after which no problem is begun
  std::string write_digests, expect_digests;  ///< files; empty: none
};

/// Reads the command line; prints the usage and exits when it is wrong.
Options parse_options(int count, char** arguments, Options defaults);

using Executors = std::vector<std::unique_ptr<Executor>>;

/// Runs everything on the executors of each case, which several threads ask for. Prints failures as they are
/// found and a table at the end; gives the exit code.
int sweep(const std::function<const Executors&(const reference::Case&)>& executors_of,
          const Options& options);

}  // namespace tessera::sweep
