// SPDX-License-Identifier: Apache-2.0
// Rounding to the storage types, written from their definitions with frexp and nearbyint.
#include "numbers.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <limits>
#include <vector>

namespace tessera::reference {
namespace {

const std::vector<Format>& formats() {
  static const std::vector<Format> table = {
      {"f64", 53, -1022, -std::numeric_limits<double>::max(), std::numeric_limits<double>::max()},
      {"f32", 24, -126, -0x1.fffffep127, 0x1.fffffep127},
      {"f16", 11, -14, -65504, 65504},
      {"bf16", 8, -126, -0x1.fep127, 0x1.fep127},
      {"fp8_e4m3", 4, -6, -448, 448, true, false},
      {"fp8_e5m2", 3, -14, -57344, 57344, true},
      {"i8", 0, 0, -128, 127},
      {"i16", 0, 0, -32768, 32767},
      {"i32", 0, 0, -2147483648.0, 2147483647.0},
      {"u8", 0, 0, 0, 255},
      {"u16", 0, 0, 0, 65535},
      {"u32", 0, 0, 0, 4294967295.0},
      {"bool", 0, 0, 0, 1},
  };
  return table;
}

double round_float(const Format& format, double value) {
  if (std::isinf(value) && !format.has_infinity) return std::copysign(format.largest, value);
  if (value == 0 || !std::isfinite(value) || format.digits == 53) return value;
  int exponent = 0;
  std::frexp(value, &exponent);  // |value| = m * 2^exponent, 1/2 <= m < 1
  const int last_bit = std::max(exponent, format.least_exponent + 1) - format.digits;
  const double rounded = std::ldexp(std::nearbyint(std::ldexp(value, -last_bit)), last_bit);
  if (std::abs(rounded) > format.largest)
    return std::copysign(format.saturates ? format.largest : HUGE_VAL, value);
  return rounded;
}

}  // namespace

double Format::unit_roundoff() const { return std::ldexp(1.0, -digits); }

double Format::half_denormal() const { return std::ldexp(1.0, least_exponent - digits); }

const Format& format_of(const std::string& dtype) {
  for (const Format& format : formats()) {
    if (format.name == dtype) return format;
  }
  std::fprintf(stderr, "reference: unknown dtype %s\n", dtype.c_str());
  std::abort();
}

double round_to(const Format& format, double value) {
  if (format.is_float()) return round_float(format, value);
  if (format.name == "bool") return value != 0 ? 1 : 0;
  if (std::isnan(value)) return 0;
  return std::clamp(std::trunc(value), format.lowest, format.largest);
}

}  // namespace tessera::reference
