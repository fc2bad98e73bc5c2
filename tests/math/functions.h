// SPDX-License-Identifier: Apache-2.0
// The functions of one argument as data: ours for float and double, a libm reference good to double precision
// for the dense float sweeps, and an MPFR reference.
#pragma once

#include <mpfr.h>

#include <cmath>

#include "tessera/math.h"
#include "tessera/math/info.h"

namespace math_test {

struct UnaryFunction {
  const char* name;
  float (*f32)(float);
  double (*f64)(double);
  double (*libm)(double);
  void (*exact)(mpfr_t result, const mpfr_t x);
  /// Arguments of interest for the dense f64 samples.
  double low;
  double high;
};

/// Results of MPFR references carry this many bits.
constexpr mpfr_prec_t kPrecision = 160;

/// A temporary of that precision.
class Real {
 public:
  Real() { mpfr_init2(value_, kPrecision); }
  explicit Real(double x) : Real() { mpfr_set_d(value_, x, MPFR_RNDN); }
  ~Real() { mpfr_clear(value_); }
  Real(const Real&) = delete;
  Real& operator=(const Real&) = delete;
  mpfr_ptr get() { return value_; }

 private:
  mpfr_t value_;
};

inline void exact_sigmoid(mpfr_t result, const mpfr_t x) {
  mpfr_neg(result, x, MPFR_RNDN);
  mpfr_exp(result, result, MPFR_RNDN);
  mpfr_add_ui(result, result, 1, MPFR_RNDN);
  mpfr_ui_div(result, 1, result, MPFR_RNDN);
}

inline void exact_silu(mpfr_t result, const mpfr_t x) {
  Real gate;
  exact_sigmoid(gate.get(), x);
  mpfr_mul(result, gate.get(), x, MPFR_RNDN);
}

inline void exact_gelu(mpfr_t result, const mpfr_t x) {
  Real scaled;
  mpfr_sqrt_ui(scaled.get(), 2, MPFR_RNDN);
  mpfr_div(scaled.get(), x, scaled.get(), MPFR_RNDN);
  mpfr_neg(scaled.get(), scaled.get(), MPFR_RNDN);
  mpfr_erfc(scaled.get(), scaled.get(), MPFR_RNDN);
  mpfr_mul(result, scaled.get(), x, MPFR_RNDN);
  mpfr_div_ui(result, result, 2, MPFR_RNDN);
}

inline void exact_gelu_tanh(mpfr_t result, const mpfr_t x) {
  Real argument, slope;
  mpfr_sqr(argument.get(), x, MPFR_RNDN);
  mpfr_mul_ui(argument.get(), argument.get(), 44715, MPFR_RNDN);
  mpfr_div_ui(argument.get(), argument.get(), 1000000, MPFR_RNDN);
  mpfr_add_ui(argument.get(), argument.get(), 1, MPFR_RNDN);
  mpfr_mul(argument.get(), argument.get(), x, MPFR_RNDN);
  mpfr_const_pi(slope.get(), MPFR_RNDN);
  mpfr_ui_div(slope.get(), 8, slope.get(), MPFR_RNDN);
  mpfr_sqrt(slope.get(), slope.get(), MPFR_RNDN);
  mpfr_mul(argument.get(), argument.get(), slope.get(), MPFR_RNDN);
  exact_sigmoid(slope.get(), argument.get());
  mpfr_mul(result, slope.get(), x, MPFR_RNDN);
}

// The same in double, arranged to lose nothing in the vanishing tails.
inline double libm_sigmoid(double x) { return 1 / (1 + std::exp(-x)); }
inline double libm_silu(double x) { return x == -INFINITY ? -0.0 : x / (1 + std::exp(-x)); }
inline double libm_gelu(double x) { return x == -INFINITY ? -0.0 : x * (std::erfc(-x * M_SQRT1_2) / 2); }
inline double libm_gelu_tanh(double x) {
  return x == -INFINITY ? -0.0 : x / (1 + std::exp(-std::sqrt(8 / M_PI) * x * (1 + 0.044715 * x * x)));
}
inline double libm_rsqrt(double x) { return 1 / std::sqrt(x); }

#define TESSERA_UNARY(name) #name, tessera::math::name, tessera::math::name
#define TESSERA_EXACT(call) [](mpfr_t result, const mpfr_t x) { mpfr_##call(result, x, MPFR_RNDN); }

inline constexpr UnaryFunction kUnaryFunctions[] = {
    {TESSERA_UNARY(exp), std::exp, TESSERA_EXACT(exp), -760, 720},
    {TESSERA_UNARY(exp2), std::exp2, TESSERA_EXACT(exp2), -1090, 1030},
    {TESSERA_UNARY(expm1), std::expm1, TESSERA_EXACT(expm1), -50, 720},
    {TESSERA_UNARY(log), std::log, TESSERA_EXACT(log), 0, 4},
    {TESSERA_UNARY(log2), std::log2, TESSERA_EXACT(log2), 0, 4},
    {TESSERA_UNARY(log1p), std::log1p, TESSERA_EXACT(log1p), -1, 4},
    {TESSERA_UNARY(sqrt), std::sqrt, TESSERA_EXACT(sqrt), 0, 4},
    {TESSERA_UNARY(rsqrt), libm_rsqrt, TESSERA_EXACT(rec_sqrt), 0, 4},
    {TESSERA_UNARY(sin), std::sin, TESSERA_EXACT(sin), -100, 100},
    {TESSERA_UNARY(cos), std::cos, TESSERA_EXACT(cos), -100, 100},
    {TESSERA_UNARY(tanh), std::tanh, TESSERA_EXACT(tanh), -22, 22},
    {TESSERA_UNARY(erf), std::erf, TESSERA_EXACT(erf), -7, 7},
    {TESSERA_UNARY(sigmoid), libm_sigmoid, exact_sigmoid, -760, 50},
    {TESSERA_UNARY(silu), libm_silu, exact_silu, -760, 50},
    {TESSERA_UNARY(gelu), libm_gelu, exact_gelu, -40, 10},
    {TESSERA_UNARY(gelu_tanh), libm_gelu_tanh, exact_gelu_tanh, -23, 10},
};

#undef TESSERA_UNARY
#undef TESSERA_EXACT

}  // namespace math_test
