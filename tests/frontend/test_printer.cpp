// SPDX-License-Identifier: Apache-2.0
// The text, one-line and JSON forms of diagnostics.
#include <unistd.h>

#include <cstdlib>
#include <nlohmann/json.hpp>

#include "base/diagnostic_printer.h"
#include "catch.h"

using namespace tessera;

namespace {

struct Fixture {
  SourceManager sources;
  DiagnosticSink sink;
  FileId file;

  explicit Fixture(std::string text) : file(sources.add("dir/a.tsr", std::move(text))) {}
  Span span(std::uint32_t begin, std::uint32_t end) const { return {file, begin, end}; }
  std::string text(bool color = false) { return render_text(sink.sorted().front(), sources, color); }
};

}  // namespace

TEST_CASE("carets, labels on the same line and on others, notes, a suggestion") {
  Fixture f("let a = 1;\nlet b = 2;\n\nlet cc = a + b;\n");
  f.sink.report(Diag::unknown_character, f.span(32, 33), "a")
      .label(f.span(36, 37), "the other")
      .label(f.span(4, 5), "declared {}", "here")
      .note("a note")
      .fix(f.span(32, 33), "aa", "write it twice");
  CHECK(f.text() ==
        "error[T0111]: `a` is not a character of the language\n"
        " --> dir/a.tsr:4:10\n"
        "  |\n"
        "1 | let a = 1;\n"
        "  |     - declared here\n"
        "...\n"
        "4 | let cc = a + b;\n"
        "  |          ^   - the other\n"
        "  = note: a note\n"
        "help: write it twice\n"
        "  |\n"
        "4 | let cc = aa + b;\n"
        "  |          ~~\n");
}

TEST_CASE("several labels on a line stand below each other from right to left") {
  Fixture f("alpha beta gamma\n");
  f.sink.report(Diag::unterminated_comment, f.span(6, 10))
      .label(f.span(0, 5), "first")
      .label(f.span(6, 10), "second")
      .label(f.span(11, 16), "third");
  CHECK(f.text() ==
        "error[T0116]: a `/*` comment that never ends\n"
        " --> dir/a.tsr:1:7\n"
        "  |\n"
        "1 | alpha beta gamma\n"
        "  | ----- ^^^^ ----- third\n"
        "  | |     second\n"
        "  | first\n");
}

TEST_CASE("remarks at the primary place stand behind its carets, whatever lines the other labels are on") {
  Fixture f("one\ntwo\n");
  f.sink.report(Diag::unterminated_comment, f.span(4, 7))
      .label(f.span(0, 3), "before")
      .label(f.span(4, 7), "this")
      .label(f.span(4, 7), "and that");
  CHECK(f.text().ends_with("1 | one\n  | --- before\n2 | two\n  | ^^^ this; and that\n"));
}

TEST_CASE("tabs and characters of several bytes keep the carets below their text") {
  Fixture f("\tλ·x\tbad\n");
  f.sink.report(Diag::unterminated_comment, f.span(7, 10));
  CHECK(f.text() ==
        "error[T0116]: a `/*` comment that never ends\n"
        " --> dir/a.tsr:1:6\n"
        "  |\n"
        "1 |     λ·x bad\n"
        "  |         ^^^\n");
}

TEST_CASE("empty spans, spans of several lines and the end of the file get a caret") {
  Fixture f("one\ntwo");
  f.sink.report(Diag::unterminated_comment, f.span(7, 7));
  CHECK(f.text().ends_with("2 | two\n  |    ^\n"));
  Fixture g("one\ntwo");
  g.sink.report(Diag::unterminated_comment, g.span(0, 7));
  CHECK(g.text().ends_with("1 | one\n  | ^^^\n"));
  Fixture empty("");
  empty.sink.report(Diag::unterminated_comment, empty.span(0, 0));
  CHECK(empty.text().ends_with("1 |\n  | ^\n"));
}

TEST_CASE("control characters and broken bytes are shown as such, long lines are cut") {
  Fixture f("a\x01\xFF z\n");
  f.sink.report(Diag::unterminated_comment, f.span(4, 5));
  CHECK(f.text().find("1 | a\uFFFD\uFFFD z\n  |     ^\n") != std::string::npos);
  Fixture g(std::string(100'000, 'x'));
  g.sink.report(Diag::unterminated_comment, g.span(90'000, 90'010));
  CHECK(g.text().size() < 1000);
}

TEST_CASE("other files get an excerpt of their own") {
  Fixture f("here\n");
  const FileId other = f.sources.add("b.tsr", "\nthere\n");
  f.sink.report(Diag::unterminated_comment, f.span(0, 4))
      .label({other, 1, 6}, "second")
      .note_at({other, 1, 6}, "see");
  CHECK(f.text() ==
        "error[T0116]: a `/*` comment that never ends\n"
        " --> dir/a.tsr:1:1\n"
        "  |\n"
        "1 | here\n"
        "  | ^^^^\n"
        " ::: b.tsr:2:1\n"
        "  |\n"
        "2 | there\n"
        "  | ----- second\n"
        "note: see\n"
        " --> b.tsr:2:1\n"
        "  |\n"
        "2 | there\n"
        "  | ^^^^^\n");
}

TEST_CASE("a diagnostic without a place is its message") {
  Fixture f("");
  f.sink.report(Diag::file_not_readable, {}, "x.tsr", "no such file");
  CHECK(f.text() == "error[T0001]: cannot read `x.tsr`: no such file\n");
  CHECK(render_brief(f.sink.sorted().front(), f.sources) ==
        "error[T0001]: cannot read `x.tsr`: no such file\n");
}

TEST_CASE("colour adds escapes and nothing else") {
  Fixture f("let a = 1;\n");
  f.sink.report(Diag::unterminated_comment, f.span(4, 5))
      .label(f.span(0, 3), "this")
      .fix(f.span(4, 5), "b", "rename");
  std::string colored = f.text(true);
  CHECK(colored.find("\033[1;31m") != std::string::npos);
  for (std::size_t escape = colored.find('\033'); escape != std::string::npos;
       escape = colored.find('\033')) {
    colored.erase(escape, colored.find('m', escape) - escape + 1);
  }
  CHECK(colored == f.text(false));
}

TEST_CASE("colour is for terminals, unless NO_COLOR or the user says otherwise") {
  int pipe_ends[2];
  REQUIRE(pipe(pipe_ends) == 0);
  CHECK_FALSE(use_color(ColorChoice::automatic, pipe_ends[1]));
  CHECK(use_color(ColorChoice::always, pipe_ends[1]));
  CHECK_FALSE(use_color(ColorChoice::never, pipe_ends[1]));
  setenv("NO_COLOR", "1", 1);
  CHECK_FALSE(use_color(ColorChoice::automatic, pipe_ends[1]));
  CHECK(use_color(ColorChoice::always, pipe_ends[1]));
  unsetenv("NO_COLOR");
  close(pipe_ends[0]);
  close(pipe_ends[1]);
}

TEST_CASE("the one-line form") {
  Fixture f("λ x\n");
  f.sink.report(Diag::unknown_character, f.span(3, 4), "x");
  CHECK(render_brief(f.sink.sorted().front(), f.sources) ==
        "dir/a.tsr:1:3: error[T0111]: `x` is not a character of the language\n");
}

TEST_CASE("JSON: one object per line, with places in characters and bytes") {
  Fixture f("λ x\n\"q\\\xFF");
  f.sink.report(Diag::cast_not_last, f.span(3, 4), "`x`")
      .label(f.span(0, 2), "l")
      .note("n")
      .fix(f.span(3, 4), "\"", "t");
  const std::string line = render_json(f.sink.sorted().front(), f.sources);
  CHECK(std::count(line.begin(), line.end(), '\n') == 1);
  const auto json = nlohmann::json::parse(line);
  CHECK(json["code"] == "T0120");
  CHECK(json["slug"] == "cast-not-last");
  CHECK(json["severity"] == "error");
  CHECK(json["rule"] == "R23");
  CHECK(json["span"]["file"] == "dir/a.tsr");
  CHECK(json["span"]["line"] == 1);
  CHECK(json["span"]["column"] == 3);
  CHECK(json["span"]["end_column"] == 4);
  CHECK(json["span"]["byte_begin"] == 3);
  CHECK(json["labels"][0]["text"] == "l");
  CHECK(json["notes"][0]["kind"] == "note");
  CHECK(json["suggestion"]["replacement"] == "\"");
  CHECK(json["rendered"] == f.text());
}

TEST_CASE("the summary counts, and points to the explanation") {
  Fixture f("abc\n");
  CHECK(render_all(f.sink, f.sources, DiagnosticsFormat::text, false).empty());
  f.sink.report(Diag::unterminated_comment, f.span(0, 1));
  CHECK(render_all(f.sink, f.sources, DiagnosticsFormat::text, false)
            .ends_with("\n\n1 error; `tesserac --explain T0116` says more about the first\n"));
  f.sink.report(Diag::unterminated_comment, f.span(1, 2));
  CHECK(render_all(f.sink, f.sources, DiagnosticsFormat::brief, false).find("2 errors") == std::string::npos);
  CHECK(render_all(f.sink, f.sources, DiagnosticsFormat::text, false).find("2 errors; ") !=
        std::string::npos);
}
