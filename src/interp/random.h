// SPDX-License-Identifier: Apache-2.0
// A small random number generator (xoshiro256**, seeded by splitmix64) whose sequence is the same everywhere.
#pragma once

#include <cstdint>

namespace tessera::interp {

class Random {
 public:
  explicit Random(uint64_t seed) {
    for (uint64_t& word : state_) {
      seed += 0x9e3779b97f4a7c15u;
      uint64_t mixed = seed;
      mixed = (mixed ^ (mixed >> 30)) * 0xbf58476d1ce4e5b9u;
      mixed = (mixed ^ (mixed >> 27)) * 0x94d049bb133111ebu;
      word = mixed ^ (mixed >> 31);
    }
  }

  /// 64 random bits.
  uint64_t next() {
    const uint64_t result = rotated(state_[1] * 5, 7) * 9;
    const uint64_t shifted = state_[1] << 17;
    state_[2] ^= state_[0];
    state_[3] ^= state_[1];
    state_[1] ^= state_[2];
    state_[0] ^= state_[3];
    state_[2] ^= shifted;
    state_[3] = rotated(state_[3], 45);
    return result;
  }

  /// A number in [0, 1), a multiple of 2^-53.
  double uniform() { return static_cast<double>(next() >> 11) * 0x1p-53; }

  /// An integer in [0, bound), bound >= 1; the bias is below bound / 2^64.
  uint64_t below(uint64_t bound) {
    return static_cast<uint64_t>(static_cast<unsigned __int128>(next()) * bound >> 64);
  }

 private:
  static uint64_t rotated(uint64_t word, int bits) { return word << bits | word >> (64 - bits); }

  uint64_t state_[4] = {};
};

}  // namespace tessera::interp
