// SPDX-License-Identifier: Apache-2.0
// docs/diagnostics/T02xx to T05xx: the failing program fails so, in exactly these words, and the mended one checks.
#include "base/explain.h"
#include "catch.h"
#include "checked.h"

using namespace tessera;
using namespace tessera::test;

TEST_CASE("each explanation of sema shows a program that fails so, and a mended one") {
  for (const DiagInfo& row : all_diagnostics()) {
    if (row.code < "T0200" || row.code >= "T0600") continue;
    INFO(row.code << " " << row.slug);
    const std::string code(row.code);
    const auto programs = programs_of(explanation(row.kind).value_or(""));
    REQUIRE(programs.size() == 2);
    const auto failing = check_text(programs[0], code + ".tsr");
    CHECK(failing->codes().starts_with(code));
    CHECK(failing->codes().find_first_not_of(code + " ") == std::string::npos);
    CHECK(failing->module.has_value() == (row.severity == Severity::warning));
    compare_with_file(tests_folder() / "sema/explained" / (code + ".txt"), failing->rendered());
    const auto mended = check_text(programs[1], code + ".tsr");
    CHECK(mended->rendered() == "");
    CHECK(mended->module.has_value());
  }
}
