// SPDX-License-Identifier: Apache-2.0
// Helpers of the front end's tests: parse a text, compare with an expected file.
#pragma once

#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/diagnostics.h"
#include "base/source.h"
#include "frontend/ast.h"

namespace tessera::test {

/// One parsed text with everything that is needed to look at the result.
struct Program {
  SourceManager sources;
  FileId id;
  DiagnosticSink sink;
  std::optional<ast::File> file;

  const SourceFile& source() const { return sources.file(id); }
  /// The codes reported, in order of place: "T0105 T0120".
  std::string codes() const;
  /// All diagnostics as the command line prints them, without colour.
  std::string rendered() const;
};

/// Parses `text` under the name `path`.
std::unique_ptr<Program> parse_text(std::string text, std::string path = "test.tsr");

std::string read_file(const std::filesystem::path& path);
/// The files of a folder of this test whose names start and end so, sorted.
std::vector<std::filesystem::path> test_files(std::string_view folder, std::string_view prefix,
                                              std::string_view suffix);
std::filesystem::path test_folder();

/// Requires `actual` to be the content of `path`; with TESSERA_UPDATE=1 in the environment it is written instead.
void check_against_file(const std::filesystem::path& path, const std::string& actual);

}  // namespace tessera::test
