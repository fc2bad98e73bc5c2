// SPDX-License-Identifier: Apache-2.0
// Rounding by scaling the significand to an integer; decimals by trying more and more digits.
#include "base/rounding.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <limits>

namespace tessera {

namespace {

/// Rounds to a format of `precision` significand bits whose smallest normal exponent is `minimum_exponent`.
double round_significand(double value, int precision, int minimum_exponent) {
  if (value == 0 || !std::isfinite(value)) return value;
  const int exponent = std::max(std::ilogb(value), minimum_exponent);
  return std::ldexp(std::nearbyint(std::ldexp(value, precision - 1 - exponent)), exponent - precision + 1);
}

/// What a reader of the type makes of a decimal.
double read_back(const std::string& text, DType dtype) {
  if (dtype == DType::f64) return std::strtod(text.c_str(), nullptr);
  return round_to(static_cast<double>(std::strtof(text.c_str(), nullptr)), dtype);
}

/// `1e-05` as `1e-5`, `2` as `2.0`.
std::string tidy(std::string text) {
  const size_t exponent = text.find('e');
  if (exponent == std::string::npos) return text.find('.') == std::string::npos ? text + ".0" : text;
  const size_t sign = exponent + 1;
  size_t digits = text.find_first_not_of("+-0", sign);
  if (digits == std::string::npos) digits = text.size();
  return text.substr(0, sign) + (text[sign] == '-' ? "-" : "") + text.substr(digits);
}

}  // namespace

double largest_finite(DType dtype) {
  switch (dtype) {
    case DType::f32: return std::numeric_limits<float>::max();
    case DType::bf16: return 0x1.fep127;
    case DType::f16: return 65504;
    case DType::fp8_e5m2: return 57344;
    case DType::fp8_e4m3: return 448;
    default: return std::numeric_limits<double>::max();
  }
}

double round_to(double value, DType dtype) {
  switch (dtype) {
    case DType::f32: return static_cast<double>(static_cast<float>(value));
    case DType::bf16: return static_cast<double>(static_cast<float>(round_significand(value, 8, -126)));
    case DType::f16: {
      const double rounded = round_significand(value, 11, -14);
      return std::abs(rounded) > largest_finite(dtype)
                 ? std::copysign(std::numeric_limits<double>::infinity(), value)
                 : rounded;
    }
    case DType::fp8_e5m2: return round_significand(value, 3, -14);
    case DType::fp8_e4m3: return round_significand(value, 4, -6);
    default: return value;
  }
}

std::string shortest_decimal(double value, DType dtype) {
  if (!std::isfinite(value)) return fmt::format("{}", value);
  for (int digits = 1; digits < std::numeric_limits<double>::max_digits10; ++digits) {
    const std::string text = fmt::format("{:.{}g}", value, digits);
    if (read_back(text, dtype) == value) return tidy(text);
  }
  return tidy(fmt::format("{}", value));
}

}  // namespace tessera
