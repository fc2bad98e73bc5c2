// SPDX-License-Identifier: Apache-2.0
// A program for tests: its text, what the front end made of it and said about it; and comparison with expected files.
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

/// One text with everything that is needed to look at the result.
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
void parse_into(Program& program, std::string text, std::string path);
std::unique_ptr<Program> parse_text(std::string text, std::string path = "test.tsr");

std::filesystem::path tests_folder();
std::string read_file(const std::filesystem::path& path);
/// The files of a folder below tests/ whose names end and start so, sorted.
std::vector<std::filesystem::path> files_in(const std::string& folder, std::string_view ending,
                                            std::string_view prefix = "");

/// Requires `actual` to be the content of `path`; with TESSERA_UPDATE=1 in the environment it is written instead.
void compare_with_file(const std::filesystem::path& path, const std::string& actual);

/// The ```tsr blocks of a page of docs/diagnostics: the failing program and the mended one.
std::vector<std::string> programs_of(std::string_view page);

}  // namespace tessera::test
