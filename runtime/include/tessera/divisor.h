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
  TESSERA_HD explicit Divisor(float b) : b_(b), high_(1.0f / b), low_(math::fma(-b, high_, 1.0f) * high_) {}

  TESSERA_HD friend float operator/(float a, const Divisor& b) {
    if (!b.suits(a)) return a / b.b_;
    const float quotient = math::fma(a, b.high_, a * b.low_);
    return math::fma(math::fma(-b.b_, quotient, a), b.high_, quotient);
  }

 private:
  /// Whether 2^-100 <= |a| < 2^100 and 2^-24 <= |b| < 2^24.
  TESSERA_HD bool suits(float a) const {
    constexpr std::uint32_t kDividendFrom = (127u - 100u) << 23, kDividendSpan = 200u << 23;
    constexpr std::uint32_t kDivisorFrom = (127u - 24u) << 23, kDivisorSpan = 48u << 23;
    return (math::to_bits(a) & 0x7fffffffu) - kDividendFrom < kDividendSpan &&
           (math::to_bits(b_) & 0x7fffffffu) - kDivisorFrom < kDivisorSpan;
  }

  float b_;
  float high_;  // high_ + low_ is 1 / b_ to twice the precision
  float low_;
};

}  // namespace tessera
