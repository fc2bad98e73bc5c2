// SPDX-License-Identifier: Apache-2.0
// What `run` and `verify` share: which kernel, at which sizes, where.
#pragma once

#include <string>
#include <vector>

#include "commands/command.h"
#include "commands/execution.h"
#include "commands/problem.h"

namespace tessera::commands {

struct KernelOptions {
  std::string file;
  std::string kernel;
  std::vector<std::string> settings;
  uint64_t seed = 1;
};

void add_kernel_flags(CLI::App& app, KernelOptions& options);
void add_place_flag(CLI::App& app, Place& place, const std::string& help);

/// The sizes that the settings give, and for what they leave open sizes that are large enough to mean
/// something and small enough, in bytes and in terms, to run at once. More than `byte_limit` is refused.
std::optional<Problem> make_default_problem(const ir::Kernel& kernel, const Settings& settings,
                                            int64_t byte_limit, DiagnosticSink& sink);

}  // namespace tessera::commands
