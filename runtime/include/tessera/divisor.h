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
/// be exact and nothing to overflow, so operands of extreme size take the plain division.
class Divisor {
 public:
  TESSERA_HD explicit Divisor(float b)
      : b_(b),
        high_(1.0f / b),
        low_(math::fma(-b, high_, 1.0f) * high_),
        moderate_(math::abs(b) >= 0x1p-24f && math::abs(b) < 0x1p24f) {}

  TESSERA_HD friend float operator/(float a, const Divisor& b) {
    const float result = b.quotient(a);
    const bool exact = (is_safe(result) & b.moderate_) | b.is_zero_exact(a);  // one branch, not two
    return exact ? result : a / b.b_;
  }

  TESSERA_HD float value() const { return b_; }

  /// Whether b lets quotients be exact.
  TESSERA_HD bool is_moderate() const { return moderate_; }

  /// a / b if b is moderate and the result is safe.
  TESSERA_HD float quotient(float a) const {
    const float near = math::fma(a, high_, a * low_);
    return math::fma(math::fma(-b_, near, a), high_, near);
  }

  /// Whether `a` is +0 and its quotient therefore exact: with a positive, moderate b nothing but zeros is added to +0.
  TESSERA_HD bool is_zero_exact(float a) const { return (math::to_bits(a) == 0) & moderate_ & (b_ > 0); }

  /// Whether a quotient by a moderate b is the exact one. Its last bit and b's last bit are then multiples of
  /// 2^-98 and 2^-47, so the remainder, a multiple of 2^-145, was exact; what overflowed has become a NaN.
  TESSERA_HD static bool is_safe(float quotient) { return math::abs(quotient) >= 0x1p-75f; }

 private:
  float b_;
  float high_;  // high_ + low_ is 1 / b_ to twice the precision
  float low_;
  bool moderate_;
};

}  // namespace tessera
