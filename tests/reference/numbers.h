// SPDX-License-Identifier: Apache-2.0
// The storage types of a tensor, as the reference sees them: how a number becomes one of their values.
#pragma once

#include <string>

namespace tessera::reference {

/// What a dtype can hold. Floats: `digits` significant bits, least normal exponent, largest finite value.
/// Integers and bool: `lowest` and `largest`, digits 0.
struct Format {
  std::string name;
  int digits = 0;
  int least_exponent = 0;
  double lowest = 0;
  double largest = 0;
  bool saturates = false;  ///< a float whose finite numbers never become infinite
  bool has_infinity = true;

  bool is_float() const { return digits != 0; }
  /// Half the distance from 1 to the next value: the relative error of rounding to nearest.
  double unit_roundoff() const;
  /// Half the distance between neighbours near zero: the absolute error of rounding a denormal.
  double half_denormal() const;
};

/// The format called `dtype` ("bf16", "f32", "i8", "bool", ...). Aborts on a name it does not know.
const Format& format_of(const std::string& dtype);

/// The value of `format` that `value` becomes. Floats: nearest, ties to even, denormals kept, overflow to infinity or,
/// for the two of 8 bits, to the largest number. Integers: truncated, saturated, NaN to 0. bool: 0 or 1.
double round_to(const Format& format, double value);

}  // namespace tessera::reference
