// SPDX-License-Identifier: Apache-2.0
// What main.cpp's table is made of: one row per subcommand.
#pragma once

#include <functional>
#include <span>
#include <string_view>

namespace CLI {
class App;
}

namespace tessera::commands {

/// What the program answers to its caller. Part of the interface; documented in `tesserac --help`.
enum class ExitCode : int {
  ok = 0,
  diagnosed = 1,            // the program was read, and there is something wrong with it
  usage = 2,                // the command line is wrong
  unavailable = 3,          // a tool, a device or a file is missing or does not work
  verification_failed = 4,  // a kernel ran, and its results are wrong
  internal_error = 70,      // our fault
};

/// Runs a subcommand whose flags have been parsed.
using Action = std::function<ExitCode()>;

struct Command {
  std::string_view name;  // empty: what happens without a subcommand
  std::string_view summary;
  /// Declares the flags on `app` and returns what to do once they are parsed.
  Action (*define)(CLI::App& app);
};

/// The whole program: parses the command line by the table, runs the chosen row, turns every failure into its
/// exit code.
int run_program(int argc, char** argv, std::span<const Command> table);

Action define_compile(CLI::App& app);
Action define_check(CLI::App& app);
Action define_fmt(CLI::App& app);
Action define_doctor(CLI::App& app);
Action define_run(CLI::App& app);
Action define_verify(CLI::App& app);

}  // namespace tessera::commands
