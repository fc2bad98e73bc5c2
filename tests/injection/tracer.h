// SPDX-License-Identifier: Apache-2.0
// Runs a function in a process of its own and lets one of its system calls fail, or kills it there.
#pragma once

#include <chrono>
#include <functional>
#include <vector>

namespace tessera::injection {

/// What happens, and at which call. Calls are counted from 1, over all processes that are followed.
struct Fault {
  enum class Kind {
    none,
    kill,
    error,
    every_error
  } kind = Kind::none;  // every: this call and all later ones
  long at = 0;
  int error = 0;  // errno of a call that fails
};

struct TraceOptions {
  std::vector<long> calls = {};  // numbers of the calls that count (SYS_write, …); empty: all
  long first_call = -1;          // nothing counts before this call has been met; -1: from the start
  bool follow = false;           // also the processes it starts; a kill then hits whoever makes the call
  std::chrono::seconds time_limit = std::chrono::seconds(20);
};

struct Trace {
  int status = 0;     // of the process, as waitpid gives it
  long count = 0;     // calls that counted
  bool hit = false;   // whether the fault happened
  long call = -1;     // the number of the call it happened at
  bool hung = false;  // whether something ran beyond the limit, and was killed
};

/// `body` runs in a new process, whose exit code is what it returns. When this comes back, that process and all
/// its descendants are gone: by themselves, or `hung` says that they had to be killed.
Trace run_traced(const std::function<int()>& body, const Fault& fault, const TraceOptions& options = {});

}  // namespace tessera::injection
