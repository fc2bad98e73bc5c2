// SPDX-License-Identifier: Apache-2.0
// Which seeds a program goes through.
#pragma once

#include <cstdio>
#include <optional>
#include <string>

namespace tessera::fuzz {

/// Seeds from first to last.
struct SeedRange {
  unsigned long long first = 0, last = 0;
};

/// Reads `A..B`; says so under the name of the program if it is anything else.
inline std::optional<SeedRange> parse_seeds(const char* program, const std::string& text) {
  SeedRange range;
  if (std::sscanf(text.c_str(), "%llu..%llu", &range.first, &range.last) == 2) return range;
  std::fprintf(stderr, "%s: --seeds=A..B\n", program);
  return std::nullopt;
}

}  // namespace tessera::fuzz
