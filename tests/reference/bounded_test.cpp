// SPDX-License-Identifier: Apache-2.0
// The bounds hold for real float and double evaluations, and are tight enough to notice a mistake.
#include <numeric>
#include <random>

#include "catch.h"
#include "reference.h"

namespace tessera::reference {
namespace {

template <class Number>
struct Arithmetic;
template <>
struct Arithmetic<F32> {
  using Plain = float;
};
template <>
struct Arithmetic<F64> {
  using Plain = double;
};

float rsqrt(float x) { return 1 / std::sqrt(x); }
double rsqrt(double x) { return 1 / std::sqrt(x); }
float silu(float x) { return x / (1 + std::exp(-x)); }
double silu(double x) { return x / (1 + std::exp(-x)); }
float sigmoid(float x) { return 1 / (1 + std::exp(-x)); }
double sigmoid(double x) { return 1 / (1 + std::exp(-x)); }
float gelu(float x) { return x * (std::erfc(-x * 0.70710678f) / 2); }
double gelu(double x) { return x * (std::erfc(-x * 0.70710678118654752) / 2); }

/// One expression for plain and for tracked numbers: every operation, with operands that carry errors
/// already.
template <class T>
std::vector<T> chain(T a, T b, T c) {
  using std::abs, std::erf, std::exp, std::log, std::max, std::sqrt, std::tanh;
  const T p = a * b + c, q = a - b / (abs(c) + T(0.5)), r = p * q;
  const T positive = r * r + T(0.01);
  return {p,
          q,
          r,
          exp(q),
          log(positive),
          sqrt(positive),
          rsqrt(positive),
          erf(q),
          tanh(q),
          sigmoid(r),
          silu(r),
          gelu(q),
          max(p, q),
          abs(p) / positive,
          exp(-abs(p)) * gelu(r),
          -p,
          log(exp(q) + exp(p)),
          sqrt(exp(r) + positive) * T(0.1)};
}

template <class Number>
void check_chain() {
  using Plain = typename Arithmetic<Number>::Plain;
  std::mt19937 generator(7);
  std::uniform_real_distribution<double> draw(-3, 3);
  std::vector<double> worst;
  for (int trial = 0; trial < 20000; ++trial) {
    const auto a = static_cast<Plain>(draw(generator)), b = static_cast<Plain>(draw(generator)),
               c = static_cast<Plain>(draw(generator));
    const auto plain = chain<Plain>(a, b, c);
    const auto tracked = chain<Number>(Number(a), Number(b), Number(c));
    worst.resize(plain.size());
    for (std::size_t i = 0; i < plain.size(); ++i) {
      const auto distance = std::abs(plain[i] - tracked[i].value);
      if (tracked[i].error > 0) worst[i] = std::max<double>(worst[i], distance / tracked[i].error);
      if (!(distance <= tracked[i].error)) {
        FAIL("expression " << i << " of " << a << ", " << b << ", " << c << " is off by " << distance);
      }
    }
  }
  for (std::size_t i = 0; i < worst.size(); ++i) {
    INFO("expression " << i);
    CHECK(worst[i] > 0.1);  // a bound ten times too wide would not notice a mistake
  }
}

}  // namespace

TEST_CASE("bounds contain an evaluation in the arithmetic type") {
  SECTION("f32") { check_chain<F32>(); }
  SECTION("f64") { check_chain<F64>(); }
}

TEST_CASE("a planted error lies outside the bound") {
  const F32 x = 1.25, y = 0.3;
  const Bounded bound = store(format_of("f32"), exp(x * y));
  const float right = std::exp(1.25f * 0.3f);
  CHECK(bound.accepts(right));
  CHECK_FALSE(bound.accepts(right * (1 + 1e-6f)));
  CHECK_FALSE(bound.accepts(std::exp2(1.25f * 0.3f)));
  CHECK_FALSE(bound.accepts(NAN));
  CHECK_FALSE(bound.accepts(INFINITY));
  CHECK_FALSE(Bounded().accepts(0));  // never stored
}

TEST_CASE("a sum accepts every order and notices a missing term") {
  std::mt19937 generator(3);
  std::uniform_real_distribution<float> draw(-1, 2);
  std::vector<float> terms(3001);
  for (float& term : terms) term = draw(generator);
  Sum<F32> sum;
  for (const float term : terms) sum.add(term);
  const Bounded bound = store(format_of("f32"), sum.total());
  CHECK(bound.accepts(std::accumulate(terms.begin(), terms.end(), 0.0f)));
  CHECK(bound.accepts(std::accumulate(terms.rbegin(), terms.rend(), 0.0f)));
  std::vector<float> tree = terms;
  for (std::size_t step = 1; step < tree.size(); step *= 2) {
    for (std::size_t i = 0; i + step < tree.size(); i += 2 * step) tree[i] += tree[i + step];
  }
  CHECK(bound.accepts(tree[0]));
  const float largest = *std::max_element(terms.begin(), terms.end());
  CHECK_FALSE(bound.accepts(bound.value - largest));
  CHECK(Sum<F32>().total().value == 0);
  CHECK(Sum<F32>().total().error == 0);
}

TEST_CASE("near ties accept both outcomes, clear cases one") {
  const F32 third = F32(1) / F32(3), nearly = third * F32(3);
  REQUIRE(nearly.error > 0);
  const F32 open = where_greater(nearly, F32(1), F32(10), F32(20));
  CHECK(open.value - open.error <= 10);
  CHECK(open.value + open.error >= 20);
  CHECK(where_greater(F32(2), nearly, F32(10), F32(20)).value == 10);
  CHECK(where_greater(F32(1), F32(1), F32(10), F32(20)).value == 20);

  const Format& i8 = format_of("i8");
  const Bounded tie = store(i8, round(F32(2.5)));
  CHECK((tie.accepts(2) && tie.accepts(3)));
  CHECK_FALSE((tie.accepts(1) || tie.accepts(4)));
  const Bounded clear = store(i8, round(F32(-2.25)));
  CHECK((clear.accepts(-2) && !clear.accepts(-3) && !clear.accepts(-1)));
  CHECK(store(i8, F32(300)).value == 127);
  CHECK(store(i8, nearly).accepts(1));  // truncation of something just below 1
  CHECK(store(i8, nearly).accepts(0));
}

TEST_CASE("stores round exact numbers once and widen inexact ones") {
  const Format& bf16 = format_of("bf16");
  CHECK(store(bf16, F32(1 + 0x1p-8)).value == 1);  // tie to even
  CHECK(store(bf16, F32(1 + 0x1p-8)).error == 0);
  CHECK(store(bf16, F32(1 + 3 * 0x1p-8)).value == 1 + 0x1p-6);
  const Bounded widened = store(bf16, F32(1) / F32(3));
  CHECK(widened.accepts(round_to(bf16, 1.0 / 3)));
  CHECK(widened.error < 0x1p-9);
  CHECK(store(format_of("f32"), F32(1) / F32(3)).error < 0x1p-24);
}

TEST_CASE("rounding to the storage types") {
  std::mt19937_64 generator(11);
  std::uniform_real_distribution<double> exponent(-150, 128), digits(-1, 1);
  for (int i = 0; i < 100000; ++i) {
    const double value = std::ldexp(digits(generator), static_cast<int>(exponent(generator)));
    REQUIRE(round_to(format_of("f32"), value) == static_cast<double>(static_cast<float>(value)));
  }
  const Format& f16 = format_of("f16");
  CHECK(round_to(f16, 65519) == 65504);
  CHECK(round_to(f16, 65520) == INFINITY);
  CHECK(round_to(f16, -0x1p-24) == -0x1p-24);
  CHECK(round_to(f16, 0x1p-25) == 0);
  CHECK(round_to(f16, 3 * 0x1p-25) == 0x1p-23);
  CHECK(round_to(f16, 2049) == 2048);
  CHECK(std::isnan(round_to(f16, NAN)));
  CHECK(round_to(format_of("fp8_e4m3"), 1e6) == 448);
  CHECK(round_to(format_of("fp8_e4m3"), -INFINITY) == -448);
  CHECK(round_to(format_of("fp8_e4m3"), 17) == 16);
  CHECK(round_to(format_of("fp8_e5m2"), -1e6) == -57344);
  CHECK(round_to(format_of("fp8_e5m2"), INFINITY) == INFINITY);
  CHECK(round_to(format_of("fp8_e5m2"), 0x1p-16) == 0x1p-16);
  CHECK(round_to(format_of("i8"), -1.9) == -1);
  CHECK(round_to(format_of("i32"), NAN) == 0);
  CHECK(round_to(format_of("u8"), -3) == 0);
  CHECK(round_to(format_of("bool"), -0.5) == 1);
}

TEST_CASE("sums of products are exact in their factors and wider than sums that round") {
  ProductSum products;
  Sum<F32> terms;
  for (int k = 1; k <= 100; ++k) {
    products.add(F32(k), F32(0.5));
    terms.add(F32(k * 0.5));
  }
  CHECK(products.total().value == 2525);
  CHECK(products.total().error > 2 * terms.total().error);
  CHECK(products.total().error < 2525 * 256 * F32::kUnit);
  CHECK(ProductSum().total().error == 0);
  ProductSum inexact;
  inexact.add(F32::computed(1, 0.25, 0), F32(2));
  CHECK(inexact.total().error >= 0.5);
}

TEST_CASE("the fast exponential is off by its promise, and more far from zero") {
  CHECK(exp_fast(F32(0)).error >= 0x1p-20);
  CHECK(exp_fast(F32(0)).error < 0x1p-19);
  CHECK(exp_fast(F32(-9)).error / std::exp(-9.0) > 9 * 0x1p-20);
  CHECK(exp_fast(F32::computed(0, 0.125, 0)).error >= 0.125);
}

}  // namespace tessera::reference
