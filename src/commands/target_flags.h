// SPDX-License-Identifier: Apache-2.0
// The flags that decide what code is generated.
#pragma once

#include "commands/command.h"
#include "emit/emit.h"

namespace tessera::commands {

struct TargetOptions {
  std::vector<std::string> architectures;  // empty: not asked for
  emit::PlanOverrides plan;
  std::optional<emit::Fault> fault;

  /// The emitter's options for a source; without --arch, its own default architectures.
  emit::Options emit_options(const std::string& source_path) const;
};

void add_target_flags(CLI::App& app, TargetOptions& options);

}  // namespace tessera::commands
