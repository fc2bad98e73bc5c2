// SPDX-License-Identifier: Apache-2.0
// Numbers that know how far a correct evaluation may lie from them. A reference loop is written with F32 or
// F64 in place of the kernel's arithmetic type; every operation adds the rounding that the language permits.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>

#include "numbers.h"

namespace tessera::reference {

/// An accepted set of results: every number within `error` of `value`.
struct Bounded {
  double value = std::numeric_limits<double>::quiet_NaN();
  double error = std::numeric_limits<double>::quiet_NaN();  ///< NaN: nothing was stored, nothing is accepted

  bool accepts(double actual) const {
    if (std::isnan(error)) return false;
    if (std::isnan(value) || std::isnan(actual)) return std::isnan(value) && std::isnan(actual);
    return actual == value || std::abs(actual - value) <= error;
  }
};

/// Largest errors of the elementary functions, in ulps of the result (one ulp is at most two unit roundoffs).
/// These are the documented bounds of the language's library; a larger one there must be matched here.
namespace ulps {
inline constexpr double kExp = 2;
inline constexpr double kLog = 2;
inline constexpr double kRsqrt = 2;
inline constexpr double kErf = 4;
inline constexpr double kTanh = 4;
inline constexpr double kSigmoid = 4;
inline constexpr double kSilu = 4;
inline constexpr double kGelu = 5.25;
}  // namespace ulps

/// Arithmetic in f32: the true value is followed in double.
struct SinglePrecision {
  using Wide = double;
  static constexpr Wide kUnit = 0x1p-24;  // unit roundoff
  static constexpr Wide kHalfDenormal = 0x1p-150;
  static Wide nearest(double value) { return static_cast<float>(value); }
};

/// Arithmetic in f64: the true value is followed in long double.
struct DoublePrecision {
  using Wide = long double;
  static constexpr Wide kUnit = 0x1p-53L;
  static constexpr Wide kHalfDenormal = 0x1p-1075L;
  static Wide nearest(double value) { return value; }
};

/// A value with a bound of the error that an evaluation in the arithmetic type may have made on the way to
/// it. Bounds of the operations are rigorous in the operands' errors unless a comment says "second order".
template <class Precision>
class Tracked {
 public:
  using Wide = typename Precision::Wide;
  static constexpr Wide kUnit = Precision::kUnit;

  Tracked() = default;

  /// A number of the program: exact if the arithmetic type holds it (every load does), else rounded once.
  Tracked(double number)  // NOLINT: loads and literals convert silently, as in the kernels
      : value(number), error(Precision::nearest(number) == number ? 0 : kUnit * std::abs(Wide{number})) {}

  /// A computed value: `error` from the operands, then `roundings` unit roundoffs of the result.
  static Tracked computed(Wide value, Wide error, Wide roundings) {
    Tracked result;
    result.value = value;
    if (std::isfinite(value)) {
      result.error = error + roundings * (kUnit * (std::abs(value) + error) + Precision::kHalfDenormal);
    }
    return result;
  }

  friend Tracked operator+(Tracked a, Tracked b) { return computed(a.value + b.value, a.error + b.error, 1); }
  friend Tracked operator-(Tracked a, Tracked b) { return computed(a.value - b.value, a.error + b.error, 1); }
  friend Tracked operator-(Tracked a) { return computed(-a.value, a.error, 0); }
  friend Tracked operator*(Tracked a, Tracked b) {
    const Wide error = std::abs(a.value) * b.error + std::abs(b.value) * a.error + a.error * b.error;
    return computed(a.value * b.value, error, 1);
  }
  friend Tracked operator/(Tracked a, Tracked b) {
    const Wide size = std::abs(b.value);
    const Wide change = std::abs(a.value) * b.error + size * a.error;
    const Wide error = change == 0 ? 0 : size > b.error ? change / (size * (size - b.error)) : kAnything;
    return computed(a.value / b.value, error, 1);
  }
  Tracked& operator+=(Tracked b) { return *this = *this + b; }

  /// Comparisons are by value; where a near tie may go either way, use where_greater.
  friend bool operator<(Tracked a, Tracked b) { return a.value < b.value; }
  friend bool operator>(Tracked a, Tracked b) { return a.value > b.value; }

  static constexpr Wide kAnything = std::numeric_limits<Wide>::infinity();

  Wide value = 0;
  Wide error = 0;
};

using F32 = Tracked<SinglePrecision>;
using F64 = Tracked<DoublePrecision>;

/// The set that contains what both `a` and `b` accept.
template <class P>
Tracked<P> hull(Tracked<P> a, Tracked<P> b) {
  const auto low = std::min(a.value - a.error, b.value - b.error);
  const auto high = std::max(a.value + a.error, b.value + b.error);
  return Tracked<P>::computed((low + high) / 2, (high - low) / 2, 0);
}

/// where(a > b, x, y): both sides are accepted when the errors leave the comparison open.
template <class P>
Tracked<P> where_greater(Tracked<P> a, Tracked<P> b, Tracked<P> x, Tracked<P> y) {
  if (std::abs(a.value - b.value) <= a.error + b.error && a.error + b.error > 0) return hull(x, y);
  return a.value > b.value ? x : y;
}

template <class P>
Tracked<P> max(Tracked<P> a, Tracked<P> b) {
  return Tracked<P>::computed(std::max(a.value, b.value), std::max(a.error, b.error), 0);
}

template <class P>
Tracked<P> abs(Tracked<P> a) {
  return Tracked<P>::computed(std::abs(a.value), a.error, 0);
}

/// Nearest integer; at a tie, or where the error reaches one, both neighbours are accepted.
template <class P>
Tracked<P> round(Tracked<P> a) {
  const auto low = std::ceil(a.value - a.error - 0.5);
  const auto high = std::floor(a.value + a.error + 0.5);
  return Tracked<P>::computed((low + high) / 2, std::abs(high - low) / 2, 0);
}

template <class P>
Tracked<P> exp(Tracked<P> a) {
  const auto y = std::exp(a.value);
  return Tracked<P>::computed(y, y == 0 ? 0 : y * std::expm1(a.error), 2 * ulps::kExp);
}

/// The relative error of `precision(exp = fast)` is at most this, times 1 + |x|; what is tiny becomes 0.
inline constexpr double kExpFast = 0x1p-20;

inline Tracked<SinglePrecision> exp_fast(Tracked<SinglePrecision> a) {
  const double y = std::exp(a.value);
  const double relative = std::expm1(a.error) + kExpFast * (1 + std::abs(a.value) + a.error);
  return Tracked<SinglePrecision>::computed(y, y == 0 ? 0 : y * relative + 0x1p-125, 1);
}

template <class P>
Tracked<P> log(Tracked<P> a) {
  using Wide = typename P::Wide;
  Wide error = 0;
  if (a.error != 0) error = a.value > a.error ? -std::log1p(-a.error / a.value) : Tracked<P>::kAnything;
  return Tracked<P>::computed(std::log(a.value), error, 2 * ulps::kLog);
}

/// Correctly rounded.
template <class P>
Tracked<P> sqrt(Tracked<P> a) {
  using Wide = typename P::Wide;
  const Wide y = std::sqrt(a.value);
  const Wide error = a.error == 0 ? 0 : y - std::sqrt(std::max<Wide>(a.value - a.error, 0));
  return Tracked<P>::computed(y, error, 1);
}

template <class P>
Tracked<P> rsqrt(Tracked<P> a) {
  using Wide = typename P::Wide;
  const Wide y = 1 / std::sqrt(a.value);
  const Wide relative = a.error / a.value;  // 1/sqrt(1-t) - 1 = expm1(-log1p(-t)/2)
  Wide error = 0;
  if (a.error != 0) error = relative < 1 ? y * std::expm1(-std::log1p(-relative) / 2) : Tracked<P>::kAnything;
  return Tracked<P>::computed(y, error, 2 * ulps::kRsqrt);
}

namespace detail {

/// A smooth function: |f'(x)| e + c e^2 with c >= max |f''| / 2, so the second order is bounded too.
template <class P>
Tracked<P> smooth(Tracked<P> a, typename P::Wide y, typename P::Wide slope, double curvature, double ulps) {
  return Tracked<P>::computed(y, std::abs(slope) * a.error + curvature * a.error * a.error, 2 * ulps);
}

template <class Wide>
Wide normal_density(Wide x) {
  return std::exp(-x * x / 2) * Wide{0.398942280401432677939946L};  // 1 / sqrt(2 pi)
}

}  // namespace detail

template <class P>
Tracked<P> erf(Tracked<P> a) {
  using Wide = typename P::Wide;
  const Wide slope = std::exp(-a.value * a.value) * Wide{1.128379167095512573896159L};  // 2 / sqrt(pi)
  return detail::smooth(a, std::erf(a.value), slope, 0.5, ulps::kErf);
}

template <class P>
Tracked<P> tanh(Tracked<P> a) {
  const auto y = std::tanh(a.value);
  return detail::smooth(a, y, 1 - y * y, 0.4, ulps::kTanh);
}

template <class P>
Tracked<P> sigmoid(Tracked<P> a) {
  const auto y = 1 / (1 + std::exp(-a.value));
  return detail::smooth(a, y, y * (1 - y), 0.05, ulps::kSigmoid);
}

/// x * sigmoid(x)
template <class P>
Tracked<P> silu(Tracked<P> a) {
  const auto s = 1 / (1 + std::exp(-a.value));
  return detail::smooth(a, a.value * s, s + a.value * s * (1 - s), 0.25, ulps::kSilu);
}

/// x * Phi(x), the erf form. Besides its ulps, the rounding of the argument x / sqrt(2) is granted: for x far
/// below zero it changes Phi(x) by about x^2 unit roundoffs, relatively.
template <class P>
Tracked<P> gelu(Tracked<P> a) {
  using Wide = typename P::Wide;
  const Wide x = a.value;
  const Wide normal = std::erfc(-x * Wide{0.707106781186547524400845L}) / 2;
  const Wide density = detail::normal_density(x);
  Tracked<P> y = detail::smooth(a, x * normal, normal + x * density, 0.4, ulps::kGelu);
  y.error += 2 * P::kUnit * x * x * density;
  return y;
}

/// A sum in any order, of any grouping: |error| <= sum of the terms' errors + (n + 2) u (sum of |terms|).
template <class Number>
class Sum {
 public:
  using Wide = typename Number::Wide;

  void add(Number term) {
    value_ += term.value;
    magnitude_ += std::abs(term.value) + term.error;
    error_ += term.error;
    ++count_;
  }
  std::int64_t count() const { return count_; }
  Number total() const {
    if (count_ == 0) return Number(0);
    return Number::computed(value_, error_ + static_cast<Wide>(count_ + 2) * Number::kUnit * magnitude_, 0);
  }
  /// total / count; only of something.
  Number mean() const { return total() / Number(static_cast<double>(count_)); }

 private:
  Wide value_ = 0;
  Wide magnitude_ = 0;
  Wide error_ = 0;
  std::int64_t count_ = 0;
};

/// A sum of products of 16-bit floats in f32, in any order: products are exact. Tensor Cores bring the addends
/// of a step, eight products or more and the sum before them, to the exponent of the largest and cut off what
/// is below its 24 bits, and the sum's: two unit roundoffs each, which makes 2 (n + n / 8 + 1) u.
class ProductSum {
 public:
  void add(F32 a, F32 b) {
    const double term = a.value * b.value;
    value_ += term;
    const double error = std::abs(a.value) * b.error + std::abs(b.value) * a.error + a.error * b.error;
    magnitude_ += std::abs(term) + error;
    error_ += error;
    ++count_;
  }
  F32 total() const {
    const double roundings = count_ == 0 ? 0 : 2.25 * static_cast<double>(count_ + 2);
    return F32::computed(value_, error_ + roundings * F32::kUnit * magnitude_, 0);
  }

 private:
  double value_ = 0, magnitude_ = 0, error_ = 0;
  std::int64_t count_ = 0;
};

/// What a tensor of `format` may hold after `number` was stored there. An exact number has one rounding; an
/// inexact one may land anywhere in its bound and is rounded after that. Integers truncate and saturate.
template <class P>
Bounded store(const Format& format, Tracked<P> number) {
  const double value = static_cast<double>(number.value);
  if (number.error == 0 && (Tracked<P>(value).value == number.value || std::isnan(value))) {
    return {round_to(format, value), 0};
  }
  if (!format.is_float()) {
    const double low = round_to(format, static_cast<double>(number.value - number.error));
    const double high = round_to(format, static_cast<double>(number.value + number.error));
    return {(low + high) / 2, (high - low) / 2};
  }
  double error = static_cast<double>(number.error);
  if (format.unit_roundoff() > P::kUnit) {
    error += format.unit_roundoff() * (std::abs(value) + error) + format.half_denormal();
  }
  const double narrowing = value == number.value ? 0 : 0x1p-53 * std::abs(value);  // long double to double
  return {value, error * (1 + 0x1p-40) + narrowing};
}

}  // namespace tessera::reference
