// SPDX-License-Identifier: Apache-2.0
// The rows of target.def.
#include "emit/target.h"

#include <algorithm>
#include <array>

namespace tessera::emit {

namespace {

#define TESSERA_TARGET(...) Target{__VA_ARGS__},
constexpr auto kTargets = std::to_array<Target>({
#include "emit/target.def"
});
#undef TESSERA_TARGET

}  // namespace

std::span<const Target> all_targets() { return kTargets; }

std::string known_targets() {
  std::string text;
  for (const Target& target : kTargets) text += (text.empty() ? "" : ", ") + std::string(target.name);
  return text;
}

const Target* find_target(std::string_view name) {
  const auto found =
      std::find_if(kTargets.begin(), kTargets.end(), [&](const Target& row) { return row.name == name; });
  return found == kTargets.end() ? nullptr : &*found;
}

}  // namespace tessera::emit
