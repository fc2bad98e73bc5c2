// SPDX-License-Identifier: Apache-2.0
// Source text to syntax tree.
#pragma once

#include <optional>

#include "base/diagnostics.h"
#include "base/source.h"
#include "frontend/ast.h"

namespace tessera {

/// Parses a file. Every independent mistake is reported to `sink`; the result is absent if there was one.
/// Any bytes are safe input: limits are checked first (base/limits.h).
std::optional<ast::File> parse(const SourceFile& source, DiagnosticSink& sink);

}  // namespace tessera
