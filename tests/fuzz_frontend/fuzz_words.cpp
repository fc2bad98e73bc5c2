// SPDX-License-Identifier: Apache-2.0
// libFuzzer over words: programs that stay near right ones, through the whole compiler. Its mutations are those of
// mutate.h, and now and then libFuzzer's own.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <exception>
#include <functional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "mutate.h"
#include "programs.h"
#include "promises.h"

extern "C" std::size_t LLVMFuzzerMutate(std::uint8_t* data, std::size_t size, std::size_t max_size);

namespace {

using namespace tessera::fuzz;

std::string_view text_view(const std::uint8_t* data, std::size_t size) {
  return {reinterpret_cast<const char*>(data), size};
}

/// What became of the inputs, printed when the program ends.
struct Tally {
  std::size_t inputs = 0, parsed = 0, checked = 0, emitted = 0;
  ~Tally() {
    std::fprintf(stderr, "inputs %zu, parsed %zu, checked %zu, emitted %zu\n", inputs, parsed, checked,
                 emitted);
  }
};

/// The texts of this run that parsed, by their hashes.
std::set<std::size_t>& parsed_texts() {
  static std::set<std::size_t> hashes;
  return hashes;
}

/// What a mutation starts from. Edits seldom mend, so what does not parse is mostly left for one of the project's
/// programs: else the corpus drifts away from programs, and one input in thirty reaches a check.
std::string start_of(std::string_view text, const std::vector<std::string>& seeds, unsigned int seed,
                     std::size_t max_size) {
  const std::string& program = seeds[seed / 8 % seeds.size()];
  const bool keep = seed % 8 == 1 || parsed_texts().contains(std::hash<std::string_view>{}(text));
  return keep || program.size() > max_size ? std::string(text) : program;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static Tally tally;
  const std::string text(text_view(data, size));
  // Code takes ten times as long as all before it.
  const Reach reach = is_chosen(text, 1, 16) ? Reach::code : Reach::checks;
  try {
    const Outcome outcome = require_promises(text, reach, is_chosen(text, 0, 8) ? Forms::all : Forms::brief);
    ++tally.inputs;
    if (outcome.parsed) parsed_texts().insert(std::hash<std::string_view>{}(text));
    tally.parsed += outcome.parsed;
    tally.checked += outcome.checked;
    tally.emitted += outcome.emitted;
  } catch (const std::exception& error) {
    std::fprintf(stderr, "broken promise: %s\n", error.what());
    std::abort();
  }
  return 0;
}

extern "C" std::size_t LLVMFuzzerCustomMutator(std::uint8_t* data, std::size_t size, std::size_t max_size,
                                               unsigned int seed) {
  static const std::vector<std::string> seeds = seed_texts();
  static const Donors donors(seeds);
  if (seed % 16 == 0) return LLVMFuzzerMutate(data, size, max_size);
  const std::string text = mutate(start_of(text_view(data, size), seeds, seed, max_size), donors, seed);
  if (text.size() > max_size) return size;
  std::memcpy(data, text.data(), text.size());
  return text.size();
}
