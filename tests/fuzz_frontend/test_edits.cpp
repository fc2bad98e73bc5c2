// SPDX-License-Identifier: Apache-2.0
// Seeded random edits of the project's programs, with any compiler. TESSERA_FUZZ_EDITS=N makes more of them.
#include <cstdlib>

#include "catch.h"
#include "mutate.h"
#include "programs.h"
#include "promises.h"

using namespace tessera::fuzz;

namespace {

std::size_t edit_count() {
  const char* text = std::getenv("TESSERA_FUZZ_EDITS");
  return text == nullptr ? 20'000 : std::strtoull(text, nullptr, 10);
}

}  // namespace

TEST_CASE("edited programs: formatting keeps the tree, whatever the program") {
  const std::vector<std::string> texts = seed_texts();
  const Donors donors(texts);
  const std::size_t count = edit_count();
  std::size_t parsed = 0, emitted = 0;
  for (std::size_t seed = 0; seed < count; ++seed) {
    const std::string text = mutate(texts[seed % texts.size()], donors, seed);
    INFO("seed " << seed << "\n" << text);
    Outcome outcome;
    // Code takes longest, so few inputs go that far.
    REQUIRE_NOTHROW(outcome = require_promises(text, seed % 16 == 0 ? Reach::code : Reach::checks));
    parsed += outcome.parsed;
    emitted += outcome.emitted;
  }
  // Edits that hardly ever parse would ask nothing.
  CHECK(parsed > count / 8);
  CHECK(emitted > count / 16 / 32);
}
