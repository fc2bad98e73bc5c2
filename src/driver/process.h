// SPDX-License-Identifier: Apache-2.0
// Runs another program without a shell, within limits of time and output, and leaves no process behind.
#pragma once

#include <chrono>
#include <cstddef>
#include <string>
#include <vector>

namespace tessera::driver {

struct ProcessRequest {
  std::string program;                        // absolute path
  std::vector<std::string> arguments = {};    // without the program's own name
  std::vector<std::string> environment = {};  // "NAME=value"; nothing is inherited
  std::string folder = "/";                   // working folder
  std::chrono::milliseconds time_limit = std::chrono::seconds(120);
  std::size_t output_limit = std::size_t{16} << 20;  // bytes of standard output and error together
};

enum class ProcessOutcome {
  exited,       // `code` is the exit code
  signalled,    // `code` is the signal
  not_started,  // `code` is the errno of the failed start
  timed_out,
  too_much_output,
  interrupted,  // this process got SIGINT, SIGTERM or SIGHUP, see InterruptGuard
};

struct ProcessResult {
  ProcessOutcome outcome = ProcessOutcome::not_started;
  int code = 0;
  std::string output;  // standard output and error as they came, up to the limit; any bytes

  bool succeeded() const { return outcome == ProcessOutcome::exited && code == 0; }
};

/// Runs the program with nothing on its standard input and waits for it. When this returns, the program and
/// every process it started, also those that left its group or session, are gone; and if this process dies
/// meanwhile, by SIGKILL too, they are killed as well.
ProcessResult run_process(const ProcessRequest& request);

/// While an object of this class lives, SIGINT, SIGTERM and SIGHUP do not end this process: `run_process`
/// stops early with `interrupted`. The signal is raised again when the last object goes, so that whatever was
/// declared after it (temporary folders) has been cleaned up by then.
class InterruptGuard {
 public:
  InterruptGuard();
  InterruptGuard(const InterruptGuard&) = delete;
  InterruptGuard& operator=(const InterruptGuard&) = delete;
  ~InterruptGuard();

  /// Whether a signal is waiting to be raised again.
  static bool interrupted();
};

/// Text for people from any bytes: invalid UTF-8 and control characters are shown as `\x..`, escape sequences
/// too.
std::string printable(std::string_view bytes);

/// What happened, as the rest of a sentence: "ended with exit code 1", "was killed by signal 11 (Segmentation
/// fault)".
std::string describe(const ProcessResult& result, const ProcessRequest& request);

}  // namespace tessera::driver
