// SPDX-License-Identifier: Apache-2.0
// Numbers of the independent evaluation: integers that wrap, and floats that hold whole numbers exactly.
#pragma once

#include <cstdint>

#include "fuzz/program.h"

namespace tessera::fuzz {

/// A value of a type that is known from elsewhere: `whole` for integers and bool, `real` for floats.
struct Number {
  __int128 whole = 0;
  double real = 0;
};

/// The largest whole number up to which a float type has all of them.
double exact_limit(DType type);
/// The greatest absolute value of an integer type (1 for bool).
double greatest(DType type);

Number from_whole(DType type, __int128 value);
/// A value converted as `as` does; throws NotExact where that would round.
Number convert(const Number& value, DType from, DType to);
Number apply(Operation operation, const Number& value, DType type);
/// Both values have type `type`; comparisons give a bool.
Number apply(Operation operation, const Number& left, const Number& right, DType type);
double as_double(const Number& value, DType type);

}  // namespace tessera::fuzz
