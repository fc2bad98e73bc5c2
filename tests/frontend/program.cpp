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

namespace tessera::test {

std::string Program::codes() const {
  std::string out;
  for (const Diagnostic& diagnostic : sink.sorted()) {
    out += (out.empty() ? "" : " ") + std::string(info(diagnostic.kind).code);
  }
  return out;
}

std::string Program::rendered() const { return render_all(sink, sources, DiagnosticsFormat::text, false); }

std::unique_ptr<Program> parse_text(std::string text, std::string path) {
  auto program = std::make_unique<Program>();
  program->id = program->sources.add(std::move(path), std::move(text));
  program->file = parse(program->source(), program->sink);
  return program;
}

std::string read_file(const std::filesystem::path& path) {
  std::ifstream stream(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(stream), std::istreambuf_iterator<char>()};
}

std::filesystem::path test_folder() {
  return std::filesystem::path(TESSERA_SOURCE_DIR) / "tests" / "frontend";
}

std::vector<std::filesystem::path> test_files(std::string_view folder, std::string_view prefix,
                                              std::string_view suffix) {
  std::vector<std::filesystem::path> files;
  for (const auto& entry : std::filesystem::directory_iterator(test_folder() / folder)) {
    const std::string name = entry.path().filename().string();
    if (name.starts_with(prefix) && name.ends_with(suffix)) files.push_back(entry.path());
  }
  std::ranges::sort(files);
  return files;
}

void check_against_file(const std::filesystem::path& path, const std::string& actual) {
  const char* update = std::getenv("TESSERA_UPDATE");
  if (update != nullptr && std::string_view(update) == "1") {
    std::ofstream(path, std::ios::binary) << actual;
    return;
  }
  INFO("expected in " << path.string() << "; TESSERA_UPDATE=1 rewrites it");
  CHECK(actual == read_file(path));
}

}  // namespace tessera::test
