// SPDX-License-Identifier: Apache-2.0
// Integer arithmetic as the language defines it (R25), on 64 bits: it wraps, and division floors.
#pragma once

#include <cstdint>

namespace tessera::ir {

constexpr int64_t wrapping_add(int64_t a, int64_t b) {
  return static_cast<int64_t>(static_cast<uint64_t>(a) + static_cast<uint64_t>(b));
}
constexpr int64_t wrapping_subtract(int64_t a, int64_t b) {
  return static_cast<int64_t>(static_cast<uint64_t>(a) - static_cast<uint64_t>(b));
}
constexpr int64_t wrapping_multiply(int64_t a, int64_t b) {
  return static_cast<int64_t>(static_cast<uint64_t>(a) * static_cast<uint64_t>(b));
}

/// The quotient rounded towards minus infinity; 0 for a divisor of 0.
constexpr int64_t floor_divide(int64_t a, int64_t b) {
  if (b == 0) return 0;
  if (b == -1) return wrapping_subtract(0, a);  // the hardware traps on the smallest integer
  const int64_t quotient = a / b;
  return a % b != 0 && (a < 0) != (b < 0) ? quotient - 1 : quotient;
}

/// a - b * floor_divide(a, b), which has the sign of b; 0 for a divisor of 0.
constexpr int64_t floor_modulo(int64_t a, int64_t b) {
  if (b == 0 || b == -1) return 0;
  const int64_t rest = a % b;
  return rest != 0 && (rest < 0) != (b < 0) ? rest + b : rest;
}

}  // namespace tessera::ir
