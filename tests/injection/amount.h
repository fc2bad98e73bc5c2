// SPDX-License-Identifier: Apache-2.0
// How much a test does: little by default, as much as is asked for by hand.
#pragma once

#include <cstdlib>

namespace tessera::injection {

/// The number in an environment variable, or `usual`. TESSERA_KILLS and TESSERA_FAULTS are those there are.
inline long amount(const char* variable, long usual) {
  const char* text = std::getenv(variable);
  const long number = text == nullptr ? 0 : std::strtol(text, nullptr, 10);
  return number > 0 ? number : usual;
}

}  // namespace tessera::injection
