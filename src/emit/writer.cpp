// SPDX-License-Identifier: Apache-2.0
// Breaking of long lines.
#include "emit/writer.h"

#include <algorithm>
#include <array>
#include <climits>

namespace tessera::emit {

namespace {

// Where a line may be broken: after these.
constexpr std::string_view kEnd = "; ";  // in the head of a loop
constexpr std::array<std::string_view, 11> kBreaks = {kEnd,  ", ",  " && ", " || ", " ? ", " : ",
                                                      " + ", " - ", " * ",  " / ",  " = "};

// The place before `limit` at which the text is best broken: as shallow in brackets as can be, there behind an end if there
// is one, and as late as can be among those; 0 when there is none. Template brackets count, which follow a name without a
// blank.
size_t break_before(std::string_view text, size_t limit) {
  size_t best = 0;
  int depth = 0, best_rank = INT_MAX;
  bool quoted = false;
  for (size_t k = 0; k < std::min(limit, text.size()); ++k) {
    if (text[k] == '"') quoted = !quoted;
    if (quoted) continue;
    const bool template_bracket = k > 0 && (text[k] == '<' || text[k] == '>') && text[k - 1] != ' ';
    if (text[k] == '(' || text[k] == '{' || text[k] == '[' || (template_bracket && text[k] == '<')) ++depth;
    if (text[k] == ')' || text[k] == '}' || text[k] == ']' || (template_bracket && text[k] == '>')) --depth;
    for (std::string_view candidate : kBreaks) {
      if (!text.substr(k).starts_with(candidate) || k + candidate.size() > limit) continue;
      const size_t place = k + candidate.size();
      const int rank = 2 * depth + (candidate == kEnd ? 0 : 1);
      if (place * 3 < limit || rank > best_rank) continue;
      best = place;
      best_rank = rank;
    }
  }
  return best;
}

}  // namespace

void Writer::line(std::string_view text, std::string_view remark) {
  size_t margin = static_cast<size_t>(depth_) * 2;
  // What a broken line goes on with: deeper, or as the same kind of comment.
  const std::string_view comment = text.starts_with("/// ")  ? "///     "
                                   : text.starts_with("// ") ? "//     "
                                                             : "";
  for (bool first = true;; first = false) {
    if (!first && comment.empty()) margin = static_cast<size_t>(depth_) * 2 + 4;
    const size_t room = kColumns > margin ? kColumns - margin : 20;
    const size_t cut = text.size() > room && !whole_ ? break_before(text, room) : 0;
    text_.append(margin, ' ');
    if (!first) text_ += comment;
    if (cut == 0) break;
    std::string_view head = text.substr(0, cut);
    while (head.ends_with(' ')) head.remove_suffix(1);
    text_ += head;
    text_ += '\n';
    text.remove_prefix(cut);
  }
  text_ += text;
  if (!remark.empty()) {
    text_ += "  // ";
    text_ += remark;
  }
  text_ += '\n';
}

}  // namespace tessera::emit
