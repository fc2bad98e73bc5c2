// SPDX-License-Identifier: Apache-2.0
// 16 bytes from any address: two aligned blocks of 16 bytes are read, and the bytes wanted shifted out of them.
#pragma once

#include "tessera/vector.h"

namespace tessera::detail {

/// The elements of a chunk of 16 bytes.
template <typename T>
inline constexpr int kChunkElements = 16 / static_cast<int>(sizeof(T));

/// The elements from `from` on, of which those from `begin` to `end` exist.
template <typename T>
struct ChunkSource {
  const T* from;
  int begin, end;
  const T* stop;  // where the memory of the tensor ends
};

/// The word that begins `bits` bits, less than 32, behind the beginning of `low`.
TESSERA_DEVICE std::uint32_t word_behind(std::uint32_t low, std::uint32_t high, int bits) {
#if TESSERA_TWIN
  return static_cast<std::uint32_t>((std::uint64_t{high} << 32 | low) >> bits);
#else
  return __funnelshift_r(low, high, bits);
#endif
}

/// A chunk under way. Blocks without an existing element are not read, those with one may be as a whole, but for the
/// one that the tensor ends in. The twin reads what exists and nothing else.
template <typename T>
class ShiftedChunk {
 public:
  TESSERA_DEVICE void start(const ChunkSource<T>& source) {
    constexpr int kBytes = static_cast<int>(sizeof(T));
    const auto address = reinterpret_cast<std::uintptr_t>(source.from);
    shift_ = static_cast<int>(address % 16);
    begin_ = source.begin * kBytes;
    end_ = source.end * kBytes;
#if TESSERA_TWIN
    std::memset(blocks_, 0x7f, sizeof blocks_);
    if (begin_ < end_) {
      std::memcpy(reinterpret_cast<char*>(blocks_) + shift_ + begin_, source.from + source.begin,
                  static_cast<std::size_t>(end_ - begin_));
    }
#else
    const auto* block = reinterpret_cast<const uint4*>(address - static_cast<unsigned>(shift_));
    read(0, block, begin_ < end_ && begin_ < 16 - shift_, source.stop);
    read(4, block + 1, begin_ < end_ && end_ > 16 - shift_, source.stop);
#endif
  }

  /// The elements that exist, and zeros.
  TESSERA_DEVICE Vector<T, kChunkElements<T>> value() const {
    std::uint32_t words[8];
    TESSERA_UNROLL
    for (int i = 0; i < 8; ++i) words[i] = blocks_[i];
    TESSERA_UNROLL
    for (int i = 0; i < 6; ++i) words[i] = (shift_ & 8) != 0 ? words[i + 2] : words[i];
    if constexpr (sizeof(T) < 8) {
      TESSERA_UNROLL
      for (int i = 0; i < 5; ++i) words[i] = (shift_ & 4) != 0 ? words[i + 1] : words[i];
    }
    if constexpr (sizeof(T) < 4) {
      TESSERA_UNROLL
      for (int i = 0; i < 4; ++i) words[i] = word_behind(words[i], words[i + 1], shift_ % 4 * 8);
    }
    TESSERA_UNROLL
    for (int i = 0; i < 4; ++i) words[i] &= bytes_below(end_ - 4 * i) & ~bytes_below(begin_ - 4 * i);
    Vector<T, kChunkElements<T>> result;
    std::memcpy(&result, words, sizeof result);
    return result;
  }

 private:
#if !TESSERA_TWIN
  TESSERA_DEVICE void read(int first, const uint4* block, bool exists, const T* stop) {
    if (exists && reinterpret_cast<const T*>(block + 1) > stop) return read_until(first, block, stop);
    const uint4 words = ptx::ld_global_nc_if(block, exists);
    blocks_[first] = words.x;
    blocks_[first + 1] = words.y;
    blocks_[first + 2] = words.z;
    blocks_[first + 3] = words.w;
  }
#endif

#if !TESSERA_TWIN
  /// The last block of a tensor, whose end nobody needs to own.
  TESSERA_DEVICE void read_until(int first, const uint4* block, const T* stop) {
    using Bits = std::conditional_t<sizeof(T) == 1, std::uint8_t, std::uint16_t>;
    constexpr int kPerWord = 4 / static_cast<int>(sizeof(Bits));
    const auto* word = reinterpret_cast<const std::uint32_t*>(block);
    const auto* end = reinterpret_cast<const Bits*>(stop);
    TESSERA_UNROLL
    for (int w = 0; w < 4; ++w) {
      const auto* element = reinterpret_cast<const Bits*>(word + w);
      const bool is_whole = element + kPerWord <= end;
      blocks_[first + w] = is_whole ? __ldg(word + w) : 0;
      TESSERA_UNROLL
      for (int i = 0; i < kPerWord; ++i) {
        if (!is_whole && element + i < end)
          blocks_[first + w] |= std::uint32_t{__ldg(element + i)} << 8 * sizeof(Bits) * i;
      }
    }
  }
#endif

  /// The first `count` bytes of a word.
  static TESSERA_DEVICE std::uint32_t bytes_below(int count) {
    return count <= 0 ? 0 : count >= 4 ? ~0u : (1u << 8 * count) - 1;
  }

  std::uint32_t blocks_[8];
  int shift_, begin_, end_;  // in bytes
};

}  // namespace tessera::detail
