// SPDX-License-Identifier: Apache-2.0
// Elementary functions over tiles. They are those of the runtime, so that results are the bits of generated
// code; the reference mode takes them in double, where the fast variants are the exact ones.
#include "base/check.h"
#include "interp/elementwise.h"
#include "interp/pointwise.h"
#include "tessera/math.h"

namespace tessera::interp {

namespace {

using ir::MathFunction;

template <typename T, typename F>
Tile mapped(const Tile& a, const Frame& frame, F f) {
  return map<T, T>(frame, a.rep, a, f);
}

template <typename T>
Tile function_of(MathFunction function, const Tile& a, const Frame& frame) {
  constexpr bool kIsFloat = sizeof(T) == sizeof(float);
  switch (function) {
    case MathFunction::exp: return mapped<T>(a, frame, [](T x) { return math::exp(x); });
    case MathFunction::exp2: return mapped<T>(a, frame, [](T x) { return math::exp2(x); });
    case MathFunction::expm1: return mapped<T>(a, frame, [](T x) { return math::expm1(x); });
    case MathFunction::log: return mapped<T>(a, frame, [](T x) { return math::log(x); });
    case MathFunction::log2: return mapped<T>(a, frame, [](T x) { return math::log2(x); });
    case MathFunction::log1p: return mapped<T>(a, frame, [](T x) { return math::log1p(x); });
    case MathFunction::sqrt: return mapped<T>(a, frame, [](T x) { return math::sqrt(x); });
    case MathFunction::rsqrt: return mapped<T>(a, frame, [](T x) { return math::rsqrt(x); });
    case MathFunction::sin: return mapped<T>(a, frame, [](T x) { return math::sin(x); });
    case MathFunction::cos: return mapped<T>(a, frame, [](T x) { return math::cos(x); });
    case MathFunction::tanh: return mapped<T>(a, frame, [](T x) { return math::tanh(x); });
    case MathFunction::erf: return mapped<T>(a, frame, [](T x) { return math::erf(x); });
    case MathFunction::sigmoid: return mapped<T>(a, frame, [](T x) { return math::sigmoid(x); });
    case MathFunction::gelu: return mapped<T>(a, frame, [](T x) { return math::gelu(x); });
    case MathFunction::gelu_tanh: return mapped<T>(a, frame, [](T x) { return math::gelu_tanh(x); });
    case MathFunction::silu: return mapped<T>(a, frame, [](T x) { return math::silu(x); });
    case MathFunction::relu: return mapped<T>(a, frame, [](T x) { return math::relu(x); });
    case MathFunction::exp_fast:
      if constexpr (kIsFloat) return mapped<T>(a, frame, [](T x) { return math::exp_fast(x); });
      return mapped<T>(a, frame, [](T x) { return math::exp(x); });
    case MathFunction::exp2_fast:
      if constexpr (kIsFloat) return mapped<T>(a, frame, [](T x) { return math::exp2_fast(x); });
      return mapped<T>(a, frame, [](T x) { return math::exp2(x); });
    case MathFunction::pow: break;
  }
  unreachable("pow takes two arguments");
}

}  // namespace

Tile math_function(MathFunction function, const Tile& operand, const Frame& frame) {
  return operand.rep == Rep::f32 ? function_of<float>(function, operand, frame)
                                 : function_of<double>(function, operand, frame);
}

Tile power(const Tile& base, const Tile& exponent, const Frame& frame) {
  if (base.rep == Rep::f32) {
    return map<float, float, float>(frame, base.rep, base, exponent,
                                    [](float x, float y) { return math::pow(x, y); });
  }
  return map<double, double, double>(frame, base.rep, base, exponent,
                                     [](double x, double y) { return math::pow(x, y); });
}

}  // namespace tessera::interp
