// SPDX-License-Identifier: Apache-2.0
// Reads source files from disk; see load_source.h.
#include "base/load_source.h"

#include <cerrno>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <system_error>
#include <utility>

#include "base/limits.h"

namespace tessera {

std::optional<FileId> load_source(const std::string& path, SourceManager& sources, DiagnosticSink& sink) {
  const auto refuse = [&](const std::string& reason) {
    sink.report(Diag::file_not_readable, {}, path, reason);
    return std::nullopt;
  };
  std::error_code error;
  const auto status = std::filesystem::status(path, error);
  if (error) return refuse(error.message());
  // A device or a pipe may never end, and reading a directory fails with a text that helps nobody.
  if (!std::filesystem::is_regular_file(status)) return refuse("not a regular file");

  std::ifstream stream(path, std::ios::binary);
  if (!stream) return refuse(std::strerror(errno));
  // Read in pieces and stop past the limit, whatever size the file claims to have.
  std::string text;
  char piece[1 << 16];
  while (text.size() <= limits::kFileBytes && (stream.read(piece, sizeof piece) || stream.gcount() > 0)) {
    text.append(piece, static_cast<std::size_t>(stream.gcount()));
  }
  if (stream.bad()) return refuse("reading failed");
  if (text.size() > limits::kFileBytes) {
    sink.report(Diag::file_too_large, {}, limits::kFileBytes).note("`{}`", path);
    return std::nullopt;
  }
  return sources.add(path, std::move(text));
}

}  // namespace tessera
