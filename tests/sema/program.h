// SPDX-License-Identifier: Apache-2.0
// A program for tests: its text, what the front end and sema made of it, and what they said.
#pragma once

#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/diagnostics.h"
#include "base/source.h"
#include "sema/ir/module.h"

namespace tessera::test {

struct Program {
  SourceManager sources;
  DiagnosticSink sink;
  std::optional<ir::Module> module;

  /// The codes of all diagnostics in order, "T0312 T0404".
  std::string codes() const;
  std::string rendered() const;
};

std::unique_ptr<Program> check_text(std::string text, std::string path = "test.tsr");
/// A file below tests/, known to the diagnostics by its path from there.
std::unique_ptr<Program> check_file(const std::filesystem::path& path);

std::filesystem::path tests_folder();
std::string read_file(const std::filesystem::path& path);
/// The files of a folder below tests/ with that ending, sorted.
std::vector<std::filesystem::path> files_in(const std::string& folder, std::string_view ending);
/// Compares with a file's contents, or with TESSERA_UPDATE=1 replaces them.
void compare_with_file(const std::filesystem::path& path, const std::string& actual);

}  // namespace tessera::test
