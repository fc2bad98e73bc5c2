// SPDX-License-Identifier: Apache-2.0
// Sources, diagnostics and times of one run; see session.h.
#include "commands/session.h"

#include <fmt/format.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstdio>
#include <iterator>
#include <map>

#include "base/limits.h"
#include "base/load_source.h"
#include "commands/internal_error.h"

namespace tessera::commands {

namespace {

constexpr std::string_view kStandardInput = "<stdin>";

std::optional<std::string> read_standard_input(DiagnosticSink& sink) {
  std::string text;
  char buffer[65536];
  for (std::size_t count; (count = std::fread(buffer, 1, sizeof buffer, stdin)) > 0;) {
    text.append(buffer, count);
    if (text.size() > limits::kFileBytes) {
      sink.report(Diag::file_too_large, {}, limits::kFileBytes).note("`{}`", kStandardInput);
      return std::nullopt;
    }
  }
  if (std::ferror(stdin) != 0) {
    sink.report(Diag::file_not_readable, {}, kStandardInput, "reading failed");
    return std::nullopt;
  }
  return text;
}

}  // namespace

bool WarningOptions::add(const std::string& flag) {
  if (flag == "all") return rules_.emplace_back(std::nullopt, Level::shown), true;
  if (flag == "error") return rules_.emplace_back(std::nullopt, Level::fatal), true;
  if (flag == "no-error") return rules_.emplace_back(std::nullopt, Level::shown), true;
  std::string_view name = flag;
  Level level = Level::shown;
  for (const auto& [prefix, meaning] : {std::pair<std::string_view, Level>{"error=", Level::fatal},
                                        {"no-error=", Level::shown},
                                        {"no-", Level::hidden}}) {
    if (!name.starts_with(prefix)) continue;
    name.remove_prefix(prefix.size());
    level = meaning;
    break;
  }
  const auto kind = diagnostic_from_name(name);
  if (!kind || info(*kind).severity == Severity::error) return false;
  rules_.emplace_back(kind, level);
  return true;
}

WarningOptions::Level WarningOptions::level_of(Diag kind) const {
  Level level = Level::shown;
  for (const auto& [rule_kind, rule_level] : rules_) {
    if (!rule_kind || *rule_kind == kind) level = rule_level;
  }
  return silent_ && level != Level::fatal ? Level::hidden : level;
}

bool WarningOptions::has_fatal_warning(const DiagnosticSink& sink) const {
  if (rules_.empty()) return false;
  return std::ranges::any_of(sink.sorted(), [&](const Diagnostic& diagnostic) {
    return diagnostic.severity() == Severity::warning && level_of(diagnostic.kind) == Level::fatal;
  });
}

DiagnosticSink WarningOptions::apply(const DiagnosticSink& sink, std::size_t error_limit) const {
  DiagnosticSink result(error_limit);
  for (Diagnostic diagnostic : sink.sorted()) {
    if (diagnostic.severity() != Severity::error) {
      const Level level = level_of(diagnostic.kind);
      if (level == Level::hidden) continue;
      if (level == Level::fatal) {
        diagnostic.notes.push_back(
            {Note::Kind::note,
             {},
             fmt::format("it counts as an error (-Werror={})", slug_of(diagnostic.kind))});
      }
    }
    result.add(std::move(diagnostic));
  }
  return result;
}

void add_common_flags(CLI::App& app, CommonOptions& options) {
  static const std::map<std::string, ColorChoice> colors = {
      {"auto", ColorChoice::automatic}, {"always", ColorChoice::always}, {"never", ColorChoice::never}};
  static const std::map<std::string, DiagnosticsFormat> formats = {{"text", DiagnosticsFormat::text},
                                                                   {"json", DiagnosticsFormat::json},
                                                                   {"short", DiagnosticsFormat::brief}};
  const std::string group = "Diagnostics";
  app.add_option("--color", options.color, "auto, always or never; auto also looks at NO_COLOR")
      ->transform(CLI::CheckedTransformer(colors))
      ->option_text("WHEN")
      ->group(group);
  app.add_option("--diagnostics-format", options.format,
                 "text, json (one object a line) or short (one line each)")
      ->transform(CLI::CheckedTransformer(formats))
      ->option_text("FORMAT")
      ->group(group);
  app.add_option("--error-limit", options.error_limit,
                 "show this many errors and count the rest (default 50)")
      ->check(CLI::PositiveNumber)
      ->option_text("N")
      ->group(group);
  app.add_option_function<std::vector<std::string>>(
         "--warn",
         [&options](const std::vector<std::string>& flags) {
           for (const std::string& flag : flags) {
             if (!options.warnings.add(flag))
               throw CLI::ValidationError("-W" + flag, "there is no such warning");
           }
         },
         "also -Wall, -Werror, -Werror=SLUG, -Wno-SLUG, -WSLUG")
      ->option_text("RULE")
      ->group(group);
  app.add_flag_callback(
         "-w", [&options] { options.warnings.silence(); }, "show no warnings")
      ->group(group);
  app.add_flag("--time-report", options.time_report, "print how long each step took")->group(group);
}

std::optional<FileId> Session::load(const std::string& path) {
  std::optional<FileId> file;
  if (path == "-") {
    if (auto text = read_standard_input(sink))
      file = sources.add(std::string(kStandardInput), std::move(*text));
  } else {
    file = load_source(path, sources, sink);
  }
  if (file) remember_source(sources.file(*file));
  return file;
}

void Session::add_time(std::string_view name, std::chrono::steady_clock::duration time) {
  const auto known = std::ranges::find(times_, name, [](const auto& entry) { return entry.first; });
  if (known == times_.end()) {
    times_.emplace_back(name, time);
  } else {
    known->second += time;
  }
}

ExitCode Session::finish() {
  const DiagnosticSink shown = options_.warnings.apply(sink, options_.error_limit);
  const std::string text =
      render_all(shown, sources, options_.format, use_color(options_.color, STDERR_FILENO));
  std::fwrite(text.data(), 1, text.size(), stderr);
  if (options_.time_report) {
    std::chrono::steady_clock::duration total{};
    for (const auto& [name, time] : times_) {
      total += time;
      fmt::print(stderr, "{:>10.3f} ms  {}\n", std::chrono::duration<double, std::milli>(time).count(), name);
    }
    fmt::print(stderr, "{:>10.3f} ms  total\n", std::chrono::duration<double, std::milli>(total).count());
  }
  if (sink.has_errors()) return exit_code_of(sink);
  return failed() ? ExitCode::diagnosed : ExitCode::ok;
}

ExitCode exit_code_of(const DiagnosticSink& sink) {
  bool usage = false, unavailable = false, diagnosed = false, verification = false;
  for (const Diagnostic& diagnostic : sink.sorted()) {
    if (diagnostic.severity() != Severity::error) continue;
    const std::string_view code = info(diagnostic.kind).code;
    const bool is_driver = code.starts_with("T08");
    if (diagnostic.kind == Diag::file_not_readable || (is_driver && code >= "T0830" && code < "T0860")) {
      unavailable = true;
    } else if (is_driver && code < "T0830") {
      usage = true;
    } else if (is_driver && code >= "T0890") {
      verification = true;
    } else {
      diagnosed = true;
    }
  }
  if (unavailable) return ExitCode::unavailable;
  if (usage) return ExitCode::usage;
  if (diagnosed) return ExitCode::diagnosed;
  return verification ? ExitCode::verification_failed : ExitCode::ok;
}

void print(std::string_view text) {
  if (std::fwrite(text.data(), 1, text.size(), stdout) == text.size() && std::fflush(stdout) == 0) return;
  fmt::print(stderr, "tesserac: standard output cannot be written\n");
  std::fflush(stderr);
  ::_exit(static_cast<int>(ExitCode::unavailable));
}

}  // namespace tessera::commands
