// SPDX-License-Identifier: Apache-2.0
// A program that is being typed: every prefix of every example ends in an error or in success, soon.
// TESSERA_FUZZ_PREFIXES=all takes each of them to code.
#include <chrono>
#include <cstdlib>
#include <string_view>
#include <vector>

#include "catch.h"
#include "programs.h"
#include "promises.h"
#include "words.h"

using namespace tessera::fuzz;

namespace {

/// For every size of a prefix, how far it is taken. Blanks, and a comment that is being typed, leave the tree as it was
/// one byte before: parser and formatter see them, and the same code is not made once more. Four fifths of the time of
/// all prefixes went there.
std::vector<Reach> reaches(std::string_view text) {
  const char* choice = std::getenv("TESSERA_FUZZ_PREFIXES");
  const bool all = choice != nullptr && std::string_view(choice) == "all";
  std::vector<Reach> reaches(text.size() + 1, all ? Reach::code : Reach::syntax);
  std::size_t begin = 0;
  for (const Word& word : words_of(text)) {
    const std::size_t end = begin + word.text.size();
    const bool grows = word.kind == WordKind::comment;
    for (std::size_t size = grows ? end : begin + 1; size <= end; ++size) reaches[size] = Reach::code;
    begin = end + word.blanks.size();
  }
  reaches.back() = Reach::code;
  return reaches;
}

}  // namespace

TEST_CASE("every prefix of every example and corner program") {
  using Clock = std::chrono::steady_clock;
  std::size_t prefixes = 0, deep = 0, emitted = 0;
  for (const SeedProgram& program : programs_below({"examples", "tests/corners"})) {
    const std::vector<Reach> reach = reaches(program.text);
    for (std::size_t size = 0; size <= program.text.size(); ++size) {
      INFO(program.name << ", the first " << size << " bytes");
      const Clock::time_point start = Clock::now();
      Outcome outcome;
      REQUIRE_NOTHROW(outcome = require_promises(program.text.substr(0, size), reach[size]));
      REQUIRE(Clock::now() - start < std::chrono::seconds(10));
      ++prefixes;
      deep += reach[size] == Reach::code;
      emitted += outcome.emitted;
    }
  }
  CHECK(prefixes > 30'000);
  CHECK(deep > prefixes / 2);
  CHECK(emitted > 40);  // prefixes that end behind a kernel
}
