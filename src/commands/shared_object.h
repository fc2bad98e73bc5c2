// SPDX-License-Identifier: Apache-2.0
// Loads a shared object whose bytes are at hand into this process.
#pragma once

#include <optional>
#include <string>

#include "base/diagnostics.h"

namespace tessera::commands {

/// Loads exactly these bytes, for the rest of the process' life. `global`: later objects may use its symbols.
void* load_shared_object(const std::string& bytes, bool global, DiagnosticSink& sink);

/// The address of a symbol, or null after a report.
void* find_symbol(void* object, const std::string& name, DiagnosticSink& sink);

}  // namespace tessera::commands
