// SPDX-License-Identifier: Apache-2.0
// Comparing outputs; see judge.h.
#include "fuzz/judge.h"

namespace tessera::fuzz {

std::string difference(const Expected& expected, const std::string& name, const std::vector<double>& actual) {
  const std::vector<double>& wanted = expected.outputs.at(name);
  if (wanted.size() != actual.size()) return name + " has another number of elements";
  std::size_t wrong = 0, first = 0;
  for (std::size_t i = wanted.size(); i-- > 0;) {
    if (wanted[i] != actual[i]) ++wrong, first = i;
  }
  if (wrong == 0) return {};
  return name + ": " + std::to_string(wrong) + " of " + std::to_string(wanted.size()) +
         " differ, first element " + std::to_string(first) + " is " + std::to_string(actual[first]) +
         " instead of " + std::to_string(wanted[first]);
}

}  // namespace tessera::fuzz
