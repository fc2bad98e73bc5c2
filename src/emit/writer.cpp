// SPDX-License-Identifier: Apache-2.0
// Breaking of long lines.
#include "emit/writer.h"

#include <algorithm>
#include <array>

namespace tessera::emit {

namespace {

// Where a line may be broken: after these.
constexpr std::array<std::string_view, 10> kBreaks = {", ", " && ", " || ", " ? ", " : ", " + ", " - ", " * ", " / ", " = "};

// The last place before `limit` at which the text may be broken; 0 when there is none.
size_t break_before(std::string_view text, size_t limit) {
  size_t best = 0;
  bool quoted = false;
  for (size_t k = 0; k < std::min(limit, text.size()); ++k) {
    if (text[k] == '"') quoted = !quoted;
    if (quoted) continue;
    for (std::string_view candidate : kBreaks)
      if (text.substr(k).starts_with(candidate) && k + candidate.size() <= limit) best = std::max(best, k + candidate.size());
  }
  return best;
}

}  // namespace

void Writer::line(std::string_view text, std::string_view remark) {
  size_t margin = static_cast<size_t>(depth_) * 2;
  for (bool first = true;; first = false) {
    if (!first) margin = static_cast<size_t>(depth_) * 2 + 4;
    const size_t room = kColumns > margin ? kColumns - margin : 20;
    const size_t cut = text.size() > room ? break_before(text, room) : 0;
    text_.append(margin, ' ');
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
