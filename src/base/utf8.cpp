// SPDX-License-Identifier: Apache-2.0
// UTF-8 by the table of the Unicode standard (no overlong forms, no surrogates, nothing past U+10FFFF).
#include "base/utf8.h"

#include <cstdint>

namespace tessera {

namespace {

struct LeadByte {
  std::uint8_t first, last;             // the lead bytes of this row
  std::size_t length;                   // bytes of the whole sequence
  std::uint8_t second_min, second_max;  // what the second byte may be; later ones are 80..BF
};

constexpr LeadByte kLeadBytes[] = {
    {0xC2, 0xDF, 2, 0x80, 0xBF}, {0xE0, 0xE0, 3, 0xA0, 0xBF}, {0xE1, 0xEC, 3, 0x80, 0xBF},
    {0xED, 0xED, 3, 0x80, 0x9F}, {0xEE, 0xEF, 3, 0x80, 0xBF}, {0xF0, 0xF0, 4, 0x90, 0xBF},
    {0xF1, 0xF3, 4, 0x80, 0xBF}, {0xF4, 0xF4, 4, 0x80, 0x8F},
};

}  // namespace

std::size_t utf8_sequence_length(std::string_view text, std::size_t position) {
  const auto byte = [&](std::size_t i) { return static_cast<std::uint8_t>(text[position + i]); };
  if (position >= text.size()) return 0;
  if (byte(0) < 0x80) return 1;
  for (const LeadByte& row : kLeadBytes) {
    if (byte(0) < row.first || byte(0) > row.last) continue;
    if (position + row.length > text.size()) return 0;
    if (byte(1) < row.second_min || byte(1) > row.second_max) return 0;
    for (std::size_t i = 2; i < row.length; ++i) {
      if (byte(i) < 0x80 || byte(i) > 0xBF) return 0;
    }
    return row.length;
  }
  return 0;
}

std::size_t utf8_length(std::string_view text) {
  std::size_t count = 0;
  for (std::size_t position = 0; position < text.size(); ++count) {
    const std::size_t length = utf8_sequence_length(text, position);
    position += length == 0 ? 1 : length;
  }
  return count;
}

}  // namespace tessera
