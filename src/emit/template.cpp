// SPDX-License-Identifier: Apache-2.0
// Strict filling of slots.
#include "emit/template.h"

#include <set>

#include "base/check.h"

namespace tessera::emit {

std::string fill_template(std::string_view name, const std::map<std::string, std::string>& slots) {
  constexpr std::string_view kSlot = "//@ ";
  const auto found = embedded_templates().find(name);
  TESSERA_CHECK(found != embedded_templates().end(), "a template is embedded");
  std::string result;
  std::set<std::string> used;
  std::string_view rest = found->second;
  while (!rest.empty()) {
    const size_t end = rest.find('\n');
    const std::string_view line = rest.substr(0, end);
    rest.remove_prefix(end == std::string_view::npos ? rest.size() : end + 1);
    if (!line.starts_with(kSlot)) {
      result.append(line).append("\n");
      continue;
    }
    const std::string slot(line.substr(kSlot.size()));
    const auto text = slots.find(slot);
    TESSERA_CHECK(text != slots.end(), "every slot of a template has a text");
    used.insert(slot);
    result += text->second;
  }
  TESSERA_CHECK(used.size() == slots.size(), "every text has a slot in the template");
  return result;
}

}  // namespace tessera::emit
