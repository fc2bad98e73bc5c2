// SPDX-License-Identifier: Apache-2.0
// Each syntax diagnostic: code, place and the whole text that a user sees; and that one mistake gives one message.
#include <set>

#include "base/diagnostic_printer.h"
#include "catch.h"
#include "frontend/parse.h"
#include "support/program.h"

using namespace tessera;
using namespace tessera::test;

namespace {

/// The places of the reports as "line:column code".
std::vector<std::string> places(const Program& program) {
  std::vector<std::string> out;
  for (const Diagnostic& diagnostic : program.sink.sorted()) {
    const LineColumn at = program.source().line_column(diagnostic.span.begin);
    out.push_back(fmt::format("{}:{} {}", at.line, at.column, info(diagnostic.kind).code));
  }
  return out;
}

/// What a file announces in comments `//! column code` on the line of the mistake, or `//! line:column code` anywhere.
std::vector<std::string> announced(const Program& program) {
  std::vector<std::string> out;
  const SourceFile& source = program.source();
  for (std::uint32_t line = 1; line <= source.line_count(); ++line) {
    std::string_view text = source.line_text(line);
    for (std::size_t mark = text.find("//! "); mark != std::string_view::npos; mark = text.find("//! ")) {
      text = text.substr(mark + 4);
      const std::string_view note = text.substr(0, text.find(" //! "));
      out.push_back(note.find(':') == std::string_view::npos ? fmt::format("{}:{}", line, note)
                                                             : std::string(note));
    }
  }
  return out;
}

}  // namespace

TEST_CASE("every failing program fails as its files say") {
  for (const auto& path : files_in("frontend", ".tsr", "fail_")) {
    INFO(path.filename().string());
    const auto program = parse_text(read_file(path), path.filename().string());
    CHECK_FALSE(program->file.has_value());
    CHECK(places(*program) == announced(*program));
    auto expected = path;
    compare_with_file(expected.replace_extension(".txt"), program->rendered());
  }
}

TEST_CASE("every diagnostic of the front end is shown by a failing program") {
  // These need inputs too large or too binary for a file beside the test; test_limits.cpp raises them.
  const std::set<std::string_view> elsewhere = {"T0001", "T0002", "T0003", "T0004", "T0005",
                                                "T0006", "T0007", "T0008", "T0009"};
  std::set<std::string> shown;
  for (const auto& path : files_in("frontend", ".tsr", "fail_")) {
    const auto program = parse_text(read_file(path), path.filename().string());
    for (const Diagnostic& diagnostic : program->sink.sorted()) shown.emplace(info(diagnostic.kind).code);
  }
  for (const DiagInfo& row : all_diagnostics()) {
    if (row.code >= "T0200" || elsewhere.contains(row.code)) continue;
    INFO(row.code << " " << row.slug);
    CHECK(shown.contains(std::string(row.code)));
  }
}

TEST_CASE("what was said of one file is not looked up in the next") {
  const auto first = parse_text(std::string(200, '\n') + "kernel k() { let var = 1; }");
  const SourceFile& second = first->sources.file(first->sources.add("second.tsr", "kernel l() { f(var); }"));
  CHECK_FALSE(parse(second, first->sink));
  CHECK(first->codes() == "T0104 T0106");
}

TEST_CASE("suggestions mend what they are given for") {
  for (const auto& path : files_in("frontend", ".tsr", "fail_")) {
    INFO(path.filename().string());
    const std::string text = read_file(path);
    const auto program = parse_text(text);
    for (const Diagnostic& diagnostic : program->sink.sorted()) {
      if (!diagnostic.suggestion) continue;
      INFO(info(diagnostic.kind).code << " " << diagnostic.message);
      const Suggestion& fix = *diagnostic.suggestion;
      std::string mended = text;
      mended.replace(fix.span.begin, fix.span.size(), fix.replacement);
      // Other mistakes stay, and one that hid behind this one may show.
      for (const Diagnostic& left : parse_text(mended)->sink.sorted()) {
        CHECK_FALSE((left.kind == diagnostic.kind && left.span.begin == diagnostic.span.begin));
      }
    }
  }
}
