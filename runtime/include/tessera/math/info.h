// SPDX-License-Identifier: Apache-2.0
// The accuracy of the elementary functions as a table, for tests, documentation and error bounds.
#pragma once

#include <cstddef>

namespace tessera::math {

/// The function does not exist in that type.
constexpr double kNoSuchFunction = -1;

/// A function and the largest error of its results, in units in the last place of the exact result (a
/// correctly rounded function has 0.5, an exact one 0). In the range of denormals the unit is the smallest
/// denormal. The fast forms carry their bound as `fast_relative`: the relative error is at most fast_relative
/// * (1 + |x|).
struct MathInfo {
  const char* name;
  int arity;
  double ulp_f32;
  double ulp_f64;
  double fast_relative = 0;
};

inline constexpr MathInfo kMathInfo[] = {
    {"exp", 1, 1, 1},
    {"exp2", 1, 1, 1},
    {"expm1", 1, 2, 2},
    {"log", 1, 1, 1},
    {"log2", 1, 1, 1},
    {"log1p", 1, 2, 2},
    {"pow", 2, 1, 1},
    {"sqrt", 1, 0.5, 0.5},
    {"rsqrt", 1, 1.5, 1.5},
    {"sin", 1, 2, 1},
    {"cos", 1, 2, 1},
    {"tanh", 1, 2.75, 2.75},
    {"erf", 1, 2, 2},
    {"sigmoid", 1, 2.5, 2.5},
    {"silu", 1, 3.5, 3.5},
    {"relu", 1, 0, 0},
    {"gelu", 1, 6, 6},
    {"gelu_tanh", 1, 3.5, 3.5},
    {"abs", 1, 0, 0},
    {"floor", 1, 0, 0},
    {"ceil", 1, 0, 0},
    {"round", 1, 0, 0},
    {"trunc", 1, 0, 0},
    {"round_tf32", 1, 0, kNoSuchFunction},
    {"min", 2, 0, 0},
    {"max", 2, 0, 0},
    {"clamp", 3, 0, 0},
    {"fma", 3, 0.5, 0.5},
    {"exp_fast", 1, 0, kNoSuchFunction, 0x1p-20},
    {"exp2_fast", 1, 0, kNoSuchFunction, 0x1p-20},
    {"div_fast", 2, 1.5, kNoSuchFunction},
};

inline constexpr std::size_t kMathInfoCount = sizeof kMathInfo / sizeof kMathInfo[0];

}  // namespace tessera::math
