// SPDX-License-Identifier: Apache-2.0
// The register of diagnostics, the builder and the sink.
#include <cctype>
#include <set>

#include "base/diagnostics.h"
#include "catch.h"

using namespace tessera;

namespace {
constexpr FileId kFile{0};
Span at(std::uint32_t begin) { return {kFile, begin, begin + 1}; }
}  // namespace

TEST_CASE("rows of the register are well formed") {
  std::set<std::string_view> slugs;
  for (const DiagInfo& row : all_diagnostics()) {
    INFO(row.code << " " << row.slug);
    REQUIRE(row.code.size() == 5);
    CHECK(row.code[0] == 'T');
    for (const char c : row.code.substr(1)) CHECK(std::isdigit(static_cast<unsigned char>(c)));
    CHECK(slugs.insert(row.slug).second);
    CHECK((row.rule.empty() || row.rule[0] == 'R'));
    REQUIRE_FALSE(row.format.empty());
    CHECK_FALSE(std::isupper(static_cast<unsigned char>(row.format.front())));
    CHECK(row.format.back() != '.');
    CHECK(row.format.find('\n') == std::string_view::npos);
    CHECK(&info(row.kind) == &row);
    CHECK(diagnostic_from_name(row.code) == row.kind);
    CHECK(diagnostic_from_name(slug_of(row.kind)) == row.kind);
  }
}

TEST_CASE("placeholders are counted as fmt counts them") {
  CHECK(detail::placeholder_count("") == 0);
  CHECK(detail::placeholder_count("`{}` and {}") == 2);
  CHECK(detail::placeholder_count("{{}} {}") == 1);
  CHECK(detail::placeholder_count("{{{}}}") == 1);
}

TEST_CASE("a builder reports when it goes out of scope, with everything it was given") {
  DiagnosticSink sink;
  {
    auto diagnostic = sink.report(Diag::name_too_long, at(3), 300, 256);
    diagnostic.label(at(5), "here {}", 1).label(Span(), "nowhere").note("a note").help("do {}", "this");
    diagnostic.fix(at(3), "x", "first").fix(at(4), "y", "second");
    CHECK(sink.error_count() == 0);
  }
  REQUIRE(sink.sorted().size() == 1);
  const Diagnostic diagnostic = sink.sorted().front();
  CHECK(diagnostic.message == "a name of 300 characters; the limit is 256");
  REQUIRE(diagnostic.labels.size() == 1);
  CHECK(diagnostic.labels[0].text == "here 1");
  REQUIRE(diagnostic.notes.size() == 2);
  CHECK(diagnostic.notes[1].text == "do this");
  REQUIRE(diagnostic.suggestion);
  CHECK(diagnostic.suggestion->text == "first");
}

TEST_CASE("reports are sorted by place, those without one last, equal places in order of reporting") {
  DiagnosticSink sink;
  sink.report(Diag::unknown_character, at(9), "a");
  sink.report(Diag::unknown_character, at(2), "b");
  sink.report(Diag::unterminated_comment, at(2));
  sink.report(Diag::file_too_large, {}, 1);
  std::vector<Diag> kinds;
  for (const Diagnostic& diagnostic : sink.sorted()) kinds.push_back(diagnostic.kind);
  CHECK(kinds == std::vector{Diag::unknown_character, Diag::unterminated_comment, Diag::unknown_character,
                             Diag::file_too_large});
}

TEST_CASE("repetitions are dropped, errors beyond the limit counted") {
  DiagnosticSink sink(3);
  for (int i = 0; i < 5; ++i) sink.report(Diag::unterminated_comment, at(1));
  CHECK(sink.error_count() == 1);
  for (std::uint32_t i = 2; i < 10; ++i) sink.report(Diag::unterminated_comment, at(i));
  CHECK(sink.error_count() == 9);
  CHECK(sink.sorted().size() == 3);
  CHECK(sink.dropped_errors() == 6);
  CHECK(sink.has_errors());
}

TEST_CASE("unknown names name no diagnostic") {
  CHECK_FALSE(diagnostic_from_name("T9999"));
  CHECK_FALSE(diagnostic_from_name(""));
  CHECK_FALSE(diagnostic_from_name("no-such-slug"));
}
