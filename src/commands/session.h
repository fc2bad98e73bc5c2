// SPDX-License-Identifier: Apache-2.0
// What every command has: sources, diagnostics and how they are shown, and the time each step took.
#pragma once

#include <chrono>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/diagnostic_printer.h"
#include "base/diagnostics.h"
#include "base/source.h"
#include "commands/command.h"

namespace tessera::commands {

/// What `-W…` and `-w` say, in the order of the command line: the last word on a warning counts.
class WarningOptions {
 public:
  /// Takes one flag without its `-W`: "all", "error", "error=slug", "no-error", "no-slug", "slug". False if
  /// there is no such warning.
  bool add(const std::string& flag);
  void silence() { silent_ = true; }

  /// The diagnostics as they are to be shown, errors first counted anew: silenced warnings are gone, and what
  /// counts as an error says why in a note.
  DiagnosticSink apply(const DiagnosticSink& sink, std::size_t error_limit) const;
  /// Whether a warning in the sink counts as an error.
  bool has_fatal_warning(const DiagnosticSink& sink) const;

 private:
  enum class Level { shown, hidden, fatal };
  Level level_of(Diag kind) const;

  bool silent_ = false;
  std::vector<std::pair<std::optional<Diag>, Level>> rules_;  // without a kind: all warnings
};

struct CommonOptions {
  ColorChoice color = ColorChoice::automatic;
  DiagnosticsFormat format = DiagnosticsFormat::text;
  std::size_t error_limit = DiagnosticSink::kDefaultErrorLimit;
  bool time_report = false;
  WarningOptions warnings;
};

/// Declares the flags of CommonOptions.
void add_common_flags(CLI::App& app, CommonOptions& options);

/// One run of a command on one set of sources.
class Session {
 public:
  explicit Session(const CommonOptions& options) : sink(options.error_limit), options_(options) {}

  SourceManager sources;
  DiagnosticSink sink;

  /// Reads a file, or standard input for "-". What was read is what an internal error's reproduction keeps.
  std::optional<FileId> load(const std::string& path);
  /// Runs a step and notes its time under a name.
  template <typename Step>
  auto timed(std::string_view name, Step&& step) {
    const Stopwatch watch(*this, name);
    return std::forward<Step>(step)();
  }
  /// Whether anything so far forbids to write output: an error, or a warning that counts as one.
  bool failed() const { return sink.has_errors() || options_.warnings.has_fatal_warning(sink); }
  /// Shows the diagnostics and the times on standard error, and gives the exit code that follows from them.
  ExitCode finish();

 private:
  class Stopwatch {
   public:
    Stopwatch(Session& session, std::string_view name) : session_(session), name_(name) {}
    ~Stopwatch() { session_.add_time(name_, std::chrono::steady_clock::now() - start_); }

   private:
    Session& session_;
    std::string_view name_;
    std::chrono::steady_clock::time_point start_ = std::chrono::steady_clock::now();
  };

  /// Steps of one name are added up.
  void add_time(std::string_view name, std::chrono::steady_clock::duration time);

  CommonOptions options_;
  std::vector<std::pair<std::string_view, std::chrono::steady_clock::duration>> times_;
};

/// The exit code that follows from errors: 3 before 2 before 1 before 4, by the tens of their codes
/// (driver.def).
ExitCode exit_code_of(const DiagnosticSink& sink);

/// Writes to standard output; what cannot be written (a closed pipe) ends the program with exit code 3.
void print(std::string_view text);

}  // namespace tessera::commands
