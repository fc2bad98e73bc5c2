// SPDX-License-Identifier: Apache-2.0
// See program.h.
#include "support/program.h"

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

void parse_into(Program& program, std::string text, std::string path) {
  program.id = program.sources.add(std::move(path), std::move(text));
  program.file = parse(program.source(), program.sink);
}

std::unique_ptr<Program> parse_text(std::string text, std::string path) {
  auto program = std::make_unique<Program>();
  parse_into(*program, std::move(text), std::move(path));
  return program;
}

std::filesystem::path tests_folder() { return std::filesystem::path(TESSERA_SOURCE_DIR) / "tests"; }

std::string read_file(const std::filesystem::path& path) {
  std::ifstream stream(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(stream), std::istreambuf_iterator<char>()};
}

std::vector<std::filesystem::path> files_in(const std::string& folder, std::string_view ending,
                                            std::string_view prefix) {
  std::vector<std::filesystem::path> files;
  for (const auto& entry : std::filesystem::directory_iterator(tests_folder() / folder)) {
    const std::string name = entry.path().filename().string();
    if (name.starts_with(prefix) && name.ends_with(ending)) files.push_back(entry.path());
  }
  std::ranges::sort(files);
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

std::vector<std::string> programs_of(std::string_view page) {
  constexpr std::string_view kFence = "```tsr\n";
  std::vector<std::string> out;
  for (std::size_t begin = page.find(kFence); begin != std::string_view::npos;
       begin = page.find(kFence, begin)) {
    begin += kFence.size();
    const std::size_t end = page.find("```", begin);
    out.emplace_back(page.substr(begin, end - begin));
    begin = end;
  }
  return out;
}

}  // namespace tessera::test
