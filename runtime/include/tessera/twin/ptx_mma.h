// SPDX-License-Identifier: Apache-2.0
// The host twin of the instructions that multiply matrices: products are exact, sums are taken in order of K.
#pragma once

#include <cmath>

#include "tessera/device.h"
#include "tessera/math.h"
#include "tessera/ptx_mma.h"

namespace tessera::twin {

/// What a lane brings to a product, and what it has of the result.
template <typename Sum, typename Operand>
struct MmaLane {
  Sum* sums;
  const Operand* a;
  const Operand* b;
};

/// The number that the hardware multiplies.
inline float mma_number(bf16 x) { return to_float(x); }
inline float mma_number(f16 x) { return to_float(x); }
inline float mma_number(fp8_e4m3 x) { return to_float(x); }
inline float mma_number(fp8_e5m2 x) { return to_float(x); }
inline float mma_number(tf32 x) { return math::from_bits(x.bits & 0xffffe000u); }
inline std::int32_t mma_number(std::int8_t x) { return x; }
inline std::int32_t mma_number(std::uint8_t x) { return x; }

inline float mma_add(float sum, float a, float b) { return sum + a * b; }
inline std::int32_t mma_add(std::int32_t sum, std::int32_t a, std::int32_t b) {
  return static_cast<std::int32_t>(static_cast<std::uint32_t>(sum) +
                                   static_cast<std::uint32_t>(a * b));  // wraps
}

/// sums[16][8] += a[16][K] * b[K][8], where each operand has 32 bytes along K: lane 4 g + t has bytes 4 t and 16 + 4 t
/// on of rows g and g + 8 of A and of column g of B, and the sums of rows g and g + 8, columns 2 t and 2 t + 1.
template <typename T, typename Sum>
void multiply_words(void* const (&lanes)[kLanes]) {
  constexpr int kPerWord = 4 / static_cast<int>(sizeof(T)), kDepth = 8 * kPerWord;
  using Number = decltype(mma_number(T{}));
  Number a[16][kDepth], b[8][kDepth];
  const auto unpack = [](std::uint32_t word, Number* row, int first) {
    T elements[kPerWord];
    std::memcpy(elements, &word, sizeof word);
    for (int i = 0; i < kPerWord; ++i) row[first + i] = mma_number(elements[i]);
  };
  for (int lane = 0; lane < kLanes; ++lane) {
    const auto& mine = *static_cast<const MmaLane<Sum, std::uint32_t>*>(lanes[lane]);
    const int g = lane / 4, first = lane % 4 * kPerWord;
    for (int w = 0; w < 4; ++w) unpack(mine.a[w], a[g + w % 2 * 8], first + w / 2 * 4 * kPerWord);
    for (int w = 0; w < 2; ++w) unpack(mine.b[w], b[g], first + w * 4 * kPerWord);
  }
  for (int lane = 0; lane < kLanes; ++lane) {
    Sum* sums = static_cast<const MmaLane<Sum, std::uint32_t>*>(lanes[lane])->sums;
    for (int q = 0; q < 4; ++q) {
      const Number* row = a[lane / 4 + q / 2 * 8];
      const Number* column = b[lane % 4 * 2 + q % 2];
      for (int k = 0; k < kDepth; ++k) sums[q] = mma_add(sums[q], row[k], column[k]);
    }
  }
}

/// sums[8 kRowBlocks][8] += a[8 kRowBlocks][kDepth] * b[kDepth][8] of doubles.
template <int kRowBlocks, int kDepth>
void multiply_f64(void* const (&lanes)[kLanes]) {
  double a[8 * kRowBlocks][kDepth], b[8][kDepth];
  for (int lane = 0; lane < kLanes; ++lane) {
    const auto& mine = *static_cast<const MmaLane<double, double>*>(lanes[lane]);
    for (int j = 0; j < kDepth / 4; ++j) {
      for (int block = 0; block < kRowBlocks; ++block)
        a[lane / 4 + 8 * block][lane % 4 + 4 * j] = mine.a[j * kRowBlocks + block];
      b[lane / 4][lane % 4 + 4 * j] = mine.b[j];
    }
  }
  for (int lane = 0; lane < kLanes; ++lane) {
    double* sums = static_cast<const MmaLane<double, double>*>(lanes[lane])->sums;
    for (int q = 0; q < 2 * kRowBlocks; ++q) {
      for (int k = 0; k < kDepth; ++k)
        sums[q] = std::fma(a[lane / 4 + q / 2 * 8][k], b[lane % 4 * 2 + q % 2][k], sums[q]);
    }
  }
}

}  // namespace tessera::twin

namespace tessera::ptx {

#define TESSERA_TWIN_MMA(name, T, Sum)                                                \
  inline void name(Sum* sums, const std::uint32_t(&a)[4], const std::uint32_t(&b)[2], \
                   Location where = Location::current()) {                            \
    twin::MmaLane<Sum, std::uint32_t> mine{sums, a, b};                               \
    twin::do_together(&twin::multiply_words<T, Sum>, &mine, where);                   \
  }
TESSERA_TWIN_MMA(mma_m16n8k16_f16, f16, float)
TESSERA_TWIN_MMA(mma_m16n8k16_bf16, bf16, float)
TESSERA_TWIN_MMA(mma_m16n8k8_tf32, tf32, float)
TESSERA_TWIN_MMA(mma_m16n8k32_s8, std::int8_t, std::int32_t)
TESSERA_TWIN_MMA(mma_m16n8k32_u8, std::uint8_t, std::int32_t)
#undef TESSERA_TWIN_MMA

inline void mma_m8n8k4_f64(double* sums, double a, double b, Location where = Location::current()) {
  twin::MmaLane<double, double> mine{sums, &a, &b};
  twin::do_together(&twin::multiply_f64<1, 4>, &mine, where);
}
inline void mma_m16n8k8_f64(double* sums, const double (&a)[4], const double (&b)[2],
                            Location where = Location::current()) {
  twin::MmaLane<double, double> mine{sums, a, b};
  twin::do_together(&twin::multiply_f64<2, 8>, &mine, where);
}

inline tf32 cvt_rn_tf32(float x) { return {x != x ? 0x7fffffffu : math::to_bits(math::round_tf32(x))}; }

inline std::uint32_t cvt_rn_bf16x2(float low, float high) {
  return static_cast<std::uint32_t>(from_float<bf16>(high).bits) << 16 | from_float<bf16>(low).bits;
}
inline std::uint32_t cvt_rn_f16x2(float low, float high) {
  return static_cast<std::uint32_t>(from_float<f16>(high).bits) << 16 | from_float<f16>(low).bits;
}

}  // namespace tessera::ptx
