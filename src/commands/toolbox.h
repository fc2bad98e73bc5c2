// SPDX-License-Identifier: Apache-2.0
// Compilers and the cache, as the flags of a command choose them.
#pragma once

#include <optional>
#include <string>

#include "base/diagnostics.h"
#include "commands/command.h"
#include "driver/compile.h"

namespace tessera::commands {

struct ToolOptions {
  std::string nvcc;
  std::string host_compiler;
  std::string cache_folder;
  bool no_cache = false;
};

void add_tool_flags(CLI::App& app, ToolOptions& options);

/// Finds tools when they are first needed. What is missing is reported once.
class Toolbox {
 public:
  Toolbox(ToolOptions options, DiagnosticSink& sink) : options_(std::move(options)), sink_(sink) {}

  /// nvcc, or nothing after a report.
  const driver::Tool* nvcc();
  /// The host compiler, or nothing after a report.
  const driver::Tool* host_compiler();
  /// Compiles with the cache that the flags choose. `request.compiler` is set before.
  std::optional<std::string> compile(const driver::CompileRequest& request);

 private:
  struct Slot {
    bool searched = false;
    std::optional<driver::Tool> tool;
  };
  const driver::Tool* find(Slot& slot, std::string_view what, std::string_view flag,
                           driver::ToolLookup (*look)(const std::string&), const std::string& requested);
  /// Opens the cache at the first call. False if it must not be used, and the reason was reported.
  bool open_cache();

  ToolOptions options_;
  DiagnosticSink& sink_;
  Slot nvcc_, host_compiler_;
  std::optional<bool> may_compile_;  // what opening the cache said
  std::optional<driver::Cache> cache_;
};

}  // namespace tessera::commands
