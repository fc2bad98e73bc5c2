// SPDX-License-Identifier: Apache-2.0
// Division by a number that many others are divided by: the reciprocal is taken once, the quotients stay
// exact.
#pragma once

#include "tessera/math.h"

namespace tessera {

/// A float that divides many others: `a / Divisor(b)` has the bits of `a / b` at about half its cost on a
/// GPU.
///
/// The quotient is taken with a reciprocal in two words, which leaves it within an ulp of the true one; one
/// step with the exact remainder then rounds it correctly (Markstein's theorem). That needs the remainder to
/// be a normal number and nothing to overflow, so operands of extreme size take the plain division.
class Divisor {
 public:
  TESSERA_HD explicit Divisor(float b)
      : b_(b), high_(1.0f / b), low_(math::fma(-b, high_, 1.0f) * high_), moderate_(has_exponent<24>(b)) {}

  TESSERA_HD friend float operator/(float a, const Divisor& b) {
    const bool moderate = has_exponent<100>(a) & b.moderate_;  // one branch, not two
    if (!moderate) return a / b.b_;
    const float quotient = math::fma(a, b.high_, a * b.low_);
    return math::fma(math::fma(-b.b_, quotient, a), b.high_, quotient);
  }

 private:
  /// Whether 2^-kMost <= |x| < 2^kMost.
  template <int kMost>
  TESSERA_HD static bool has_exponent(float x) {
    constexpr std::uint32_t kFrom = static_cast<std::uint32_t>(127 - kMost) << 23;
    constexpr std::uint32_t kSpan = static_cast<std::uint32_t>(2 * kMost) << 23;
    return (math::to_bits(x) & 0x7fffffffu) - kFrom < kSpan;
  }

  float b_;
  float high_;  // high_ + low_ is 1 / b_ to twice the precision
  float low_;
  bool moderate_;
};

}  // namespace tessera
