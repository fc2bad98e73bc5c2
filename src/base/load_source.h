// SPDX-License-Identifier: Apache-2.0
// Reads source files from disk.
#pragma once

#include <optional>
#include <string>

#include "base/diagnostics.h"
#include "base/source.h"

namespace tessera {

/// Reads the regular file at `path` into `sources`. A file that is missing, unreadable, not a regular file or
/// larger than `limits::kFileBytes` is reported without a place, and the result is absent.
std::optional<FileId> load_source(const std::string& path, SourceManager& sources, DiagnosticSink& sink);

}  // namespace tessera
