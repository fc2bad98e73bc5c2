// SPDX-License-Identifier: Apache-2.0
// docs/language.md: what it shows is accepted, what it forbids is refused with the diagnostic that it names.
#include <algorithm>
#include <fstream>
#include <iterator>
#include <optional>
#include <regex>

#include "base/diagnostic_printer.h"
#include "base/diagnostics.h"
#include "base/source.h"
#include "catch.h"
#include "emit/emit.h"
#include "frontend/format.h"
#include "frontend/parse.h"
#include "sema/check.h"
#include "snippets.h"

using namespace tessera;
using namespace tessera::test;

namespace {

std::string page() {
  std::ifstream stream(TESSERA_SOURCE_DIR "/docs/language.md", std::ios::binary);
  return {std::istreambuf_iterator<char>(stream), std::istreambuf_iterator<char>()};
}

/// A program after the front end and, if it parses, after sema and the planner.
struct Checked {
  SourceManager sources;
  DiagnosticSink sink;
  std::optional<ast::File> file;
  std::string formatted;  ///< of a file that parses
  bool accepted = false;

  explicit Checked(std::string text) {
    const FileId id = sources.add("language.tsr", std::move(text));
    file = parse(sources.file(id), sink);
    if (!file) return;
    formatted = format(*file, sources.file(id));
    const auto module = check(*file, sink);
    if (module) emit::check_plans(*module, {}, sink);
    accepted = module.has_value() && !sink.has_errors();
  }

  std::string rendered() const { return render_all(sink, sources, DiagnosticsFormat::text, false); }

  /// Whether there is a diagnostic of that code and none of another.
  bool says_only(std::string_view code) const {
    const auto diagnostics = sink.sorted();
    return !diagnostics.empty() && std::all_of(diagnostics.begin(), diagnostics.end(),
                                               [&](const auto& one) { return info(one.kind).code == code; });
  }
};

/// "T0312 axis-left-over", or nothing for a code that is not in the register.
std::string code_and_slug(std::string_view code) {
  for (const DiagInfo& row : all_diagnostics()) {
    if (row.code == code) return std::string(code) + " " + slug_of(row.kind);
  }
  return "";
}

}  // namespace

TEST_CASE("the page has snippets of both kinds") {
  const std::vector<Snippet> snippets = snippets_of(page());
  const auto refused =
      std::count_if(snippets.begin(), snippets.end(), [](const Snippet& one) { return !one.fails.empty(); });
  CHECK(refused >= 20);
  CHECK(static_cast<std::ptrdiff_t>(snippets.size()) - refused >= 20);
}

TEST_CASE("snippets that are accepted check without a diagnostic but the warning they name") {
  for (const Snippet& snippet : snippets_of(page())) {
    if (!snippet.fails.empty()) continue;
    const Checked checked(snippet.text);
    INFO("docs/language.md:" << snippet.line << "\n" << checked.rendered());
    CHECK(checked.accepted);
    if (snippet.warns.empty()) {
      CHECK(checked.rendered().empty());
    } else {
      CHECK(checked.says_only(snippet.warns));
      CHECK(snippet.prose.find("`" + code_and_slug(snippet.warns) + "`") != std::string::npos);
    }
  }
}

TEST_CASE("snippets that must fail do so with the code they name, and the prose before them names it too") {
  for (const Snippet& snippet : snippets_of(page())) {
    if (snippet.fails.empty()) continue;
    const Checked checked(snippet.text);
    INFO("docs/language.md:" << snippet.line << ", " << snippet.fails << "\n" << checked.rendered());
    CHECK_FALSE(checked.accepted);
    CHECK(checked.says_only(snippet.fails));
    CHECK(snippet.prose.find("`" + code_and_slug(snippet.fails) + "`") != std::string::npos);
  }
}

TEST_CASE("snippets that parse are in the canonical layout, and formatting is idempotent") {
  for (const Snippet& snippet : snippets_of(page())) {
    const Checked checked(snippet.text);
    if (!checked.file) continue;
    INFO("docs/language.md:" << snippet.line);
    CHECK(checked.formatted == snippet.text);
    CHECK(Checked(checked.formatted).formatted == checked.formatted);
  }
}

TEST_CASE("a code that the page mentions has the slug that stands behind it") {
  const std::string text = page();
  const std::regex mention("(T0[0-9]{3}) ([a-z0-9]+(-[a-z0-9]+)+)");
  std::size_t count = 0;
  for (std::sregex_iterator it(text.begin(), text.end(), mention), end; it != end; ++it, ++count) {
    CHECK((*it)[0].str() == code_and_slug((*it)[1].str()));
  }
  CHECK(count > 0);
}
