// SPDX-License-Identifier: Apache-2.0
// When the compiler itself is at fault: what it was doing is kept, so that it can be repeated.
#pragma once

#include <string>
#include <vector>

#include "base/source.h"
#include "commands/command.h"

namespace tessera::commands {

/// Keeps the command line for a reproduction, and answers SIGSEGV, SIGBUS, SIGFPE, SIGILL and SIGABRT, stack
/// overflow included, with a message and exit code 70.
void prepare_for_internal_errors(const std::vector<std::string>& arguments);

/// Keeps a source that was read, for a reproduction.
void remember_source(const SourceFile& file);

/// Says what happened, writes a folder with sources, command line and version, and names it.
ExitCode report_internal_error(const std::string& what);

}  // namespace tessera::commands
