// SPDX-License-Identifier: Apache-2.0
// See program.h.
#include "program.h"

#include <algorithm>
#include <cstdlib>
#include <fstream>
#include <iterator>

#include "base/diagnostic_printer.h"
#include "catch.h"
#include "frontend/parse.h"
#include "sema/check.h"

namespace tessera::test {

std::string Program::codes() const {
  std::string out;
  for (const Diagnostic& diagnostic : sink.sorted()) {
    out += (out.empty() ? "" : " ") + std::string(info(diagnostic.kind).code);
  }
  return out;
}

std::string Program::rendered() const { return render_all(sink, sources, DiagnosticsFormat::text, false); }

std::unique_ptr<Program> check_text(std::string text, std::string path) {
  auto program = std::make_unique<Program>();
  const FileId id = program->sources.add(std::move(path), std::move(text));
  const std::optional<ast::File> file = parse(program->sources.file(id), program->sink);
  if (file) program->module = check(*file, program->sink);
  return program;
}

std::unique_ptr<Program> check_file(const std::filesystem::path& path) {
  return check_text(read_file(path), std::filesystem::relative(path, tests_folder()).generic_string());
}

std::filesystem::path tests_folder() { return std::filesystem::path(TESSERA_SOURCE_DIR) / "tests"; }

std::string read_file(const std::filesystem::path& path) {
  std::ifstream stream(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(stream), std::istreambuf_iterator<char>()};
}

std::vector<std::filesystem::path> files_in(const std::string& folder, std::string_view ending) {
  std::vector<std::filesystem::path> files;
  for (const auto& entry : std::filesystem::directory_iterator(tests_folder() / folder)) {
    if (entry.path().filename().string().ends_with(ending)) files.push_back(entry.path());
  }
  std::sort(files.begin(), files.end());
  return files;
}

void compare_with_file(const std::filesystem::path& path, const std::string& actual) {
  const char* update = std::getenv("TESSERA_UPDATE");
  if (update != nullptr && std::string_view(update) == "1") {
    std::ofstream(path, std::ios::binary) << actual;
    return;
  }
  INFO("expected in " << path.string() << "; TESSERA_UPDATE=1 rewrites it");
  CHECK(actual == read_file(path));
}

}  // namespace tessera::test
