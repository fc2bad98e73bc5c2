// SPDX-License-Identifier: Apache-2.0
// A text cut into words for mutation. It cuts any bytes, and knows just enough to hit what the grammar looks at.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace tessera::fuzz {

enum class WordKind { name, number, operation, bracket, comment, other };

/// A word with the white space behind it.
struct Word {
  WordKind kind = WordKind::other;
  std::string text;
  std::string blanks;
};

/// The words of a text. White space at its start is a word without text.
std::vector<Word> words_of(std::string_view text);
/// The text of words; `text_of(words_of(text)) == text`.
std::string text_of(const std::vector<Word>& words);

/// One behind the bracket that closes the one at `open`, or one behind `open` where there is none.
std::size_t group_end(const std::vector<Word>& words, std::size_t open);
/// One behind the statement or declaration that begins at `begin`: its `;`, its body, or the word before a `}`.
std::size_t statement_end(const std::vector<Word>& words, std::size_t begin);

}  // namespace tessera::fuzz
