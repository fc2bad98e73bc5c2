// SPDX-License-Identifier: Apache-2.0
// The tools of the fuzzers themselves.
#include <set>

#include "catch.h"
#include "mutate.h"
#include "programs.h"
#include "words.h"

using namespace tessera::fuzz;

TEST_CASE("words give the text back, for every program and for any bytes") {
  for (const std::string& text : seed_texts()) CHECK(text_of(words_of(text)) == text);
  for (const char* text :
       {"", " ", "\n a", "1e-5f 0x1F..2", "/* open", "// end", "\xff\x80\x01", "a/**/b", "}{"}) {
    CHECK(text_of(words_of(text)) == text);
  }
}

TEST_CASE("words are what the grammar sees") {
  const auto words = words_of("a1 += 1.5e-3..0x2A; // c");
  REQUIRE(words.size() == 7);
  CHECK(words[1].text == "+=");
  CHECK(words[2].text == "1.5e-3");
  CHECK(words[3].text == "..");
  CHECK(words[4].text == "0x2A");
  CHECK(words[6].kind == WordKind::comment);
}

TEST_CASE("groups and statements end where they end") {
  const auto words = words_of("{ a[(b)] = 1; for i in N { c; } d }");
  CHECK(group_end(words, 0) == words.size());
  CHECK(words[statement_end(words, 1) - 1].text == ";");
  const std::size_t loop = statement_end(words, 1);
  CHECK(words[loop].text == "for");
  CHECK(words[statement_end(words, loop)].text == "d");
  CHECK(statement_end(words, words.size() - 2) == words.size() - 1);
}

TEST_CASE("a seed gives one text, and seeds give many") {
  const std::vector<std::string> texts = seed_texts();
  const Donors donors(texts);
  std::set<std::string> results;
  for (std::uint64_t seed = 0; seed < 200; ++seed) {
    const std::string text = mutate(texts[seed % texts.size()], donors, seed);
    CHECK(text == mutate(texts[seed % texts.size()], donors, seed));
    results.insert(text);
  }
  CHECK(results.size() > 150);
  mutate("", donors, 1);
}
