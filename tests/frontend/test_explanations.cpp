// SPDX-License-Identifier: Apache-2.0
// docs/diagnostics: every code has a page, and the pages of the front end tell the truth.
#include "base/explain.h"
#include "catch.h"
#include "support/program.h"

using namespace tessera;
using namespace tessera::test;

TEST_CASE("every diagnostic has an explanation with a failing example") {
  for (const DiagInfo& row : all_diagnostics()) {
    INFO(row.code << " " << slug_of(row.kind));
    const auto page = explanation(row.kind);
    if (!page) {
      FAIL_CHECK("docs/diagnostics/" << row.code << ".md is missing");
      continue;
    }
    CHECK(page->starts_with(fmt::format("# {} {}\n", row.code, slug_of(row.kind))));
    CHECK(page->find("\n```") != std::string_view::npos);
  }
}

TEST_CASE("explanations of syntax errors show a program that fails so, and a mended one") {
  for (const DiagInfo& row : all_diagnostics()) {
    if (row.code < "T0100" || row.code >= "T0200") continue;
    INFO(row.code << " " << row.slug);
    const auto programs = programs_of(explanation(row.kind).value_or(""));
    REQUIRE(programs.size() == 2);
    CHECK(parse_text(programs[0])->codes() == row.code);
    CHECK(parse_text(programs[1])->codes().empty());
  }
}

TEST_CASE("explanations are found by code in any case and by slug") {
  CHECK(explain("T0120") == explain("t0120"));
  CHECK(explain("T0120") == explain("cast-not-last"));
  CHECK(explain("T0120").has_value());
  CHECK_FALSE(explain("T9999").has_value());
  CHECK_FALSE(explain("").has_value());
}
