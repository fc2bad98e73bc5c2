// SPDX-License-Identifier: Apache-2.0
// What fuzzing has found once, kept small: every promise, as far as code.
#include "catch.h"
#include "programs.h"
#include "promises.h"

using namespace tessera::fuzz;

TEST_CASE("programs that broke a promise once keep all of them") {
  const std::vector<SeedProgram> programs = programs_below({"tests/fuzz_frontend/kept"});
  REQUIRE(programs.size() >= 3);
  for (const SeedProgram& program : programs) {
    INFO(program.name);
    REQUIRE_NOTHROW(require_promises(program.text, Reach::code));
  }
}
