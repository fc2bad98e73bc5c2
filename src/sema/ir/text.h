// SPDX-License-Identifier: Apache-2.0
// The text form of the IR: `print` and `parse` are inverse to each other (spans excepted).
#pragma once

#include <optional>
#include <string>

#include "base/diagnostics.h"
#include "sema/ir/module.h"

namespace tessera::ir {

std::string print(const Kernel& kernel);
std::string print(const Module& module);

/// Reads what `print` wrote. Mistakes go to `sink`.
std::optional<Module> parse(const SourceFile& source, DiagnosticSink& sink);

}  // namespace tessera::ir
