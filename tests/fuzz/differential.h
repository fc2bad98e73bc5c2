// SPDX-License-Identifier: Apache-2.0
// Everything that a generated program is held to, for many programs at once.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "fuzz/configuration.h"

namespace tessera::fuzz {

/// A program with which something is wrong. The kind is the same for the same mistake, more or less.
struct Failure {
  Program program;
  std::string
      kind;  ///< "interpreter", "evaluation", "compiler", "host compiler", "status", "wrong result", …
  std::optional<Configuration> configuration;
  std::string detail;
};

/// A pair is a program and a configuration: a plan and a set of extents.
struct Totals {
  std::size_t programs = 0, accepted = 0, pairs = 0, refused = 0, runs = 0;
  void add(const Totals& more);
};

struct Differential {
  driver::Tool compiler;
  std::size_t plans = 4;                   ///< configurations of a program
  std::optional<emit::Fault> fault = {};   ///< planted in all generated code
  std::optional<Configuration> only = {};  ///< instead of `plans`
};

/// Checks, interprets, emits, compiles and runs programs, all generated code in one unit.
std::vector<Failure> run_programs(const Differential& how, const std::vector<Program>& programs,
                                  Totals& totals);

}  // namespace tessera::fuzz
