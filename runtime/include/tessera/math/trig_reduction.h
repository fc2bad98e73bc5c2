// SPDX-License-Identifier: Apache-2.0
// x modulo π/2, for every finite x: by three words of π/2 while the number of quarter turns is moderate, else
// by multiplying the mantissa with the bits of 2/π that matter (Payne and Hanek).
#pragma once

#include "tessera/math/bits.h"
#include "tessera/math/double_word.h"
#include "tessera/math/order.h"

namespace tessera::math::detail {

/// x = turns π/2 + rest, |rest| at most a little over π/4; only `turns` modulo 4 is kept. `rest.low` is 0 for
/// float.
template <typename T>
struct QuarterTurns {
  DoubleWord<T> rest;
  int turns;
};

template <typename T>
struct HalfPi;

template <>
struct HalfPi<float> {
  static constexpr float kHigh = 0x1.921fb6p0f, kMiddle = -0x1.777a5cp-25f, kLow = -0x1.ee59dap-50f;
  static constexpr float kInverse = 0x1.45f306p-1f;
  static constexpr float kLargestSmall = 65536.0f;
};

template <>
struct HalfPi<double> {
  static constexpr double kHigh = 0x1.921fb54442d18p0, kMiddle = 0x1.1a62633145c07p-54;
  static constexpr double kLow = -0x1.f1976b7ed8fbcp-110;
  static constexpr double kInverse = 0x1.45f306dc9c883p-1;
  static constexpr double kLargestSmall = 0x1p30;
};

/// The first subtraction is exact (its result has no bits below those of π/2), so only what follows rounds.
TESSERA_HD QuarterTurns<float> reduce_small(float x) {
  using K = HalfPi<float>;
  const float sum = fma(x, K::kInverse, Format<float>::kRounder);
  const float count = sum - Format<float>::kRounder;
  const float rest = fma(count, -K::kLow, fma(count, -K::kMiddle, fma(count, -K::kHigh, x)));
  return {{rest, 0.0f}, static_cast<int>(to_bits(sum) & 3u)};
}
TESSERA_HD QuarterTurns<double> reduce_small(double x) {
  using K = HalfPi<double>;
  const double sum = fma(x, K::kInverse, Format<double>::kRounder);
  const double count = sum - Format<double>::kRounder;
  const double first = fma(count, -K::kHigh, x);
  const double product = count * K::kMiddle;
  const double product_low = fma(count, K::kMiddle, -product);
  const double high = first - product;
  const double back = first - high;
  const double lost = (first - (high + back)) + (back - product);
  const double low = lost - fma(count, K::kLow, product_low);
  return {fast_two_sum(high, low), static_cast<int>(to_bits(sum) & 3u)};
}

/// The upper half of a * b.
TESSERA_HD std::uint64_t multiply_high(std::uint64_t a, std::uint64_t b) {
#if TESSERA_ON_DEVICE
  return __umul64hi(a, b);
#else
  __extension__ using Wide = unsigned __int128;
  return static_cast<std::uint64_t>((static_cast<Wide>(a) * b) >> 64);
#endif
}

/// 64 bits of 2/π starting `start` bits after the point; 64 zero bits stand before it for negative starts.
TESSERA_HD std::uint64_t two_over_pi_bits(int start) {
  static constexpr std::uint64_t kWords[] = {
      0x0000000000000000u, 0xa2f9836e4e441529u, 0xfc2757d1f534ddc0u, 0xdb6295993c439041u,
      0xfe5163abdebbc561u, 0xb7246e3a424dd2e0u, 0x06492eea09d1921cu, 0xfe1deb1cb129a73eu,
      0xe88235f52ebb4484u, 0xe99c7026b45f7e41u, 0x3991d639835339f4u, 0x9c845f8bbdf9283bu,
      0x1ff897ffde05980fu, 0xef2f118b5a0a6d1fu, 0x6d367ecf27cb09b7u, 0x4f463f669e5fea2du,
      0x7527bac7ebe5f17bu, 0x3d0739f78a5292eau, 0x6bfb5fb11f8d5d08u, 0x56033046fc7b6babu};
  const int position = start + 64;
  const int word = position >> 6;
  const int shift = position & 63;
  const std::uint64_t upper = kWords[word] << shift;
  return shift == 0 ? upper : upper | (kWords[word + 1] >> (64 - shift));
}

/// mantissa * 2^exponent * 2/π modulo 4 as a fixed-point number of 2 + 126 bits, for a mantissa of 53 bits at
/// most: a window of 192 bits of 2/π, beginning at the bit that comes to weigh 2, times the mantissa.
struct Turns {
  std::uint64_t high;
  std::uint64_t low;
};

TESSERA_HD Turns turns_of(std::uint64_t mantissa, int exponent) {
  const int start = exponent - 2;
  const std::uint64_t window0 = two_over_pi_bits(start);
  const std::uint64_t window1 = two_over_pi_bits(start + 64);
  const std::uint64_t window2 = two_over_pi_bits(start + 128);
  const std::uint64_t low = mantissa * window1 + multiply_high(mantissa, window2);
  const std::uint64_t carry = low < mantissa * window1 ? 1u : 0u;
  const std::uint64_t high = mantissa * window0 + multiply_high(mantissa, window1) + carry;
  return {high, low};
}

/// The signed distance of `turns` from the nearest integer, times π/2.
TESSERA_HD DoubleWord<double> angle_of(Turns turns, bool negative) {
  using K = HalfPi<double>;
  const std::uint64_t high = negative ? ~turns.high + (turns.low == 0 ? 1u : 0u) : turns.high;
  const std::uint64_t low = negative ? 0u - turns.low : turns.low;
  const double coarse = static_cast<double>(high >> 11) * 0x1p-51;
  const double fine = static_cast<double>((high << 53) | (low >> 11)) * 0x1p-115;
  const DoubleWord<double> fraction = fast_two_sum(coarse, fine);
  const DoubleWord<double> angle = multiply(fraction, DoubleWord<double>{K::kHigh, K::kMiddle});
  return negative ? DoubleWord<double>{-angle.high, -angle.low} : angle;
}

/// Any finite x of at least 2^9 (so that the window does not begin before the zero word).
TESSERA_HD QuarterTurns<double> reduce_large(double x) {
  const std::uint64_t bits = to_bits(abs(x));
  const int exponent = static_cast<int>(bits >> 52) - 1075;
  const std::uint64_t mantissa = (bits & 0xfffffffffffffu) | 0x10000000000000u;
  Turns turns = turns_of(mantissa, exponent);
  const std::uint64_t nearest = (turns.high + (std::uint64_t{1} << 61)) >> 62;
  turns.high -= nearest << 62;
  const DoubleWord<double> rest = angle_of(turns, (turns.high >> 63) != 0);
  if (x < 0) return {{-rest.high, -rest.low}, static_cast<int>((4 - nearest) & 3u)};
  return {rest, static_cast<int>(nearest & 3u)};
}

/// In double: its result has bits to spare, and it is exact that a float is a double.
TESSERA_HD QuarterTurns<float> reduce_large(float x) {
  const QuarterTurns<double> reduced = reduce_large(static_cast<double>(x));
  return {{static_cast<float>(reduced.rest.high), 0.0f}, reduced.turns};
}

/// Reduces any finite x.
template <typename T>
TESSERA_HD QuarterTurns<T> reduce_to_quarter_turn(T x) {
  return abs(x) <= HalfPi<T>::kLargestSmall ? reduce_small(x) : reduce_large(x);
}

}  // namespace tessera::math::detail
