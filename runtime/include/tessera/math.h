// SPDX-License-Identifier: Apache-2.0
// The elementary functions of kernels, for float and double: one definition shared by the interpreter, the
// host twin and the GPU, bitwise the same on all three (NaN bits excepted). Error bounds are in math/info.h
// and docs/math.md.
#pragma once

#include "tessera/math/bits.h"

namespace tessera::math {

/// e^x, 2^x, e^x - 1.
TESSERA_HD float exp(float x);
TESSERA_HD double exp(double x);
TESSERA_HD float exp2(float x);
TESSERA_HD double exp2(double x);
TESSERA_HD float expm1(float x);
TESSERA_HD double expm1(double x);

/// What `precision(exp = fast)` makes of exp and exp2: relative error at most 2^-20 (1 + |x|), one instruction on a
/// GPU and a short polynomial elsewhere; results below 2^-125 become 0 or keep fewer bits.
TESSERA_HD float exp_fast(float x);
TESSERA_HD float exp2_fast(float x);

/// What `precision(div = fast)` makes of a / b: a times the correctly rounded 1 / b.
TESSERA_HD float div_fast(float a, float b);

/// Natural logarithm, base 2 logarithm, log(1 + x).
TESSERA_HD float log(float x);
TESSERA_HD double log(double x);
TESSERA_HD float log2(float x);
TESSERA_HD double log2(double x);
TESSERA_HD float log1p(float x);
TESSERA_HD double log1p(double x);

/// x^y with the special cases of IEEE 754 `pow`.
TESSERA_HD float pow(float x, float y);
TESSERA_HD double pow(double x, double y);

/// The square root (correctly rounded) and its reciprocal.
TESSERA_HD float sqrt(float x);
TESSERA_HD double sqrt(double x);
TESSERA_HD float rsqrt(float x);
TESSERA_HD double rsqrt(double x);

/// Sine and cosine of radians, right for every argument however large.
TESSERA_HD float sin(float x);
TESSERA_HD double sin(double x);
TESSERA_HD float cos(float x);
TESSERA_HD double cos(double x);

/// Hyperbolic tangent and the error function.
TESSERA_HD float tanh(float x);
TESSERA_HD double tanh(double x);
TESSERA_HD float erf(float x);
TESSERA_HD double erf(double x);

/// sigmoid(x) = 1 / (1 + e^-x); silu(x) = x sigmoid(x); relu(x) = max(x, 0);
/// gelu(x) = x (1 + erf(x / √2)) / 2; gelu_tanh(x) = x (1 + tanh(√(2/π) (x + 0.044715 x³))) / 2.
TESSERA_HD float sigmoid(float x);
TESSERA_HD double sigmoid(double x);
TESSERA_HD float silu(float x);
TESSERA_HD double silu(double x);
TESSERA_HD float relu(float x);
TESSERA_HD double relu(double x);
TESSERA_HD float gelu(float x);
TESSERA_HD double gelu(double x);
TESSERA_HD float gelu_tanh(float x);
TESSERA_HD double gelu_tanh(double x);

/// Magnitude, and rounding to an integer: down, up, to nearest with ties to even, towards zero. All exact.
TESSERA_HD float abs(float x);
TESSERA_HD double abs(double x);
TESSERA_HD float floor(float x);
TESSERA_HD double floor(double x);
TESSERA_HD float ceil(float x);
TESSERA_HD double ceil(double x);
TESSERA_HD float round(float x);
TESSERA_HD double round(double x);
TESSERA_HD float trunc(float x);
TESSERA_HD double trunc(double x);

/// To the 11 significant bits of tf32: to nearest, ties to even, as `cvt.rn.tf32.f32`. Exact numbers, infinity
/// and NaN stay; what rounds beyond the largest number becomes infinity.
TESSERA_HD float round_tf32(float x);

/// The smaller and the larger; NaN if either is NaN, and -0 is smaller than +0. clamp(x, low, high) is
/// min(max(x, low), high).
TESSERA_HD float min(float a, float b);
TESSERA_HD double min(double a, double b);
TESSERA_HD float max(float a, float b);
TESSERA_HD double max(double a, double b);
TESSERA_HD float clamp(float x, float low, float high);
TESSERA_HD double clamp(double x, double low, double high);

/// a * b + c, rounded once.
TESSERA_HD float fma(float a, float b, float c);
TESSERA_HD double fma(double a, double b, double c);

}  // namespace tessera::math

#include "tessera/math/activation.h"
#include "tessera/math/exp.h"
#include "tessera/math/hyperbolic.h"
#include "tessera/math/log.h"
#include "tessera/math/order.h"
#include "tessera/math/pow.h"
#include "tessera/math/root.h"
#include "tessera/math/trig.h"
