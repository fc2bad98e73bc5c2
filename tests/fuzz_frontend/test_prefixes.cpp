// SPDX-License-Identifier: Apache-2.0
// A program that is being typed: every prefix of every example ends in an error or in success, soon.
#include <chrono>

#include "catch.h"
#include "programs.h"
#include "promises.h"

using namespace tessera::fuzz;

TEST_CASE("every prefix of every example and corner program") {
  using Clock = std::chrono::steady_clock;
  std::size_t prefixes = 0, emitted = 0;
  for (const SeedProgram& program : programs_below({"examples", "tests/corners"})) {
    for (std::size_t size = 0; size <= program.text.size(); ++size) {
      INFO(program.name << ", the first " << size << " bytes");
      const Clock::time_point start = Clock::now();
      Outcome outcome;
      REQUIRE_NOTHROW(outcome = require_promises(program.text.substr(0, size), Reach::code));
      REQUIRE(Clock::now() - start < std::chrono::seconds(10));
      ++prefixes;
      emitted += outcome.emitted;
    }
  }
  CHECK(prefixes > 30'000);
  CHECK(emitted > 40);  // prefixes that end behind a kernel
}
