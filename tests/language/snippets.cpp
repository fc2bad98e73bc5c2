// SPDX-License-Identifier: Apache-2.0
// See snippets.h.
#include "snippets.h"

#include <sstream>
#include <stdexcept>

namespace tessera::test {

namespace {

constexpr std::string_view kFence = "```";

/// The words after `tsr` in an info string.
void read_info(std::istringstream& info, Snippet& snippet) {
  for (std::string word; info >> word;) {
    if (word.starts_with("fail=")) {
      snippet.fails = word.substr(5);
    } else if (word.starts_with("warn=")) {
      snippet.warns = word.substr(5);
    } else {
      throw std::runtime_error("line " + std::to_string(snippet.line) + ": unknown word `" + word + "`");
    }
  }
}

}  // namespace

std::vector<Snippet> snippets_of(std::string_view page) {
  std::vector<Snippet> snippets;
  std::istringstream lines{std::string(page)};
  std::string prose;
  bool in_block = false, in_snippet = false;
  std::size_t number = 0;
  for (std::string line; std::getline(lines, line);) {
    ++number;
    if (in_block && line == kFence) {
      in_block = in_snippet = false;
      prose.clear();
    } else if (in_block) {
      if (in_snippet) snippets.back().text += line + "\n";
    } else if (line.starts_with(kFence)) {
      in_block = true;
      std::istringstream info(line.substr(kFence.size()));
      std::string language;
      info >> language;
      in_snippet = language == "tsr";
      if (!in_snippet) continue;
      snippets.push_back({number, "", "", prose, ""});
      read_info(info, snippets.back());
    } else {
      prose += line + "\n";
    }
  }
  if (in_block) throw std::runtime_error("a block is not closed");
  return snippets;
}

}  // namespace tessera::test
