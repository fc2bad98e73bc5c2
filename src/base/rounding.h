// SPDX-License-Identifier: Apache-2.0
// Numbers of floating element types: rounding to one, and the shortest way to write one.
#pragma once

#include <string>

#include "base/dtype.h"

namespace tessera {

/// The largest finite value of a type of floats.
double largest_finite(DType dtype);

/// A real rounded to a floating type, as a double.
double round_to(double value, DType dtype);

/// The shortest decimal that rounds to `value`, a number of the type: `1e-5`, `0.3`, `2.0`; `inf` and `nan`
/// as they are. A narrow float is read as f32 first, which is how C++ reads it.
std::string shortest_decimal(double value, DType dtype);

}  // namespace tessera
