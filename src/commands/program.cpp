// SPDX-License-Identifier: Apache-2.0
// The command line: table to parser, parser to action, failures to exit codes.
#include <fmt/format.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <csignal>
#include <cstdio>
#include <new>

#include "base/check.h"
#include "commands/command.h"
#include "commands/internal_error.h"
#include "commands/session.h"

namespace tessera::commands {

namespace {

/// CLI11 knows one-letter flags and `--words`; what compilers are used to is spelled that way first.
std::string normalized(const std::string& argument) {
  if (argument == "-MD") return "--write-depfile";
  if (argument == "-MF") return "--depfile";
  if (argument == "-MT") return "--depfile-target";
  if (argument.starts_with("-arch=")) return "-" + argument;
  if (argument.starts_with("-W") && argument.size() > 2) return "--warn=" + argument.substr(2);
  return argument;
}

/// The spelling under which users know a flag.
std::string familiar(const std::string& flag) {
  if (flag == "--write-depfile") return "-MD";
  if (flag == "--depfile") return "-MF";
  if (flag == "--depfile-target") return "-MT";
  return flag;
}

std::size_t edit_distance(std::string_view a, std::string_view b) {
  std::vector<std::size_t> row(b.size() + 1);
  for (std::size_t j = 0; j <= b.size(); ++j) row[j] = j;
  for (std::size_t i = 1; i <= a.size(); ++i) {
    std::size_t diagonal = std::exchange(row[0], i);
    for (std::size_t j = 1; j <= b.size(); ++j) {
      const std::size_t replaced = diagonal + (a[i - 1] == b[j - 1] ? 0 : 1);
      diagonal = std::exchange(row[j], std::min({row[j] + 1, row[j - 1] + 1, replaced}));
    }
  }
  return row.back();
}

/// The candidate nearest to `word`, if it is near enough to be a slip.
std::optional<std::string> nearest(const std::string& word, const std::vector<std::string>& candidates) {
  const auto best =
      std::ranges::min_element(candidates, {}, [&](const auto& c) { return edit_distance(word, c); });
  if (best == candidates.end() || edit_distance(word, *best) > std::max<std::size_t>(1, word.size() / 3))
    return std::nullopt;
  return *best;
}

std::vector<std::string> flags_of(const CLI::App& app) {
  std::vector<std::string> flags;
  for (const CLI::Option* option : app.get_options()) {
    if (option->get_group().empty()) continue;  // hidden
    for (const std::string& name : option->get_lnames()) flags.push_back(familiar("--" + name));
    for (const std::string& name : option->get_snames()) flags.push_back("-" + name);
  }
  return flags;
}

/// The command line as given to us, parsed by the table's rows.
class Program {
 public:
  Program(std::vector<std::string> arguments, std::span<const Command> table)
      : arguments_(std::move(arguments)) {
    app_.description("tesserac: a kernel language with checked axes, shapes and types, compiled to CUDA C++");
    app_.footer(
        "Exit codes: 0 done, 1 mistakes in the program, 2 wrong command line, 3 a tool, device or file is "
        "missing,\n"
        "4 a verification failed, 70 internal error. More: tesserac COMMAND --help, tesserac --explain CODE");
    app_.get_formatter()->column_width(36);
    for (const Command& row : table) {
      CLI::App* app = &app_;
      if (!row.name.empty()) {
        app = app_.add_subcommand(std::string(row.name), std::string(row.summary));
        names_.emplace_back(row.name);
      }
      app->allow_extras();
      rows_.emplace_back(app, row.define(*app));
    }
    app_.require_subcommand(0, 1);
  }

  ExitCode run() {
    std::vector<std::string> words;
    for (auto it = arguments_.rbegin(); it != arguments_.rend(); ++it) words.push_back(normalized(*it));
    try {
      app_.parse(words);  // it wants them in reverse
    } catch (const CLI::CallForHelp&) {
      print(chosen().help());
      return ExitCode::ok;
    } catch (const CLI::ParseError& error) {
      return refuse(&error);
    }
    if (!chosen().remaining().empty() || !app_.remaining().empty()) return refuse(nullptr);
    return action_of(chosen())();
  }

 private:
  CLI::App& chosen() {
    const auto subcommands = app_.get_subcommands();
    return subcommands.empty() ? app_ : *subcommands.front();
  }

  Action& action_of(const CLI::App& app) {
    return std::ranges::find(rows_, &app, &std::pair<CLI::App*, Action>::first)->second;
  }

  /// Reports what is wrong with the command line: flags nobody knows first, since other errors may follow
  /// from them.
  ExitCode refuse(const CLI::ParseError* error) {
    CommonOptions options;
    if (std::ranges::count(arguments_, "--diagnostics-format=json") > 0)
      options.format = DiagnosticsFormat::json;
    if (std::ranges::count(arguments_, "--diagnostics-format=short") > 0)
      options.format = DiagnosticsFormat::brief;
    Session session(options);
    std::vector<std::string> unknown = app_.remaining();
    if (&chosen() != &app_) std::ranges::copy(chosen().remaining(), std::back_inserter(unknown));
    for (const std::string& word : unknown) report_unknown(word, session.sink);
    if (unknown.empty()) {
      const std::string command = &chosen() == &app_ ? "" : chosen().get_name() + " ";
      session.sink.report(Diag::bad_command_line, {}, first_line(error->what()))
          .help("`tesserac {}--help` lists the flags", command);
    }
    session.finish();
    return ExitCode::usage;
  }

  void report_unknown(const std::string& word, DiagnosticSink& sink) {
    if (word.starts_with('-') && word != "-") {
      auto report = sink.report(Diag::unknown_flag, {}, word.substr(0, word.find('=')));
      if (const auto near = nearest(word.substr(0, word.find('=')), flags_of(chosen())))
        report.help("did you mean `{}`?", *near);
      return;
    }
    auto report = sink.report(Diag::bad_command_line, {}, fmt::format("`{}` is one argument too many", word));
    const std::string first = arguments_.empty() ? "" : arguments_.front();
    if (const auto near = nearest(first, names_); near && &chosen() == &app_)
      report.help("did you mean `tesserac {}`?", *near);
  }

  static std::string first_line(const std::string& text) { return text.substr(0, text.find('\n')); }

  std::vector<std::string> arguments_;
  CLI::App app_;
  std::vector<std::string> names_;
  std::vector<std::pair<CLI::App*, Action>> rows_;
};

}  // namespace

int run_program(int argc, char** argv, std::span<const Command> table) {
  std::vector<std::string> arguments(argv, argv + argc);
  prepare_for_internal_errors(arguments);
  // A closed pipe and a file beyond the user's limit are errors of a write, not the end of this program.
  for (const int signal : {SIGPIPE, SIGXFSZ}) ::signal(signal, SIG_IGN);
  if (!arguments.empty()) arguments.erase(arguments.begin());
  ExitCode code = ExitCode::internal_error;
  try {
    code = Program(std::move(arguments), table).run();
  } catch (const std::bad_alloc&) {  // no formatting here: it would need memory
    std::fputs("error: the memory is exhausted, or a limit of this process (`ulimit -v`) is too small\n",
               stderr);
    code = ExitCode::unavailable;
  } catch (const std::exception& error) {
    code = report_internal_error(error.what());
  }
  return static_cast<int>(code);
}

}  // namespace tessera::commands
