// SPDX-License-Identifier: Apache-2.0
// See words.h.
#include "words.h"

#include <algorithm>
#include <array>

namespace tessera::fuzz {

namespace {

bool is_blank(char c) { return c == ' ' || c == '\t' || c == '\r' || c == '\n' || c == '\f'; }
bool is_digit(char c) { return c >= '0' && c <= '9'; }
bool is_letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_'; }
bool opens(std::string_view word) { return word == "(" || word == "[" || word == "{"; }
bool closes(std::string_view word) { return word == ")" || word == "]" || word == "}"; }

/// Operators of two characters; all others have one.
constexpr std::array<std::string_view, 19> kPairs = {
    "->", "..", "+=", "-=", "*=", "/=", "|=", "&=", "??", "||",
    "&&", "==", "!=", "<=", ">=", "<<", ">>", "@@", "::"};

template <typename Is>
std::size_t run_length(std::string_view text, Is is) {
  return static_cast<std::size_t>(std::ranges::find_if_not(text, is) - text.begin());
}

/// `12`, `0x1F`, `1.5`, `1e-5`; the two points of a range stay outside.
std::size_t number_length(std::string_view text) {
  const auto in_word = [](char c) { return is_digit(c) || is_letter(c); };
  std::size_t length = run_length(text, in_word);
  if (length + 1 < text.size() && text[length] == '.' && is_digit(text[length + 1])) {
    ++length;
    length += run_length(text.substr(length), in_word);
  }
  const bool signed_exponent = length + 1 < text.size() &&
                               (text[length - 1] == 'e' || text[length - 1] == 'E') &&
                               (text[length] == '-' || text[length] == '+') && is_digit(text[length + 1]);
  if (signed_exponent && !text.starts_with("0x")) length += 1 + run_length(text.substr(length + 1), in_word);
  return length;
}

Word first_word(std::string_view text) {
  const char c = text.front();
  const auto word = [&](WordKind kind, std::size_t length) {
    return Word{kind, std::string(text.substr(0, length)), {}};
  };
  if (is_letter(c)) {
    return word(WordKind::name, run_length(text, [](char d) { return is_letter(d) || is_digit(d); }));
  }
  if (is_digit(c)) return word(WordKind::number, number_length(text));
  if (text.starts_with("//")) return word(WordKind::comment, std::min(text.find('\n'), text.size()));
  if (text.starts_with("/*")) {
    const std::size_t end = text.find("*/", 2);
    return word(WordKind::comment, end == std::string_view::npos ? text.size() : end + 2);
  }
  if (opens(text.substr(0, 1)) || closes(text.substr(0, 1))) return word(WordKind::bracket, 1);
  if (std::ranges::find(kPairs, text.substr(0, 2)) != kPairs.end()) return word(WordKind::operation, 2);
  const bool printed = static_cast<unsigned char>(c) > 0x20 && static_cast<unsigned char>(c) < 0x7f;
  return word(printed ? WordKind::operation : WordKind::other, 1);
}

}  // namespace

std::vector<Word> words_of(std::string_view text) {
  std::vector<Word> words;
  while (!text.empty()) {
    Word word = is_blank(text.front()) ? Word{} : first_word(text);
    text.remove_prefix(word.text.size());
    const std::size_t blanks = run_length(text, is_blank);
    word.blanks = text.substr(0, blanks);
    text.remove_prefix(blanks);
    words.push_back(std::move(word));
  }
  return words;
}

std::string text_of(const std::vector<Word>& words) {
  std::string text;
  for (const Word& word : words) {
    // Two names that met by a deletion or an insertion would become one.
    const bool fuse = !text.empty() && !word.text.empty() &&
                      (is_letter(text.back()) || is_digit(text.back())) && (word.kind == WordKind::name);
    if (fuse) text += ' ';
    text += word.text + word.blanks;
  }
  return text;
}

std::size_t group_end(const std::vector<Word>& words, std::size_t open) {
  std::size_t depth = 0;
  for (std::size_t i = open; i < words.size(); ++i) {
    if (opens(words[i].text)) ++depth;
    if (closes(words[i].text) && --depth == 0) return i + 1;
  }
  return open + 1;
}

std::size_t statement_end(const std::vector<Word>& words, std::size_t begin) {
  std::size_t i = begin;
  while (i < words.size()) {
    const std::string& word = words[i].text;
    if (word == ";") return i + 1;
    if (word == "}") return i;
    if (word == "{") return group_end(words, i);
    i = opens(word) ? group_end(words, i) : i + 1;
  }
  return i;
}

}  // namespace tessera::fuzz
