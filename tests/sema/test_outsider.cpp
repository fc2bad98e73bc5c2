// SPDX-License-Identifier: Apache-2.0
// Programs of a newcomer: the right ones check without a word, the wrong ones are refused in the line they name.
#include <regex>

#include "catch.h"
#include "checked.h"

using namespace tessera;
using namespace tessera::test;

TEST_CASE("a newcomer's kernels check without a word") {
  for (const auto& path : files_in("outsider", ".tsr")) {
    const auto program = check_file(path);
    INFO(path.filename().string() << "\n" << program->rendered());
    CHECK(program->module.has_value());
    CHECK(program->rendered().empty());
  }
}

TEST_CASE("a newcomer's wrong programs are refused in the line that they name") {
  for (const auto& path : files_in("outsider/bad", ".tsr")) {
    const auto program = check_file(path);
    INFO(path.filename().string() << "\n" << program->rendered());
    CHECK_FALSE(program->module.has_value());
    const std::string text = read_file(path);
    const std::string first_line = text.substr(0, text.find('\n'));
    std::smatch line;
    REQUIRE(std::regex_search(first_line, line, std::regex(".*line ([0-9]+)")));
    const std::vector<Diagnostic> diagnostics = program->sink.sorted();
    REQUIRE_FALSE(diagnostics.empty());
    const SourceFile& source = program->sources.files().front();
    CHECK(source.line_column(diagnostics[0].span.begin).line ==
          static_cast<std::uint32_t>(std::stoi(line[1])));
  }
}
