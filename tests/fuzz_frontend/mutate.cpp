// SPDX-License-Identifier: Apache-2.0
// See mutate.h. Each edit is a member function; a program without what an edit needs is left as it is.
#include "mutate.h"

#include <algorithm>
#include <array>
#include <iterator>
#include <utility>

namespace tessera::fuzz {

namespace {

using Words = std::vector<Word>;

/// Where sizes, types and folding change what they do.
constexpr std::array<std::string_view, 44> kNumbers = {"0",
                                                       "1",
                                                       "2",
                                                       "3",
                                                       "4",
                                                       "7",
                                                       "8",
                                                       "15",
                                                       "16",
                                                       "17",
                                                       "24",
                                                       "31",
                                                       "32",
                                                       "33",
                                                       "40",
                                                       "63",
                                                       "64",
                                                       "65",
                                                       "100",
                                                       "104",
                                                       "127",
                                                       "128",
                                                       "129",
                                                       "255",
                                                       "256",
                                                       "257",
                                                       "1024",
                                                       "65535",
                                                       "65536",
                                                       "2147483647",
                                                       "2147483648",
                                                       "4294967296",
                                                       "9223372036854775807",
                                                       "9223372036854775808",
                                                       "18446744073709551616",
                                                       "0x7fffffff",
                                                       "0xffffffffffffffff",
                                                       "0.0",
                                                       "0.5",
                                                       "1e-46",
                                                       "1e38",
                                                       "1e309",
                                                       "65504.0",
                                                       "123456789012345678901234567890"};

constexpr std::array<std::string_view, 12> kTypes = {"f16", "bf16", "f32", "f64",   "i4",       "i8",
                                                     "i32", "i64",  "u8",  "index", "fp8_e4m3", "bool"};

constexpr std::array<std::string_view, 26> kOperations = {
    "+",  "-", "*",  "/",  "%",  "<<", ">>", "&",  "|",  "^",  "==", "!=", "<",
    "<=", ">", ">=", "&&", "||", "??", "=",  "+=", "*=", "..", ",",  ":",  "in"};

class Mutation {
 public:
  Mutation(Words words, const Donors& donors, std::uint64_t seed)
      : words_(std::move(words)), donors_(donors), random_(seed) {}

  Words run() {
    using Edit = void (Mutation::*)();
    constexpr std::array<Edit, 14> kEdits = {
        &Mutation::erase_run,       &Mutation::double_run,        &Mutation::swap_words,
        &Mutation::replace_name,    &Mutation::replace_name,      &Mutation::rename,
        &Mutation::replace_number,  &Mutation::replace_operation, &Mutation::replace_type,
        &Mutation::take_words,      &Mutation::take_statement,    &Mutation::move_statement,
        &Mutation::erase_statement, &Mutation::take_group};
    for (std::size_t edits = 1 + below(4); edits > 0; --edits) (this->*kEdits[below(kEdits.size())])();
    return std::move(words_);
  }

 private:
  std::size_t below(std::size_t limit) { return limit == 0 ? 0 : random_() % limit; }
  template <typename List>
  std::string any_of(const List& list) {
    return std::string(list[below(list.size())]);
  }
  auto at(std::size_t index) { return words_.begin() + static_cast<std::ptrdiff_t>(index); }

  /// A random index whose word satisfies a condition; the size if none was found in a few tries.
  template <typename Is>
  std::size_t find(const Words& words, Is is) {
    for (int tries = 0; tries < 24 && !words.empty(); ++tries) {
      const std::size_t index = below(words.size());
      if (is(words[index])) return index;
    }
    return words.size();
  }
  std::size_t find_kind(WordKind kind) {
    return find(words_, [&](const Word& word) { return word.kind == kind; });
  }
  /// Where a statement may begin.
  std::size_t find_seam(const Words& words) {
    const std::size_t seam = find(
        words, [](const Word& word) { return word.text == ";" || word.text == "{" || word.text == "}"; });
    return seam == words.size() ? 0 : seam + 1;
  }
  const Words& donor() { return donors_[below(donors_.size())]; }
  void insert(std::size_t place, const Words& from, std::size_t begin, std::size_t end) {
    const Words part(from.begin() + static_cast<std::ptrdiff_t>(begin),
                     from.begin() + static_cast<std::ptrdiff_t>(end));
    words_.insert(at(place), part.begin(), part.end());
  }

  void erase_run() {
    const std::size_t begin = below(words_.size());
    words_.erase(at(begin), at(std::min(begin + 1 + below(4), words_.size())));
  }
  void double_run() {
    const std::size_t begin = below(words_.size());
    insert(begin, words_, begin, std::min(begin + 1 + below(8), words_.size()));
  }
  void swap_words() {
    if (words_.empty()) return;
    std::swap(words_[below(words_.size())].text, words_[below(words_.size())].text);
  }
  void replace_name() {
    const std::size_t one = find_kind(WordKind::name), other = find_kind(WordKind::name);
    if (one < words_.size() && other < words_.size()) words_[one].text = words_[other].text;
  }
  /// One name everywhere: two things become one, and shadows and cycles arise.
  void rename() {
    const std::size_t one = find_kind(WordKind::name), other = find_kind(WordKind::name);
    if (one == words_.size() || other == words_.size()) return;
    const std::string from = words_[one].text, to = words_[other].text;
    for (Word& word : words_) {
      if (word.text == from) word.text = to;
    }
  }
  void replace_number() {
    const std::size_t index = find_kind(WordKind::number);
    if (index < words_.size()) words_[index].text = any_of(kNumbers);
  }
  void replace_operation() {
    const std::size_t index = find_kind(WordKind::operation);
    if (index < words_.size()) words_[index].text = any_of(kOperations);
  }
  void replace_type() {
    const std::size_t index =
        find(words_, [](const Word& word) { return std::ranges::find(kTypes, word.text) != kTypes.end(); });
    if (index < words_.size()) words_[index].text = any_of(kTypes);
  }
  void take_words() {
    const Words& from = donor();
    const std::size_t begin = below(from.size());
    insert(below(words_.size() + 1), from, begin, std::min(begin + 1 + below(12), from.size()));
  }
  void take_statement() {
    const Words& from = donor();
    const std::size_t begin = find_seam(from);
    insert(find_seam(words_), from, begin, statement_end(from, begin));
  }
  void move_statement() {
    const std::size_t begin = find_seam(words_);
    insert(find_seam(words_), Words(words_), begin, statement_end(words_, begin));
  }
  void erase_statement() {
    const std::size_t begin = find_seam(words_);
    words_.erase(at(begin), at(statement_end(words_, begin)));
  }
  /// A part in brackets for another of the same kind: arguments, indices, bodies.
  void take_group() {
    const auto opens = [](const Word& word) {
      return word.text == "(" || word.text == "[" || word.text == "{";
    };
    const std::size_t place = find(words_, opens);
    if (place == words_.size()) return;
    const std::string bracket = words_[place].text;
    const Words& from = below(3) == 0 ? words_ : donor();
    const std::size_t begin = find(from, [&](const Word& word) { return word.text == bracket; });
    if (begin == from.size()) return;
    const Words source(from);
    words_.erase(at(place), at(group_end(words_, place)));
    insert(place, source, begin, group_end(source, begin));
  }

  Words words_;
  const Donors& donors_;
  std::mt19937_64 random_;
};

}  // namespace

Donors::Donors(const std::vector<std::string>& texts) {
  for (const std::string& text : texts) {
    Words words = words_of(text);
    if (!words.empty()) programs_.push_back(std::move(words));
  }
}

std::string mutate(std::string_view text, const Donors& donors, std::uint64_t seed) {
  return text_of(Mutation(words_of(text), donors, seed).run());
}

}  // namespace tessera::fuzz
