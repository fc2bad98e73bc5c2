// SPDX-License-Identifier: Apache-2.0
// The process between us and a tool: it owns everything the tool starts and ends with us.
#pragma once

#include <sys/types.h>

#include <cstddef>

namespace tessera::driver {

/// What the supervisor reports through its pipe, once.
struct SupervisorReport {
  enum class Kind : int { ended, not_started };
  Kind kind;
  int value;  // ended: the status of waitpid; not_started: errno
};

/// Everything the supervisor needs, prepared before the fork: after it only system calls are allowed.
struct SupervisorRequest {
  const char* program;
  char* const* arguments;
  char* const* environment;
  const char* folder;
  int output;  // write end of a pipe
  int report;  // write end of a pipe
  pid_t parent;
};

/// The life of the supervisor, called in the child of a fork. Starts the program, waits for its end, for
/// SIGTERM or for the parent's death; kills every descendant; reports; exits.
[[noreturn]] void supervise(const SupervisorRequest& request);

}  // namespace tessera::driver
