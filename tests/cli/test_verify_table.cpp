// SPDX-License-Identifier: Apache-2.0
// What a row of `verify` says: "ok" only where something was asked of an element and held.
#include "catch.h"
#include "commands/verify_table.h"

using namespace tessera::commands;

namespace {

/// The last word of the only row.
std::string verdict(VerifyTable::Row row) {
  VerifyTable table;
  row.device = "host twin";
  row.variant = "chosen";
  table.row(row.device, row.variant) = row;
  const std::string text = table.text({"k", {"N=1"}, false, ""});
  const std::string line = text.substr(text.rfind("host twin"));
  return line.substr(line.rfind("  ") + 2);
}

}  // namespace

TEST_CASE("a row says ok where elements were held to something") {
  CHECK(verdict({.sizes = 2, .elements = 10, .held = 10, .worst = 0.5}) == "ok\n");
  CHECK(verdict({.sizes = 2, .elements = 10, .unbounded = 9, .held = 1}) == "ok\n");
  CHECK(verdict({.sizes = 2, .elements = 10, .held = 10, .wrong = 3, .worst = 7}) == "3 WRONG\n");
}

TEST_CASE("a row without elements, and one where anything may come out, say so") {
  CHECK(verdict({.sizes = 3}) == "-\n");
  CHECK(verdict({.sizes = 2, .elements = 10, .unbounded = 10}) == "no bound\n");
  // Equal bits or a `verify` clause hold where the analysis of errors finds no bound.
  CHECK(verdict({.sizes = 2, .elements = 10, .unbounded = 10, .held = 10}) == "ok\n");
  CHECK(verdict({.sizes = 2, .elements = 10, .unbounded = 10, .wrong = 1}) == "1 WRONG\n");
}
