// SPDX-License-Identifier: Apache-2.0
// Whether outputs are right; see judge.h.
#include "sweep/judge.h"

#include <bit>
#include <cmath>
#include <cstdio>

namespace tessera::sweep {

using reference::Exactness;

namespace {

std::uint64_t bits_of(double value, Exactness exactness) {
  if (value == 0 && exactness != Exactness::kBitwise) return 0;
  return std::isnan(value) ? 0x7ff8000000000000u : std::bit_cast<std::uint64_t>(value);
}

/// "[3, 4]"
std::string position_text(std::int64_t position, const std::vector<std::int64_t>& shape) {
  std::string text;
  for (std::size_t d = shape.size(); d-- > 0;) {
    text = std::to_string(position % shape[d]) + (text.empty() ? "" : ", ") + text;
    position /= shape[d];
  }
  return "[" + text + "]";
}

std::string number(double value) {
  char text[64];
  std::snprintf(text, sizeof text, "%.9g (%a)", value, value);
  return text;
}

}  // namespace

Verdict judge(const reference::Problem& problem, const Outputs& outputs) {
  Verdict verdict;
  for (const auto& [name, values] : outputs) {
    const reference::Comparison comparison = compare(problem, name, values);
    verdict.ratio = std::max(verdict.ratio, comparison.worst);
    if (!comparison.first_wrong) continue;
    const auto first = static_cast<std::size_t>(*comparison.first_wrong);
    const reference::Bounded& expected = problem.expected(name)[first];
    char bound[32];
    std::snprintf(bound, sizeof bound, "%.3g", expected.error);
    verdict.mistakes += "\n    " + name + position_text(*comparison.first_wrong, problem.shape(name)) +
                        ": expected " + number(expected.value) + ", got " +
                        (first < values.size() ? number(values[first]) : "nothing") + ", bound " + bound +
                        "; " + std::to_string(comparison.wrong) + " of " + std::to_string(values.size()) +
                        " are wrong";
  }
  return verdict;
}

std::string first_difference(const Outputs& one, const Outputs& other, Exactness exactness) {
  for (const auto& [name, values] : one) {
    const std::vector<double>& others = other.at(name);
    for (std::size_t i = 0; i < values.size(); ++i) {
      if (bits_of(values[i], exactness) != bits_of(others[i], exactness))
        return name + " element " + std::to_string(i) + ": " + number(values[i]) + " and " +
               number(others[i]);
    }
  }
  return {};
}

std::uint64_t digest(const std::vector<double>& values, Exactness exactness) {
  std::uint64_t hash = 0xcbf29ce484222325u;  // FNV-1a, a word at a time
  for (const double value : values) {
    hash = (hash ^ bits_of(value, exactness)) * 0x100000001b3u;
    hash ^= hash >> 29;
  }
  return hash;
}

}  // namespace tessera::sweep
