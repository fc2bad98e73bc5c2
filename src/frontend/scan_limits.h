// SPDX-License-Identifier: Apache-2.0
// The first look at a file: bytes, sizes and depths, before any recursive code sees the text.
#pragma once

#include <cstdint>
#include <optional>

#include "base/diagnostics.h"
#include "base/source.h"

namespace tessera {

/// The bytes of a file that are left to parse: without a byte order mark, and up to a comment or text that never
/// ends (reported).
struct ScannedText {
  std::uint32_t begin = 0;
  std::uint32_t end = 0;
};

/// Checks `source` against base/limits.h and for bytes that cannot be in a program. Absent if the file must not be
/// parsed at all; errors that leave the rest of the file readable are reported and do not stop it.
std::optional<ScannedText> scan_limits(const SourceFile& source, DiagnosticSink& sink);

}  // namespace tessera
