// SPDX-License-Identifier: Apache-2.0
// Edits of programs on the level of words, which stay near what the checks accept.
#pragma once

#include <cstdint>
#include <random>
#include <string>
#include <string_view>
#include <vector>

#include "words.h"

namespace tessera::fuzz {

/// Programs that others take parts from, cut into words.
class Donors {
 public:
  explicit Donors(const std::vector<std::string>& texts);
  const std::vector<Word>& operator[](std::size_t index) const { return programs_[index]; }
  std::size_t size() const { return programs_.size(); }

 private:
  std::vector<std::vector<Word>> programs_;
};

/// `text` after 1 to 4 random edits: words deleted, doubled, swapped; names, numbers and operators replaced by others;
/// statements and bracketed parts replaced by those of a donor. The same seed gives the same text.
std::string mutate(std::string_view text, const Donors& donors, std::uint64_t seed);

}  // namespace tessera::fuzz
