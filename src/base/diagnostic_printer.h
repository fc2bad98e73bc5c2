// SPDX-License-Identifier: Apache-2.0
// Shows diagnostics: as text with source excerpts, as one line each, or as JSON, one object per line.
#pragma once

#include <string>

#include "base/diagnostics.h"
#include "base/source.h"

namespace tessera {

enum class ColorChoice { automatic, always, never };
enum class DiagnosticsFormat { text, brief, json };

/// Whether to colour what goes to the file descriptor: `automatic` means a terminal, no `NO_COLOR` in the
/// environment, and a `TERM` other than "dumb".
bool use_color(ColorChoice choice, int file_descriptor);

/// One diagnostic with excerpts, carets, labels, notes and the suggestion; ends with a newline.
std::string render_text(const Diagnostic& diagnostic, const SourceManager& sources, bool color);
/// `path:line:column: error[T0312]: message`; ends with a newline.
std::string render_brief(const Diagnostic& diagnostic, const SourceManager& sources);
/// One JSON object on one line, with the text rendering under "rendered"; ends with a newline.
std::string render_json(const Diagnostic& diagnostic, const SourceManager& sources);

/// Everything the sink holds, sorted, in one format; the text form ends with a count of errors and warnings,
/// and says where to read more (`tesserac --explain`).
std::string render_all(const DiagnosticSink& sink, const SourceManager& sources, DiagnosticsFormat format,
                       bool color);

}  // namespace tessera
