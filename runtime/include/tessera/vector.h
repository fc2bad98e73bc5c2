// SPDX-License-Identifier: Apache-2.0
// Vector<T, N>: N elements that travel to and from memory together, in accesses of up to 16 bytes.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <type_traits>

#include "tessera/device.h"

namespace tessera {

/// The bytes of one memory access for N elements of T: all of them, at most 16.
template <typename T, int N>
inline constexpr std::size_t kAccessBytes = sizeof(T) * N < 16 ? sizeof(T) * N : 16;

/// Elements of less than 32 bits are read by value and written with `set`. They are held in 32-bit words, or in one of 16
/// bits, as a GPU holds them in its registers: one instruction takes one out of its word, if the compiler never sees
/// narrower variables that it would split the word into.
template <typename T, int N>
struct alignas(kAccessBytes<T, N>) Vector {
  static_assert(N > 0 && (N & (N - 1)) == 0, "a vector holds a power of two elements");

  static constexpr bool kPacked = sizeof(T) < 4 && N > 1;
  using Unit =
      std::conditional_t<!kPacked, T, std::conditional_t<sizeof(T) * N == 2, std::uint16_t, std::uint32_t>>;

  Unit unit[sizeof(T) * N / sizeof(Unit)];

  TESSERA_HD T& operator[](int i) requires(sizeof(T) >= 4) { return unit[i]; }
  TESSERA_HD const T operator[](int i) const {
    if constexpr (kPacked) {
      constexpr int kPerWord = static_cast<int>(sizeof(Unit) / sizeof(T));
      const std::uint32_t word = unit[i / kPerWord] >> i % kPerWord * 8 * static_cast<int>(sizeof(T));
      T result;
      std::memcpy(&result, &word, sizeof result);
      return result;
    } else {
      return unit[i];
    }
  }
  TESSERA_HD void set(int i, T value) {
    std::memcpy(reinterpret_cast<char*>(unit) + static_cast<std::size_t>(i) * sizeof(T), &value,
                sizeof value);
  }
};

namespace detail {

#if !TESSERA_TWIN
/// The CUDA type of an access of kBytes.
template <std::size_t kBytes>
struct Access;
template <>
struct Access<1> {
  using Type = unsigned char;
};
template <>
struct Access<2> {
  using Type = unsigned short;
};
template <>
struct Access<4> {
  using Type = unsigned int;
};
template <>
struct Access<8> {
  using Type = uint2;
};
template <>
struct Access<16> {
  using Type = uint4;
};
#endif

/// Reads N elements at `from`, aligned as Vector<T, N> is. kReadOnly: nobody writes them while the kernel
/// runs, so the GPU may take the non-coherent path (ld.global.nc).
template <bool kReadOnly, int N, typename T>
TESSERA_DEVICE Vector<T, N> load_vector(const T* from) {
  Vector<T, N> result;
#if TESSERA_TWIN
  std::memcpy(&result, from, sizeof result);
#else
  using Word = typename Access<kAccessBytes<T, N>>::Type;
  Word words[sizeof(result) / sizeof(Word)];
  TESSERA_UNROLL
  for (int i = 0; i < static_cast<int>(sizeof(result) / sizeof(Word)); ++i) {
    if constexpr (kReadOnly) {
      words[i] = __ldg(reinterpret_cast<const Word*>(from) + i);
    } else {
      words[i] = reinterpret_cast<const Word*>(from)[i];
    }
  }
  std::memcpy(&result, words, sizeof result);
#endif
  return result;
}

/// The same if `condition` holds, and any numbers otherwise.
template <bool kReadOnly, int N, typename T>
TESSERA_DEVICE Vector<T, N> load_vector_if(bool condition, const T* from) {
#if !TESSERA_TWIN
  using Word = typename Access<kAccessBytes<T, N>>::Type;
  if constexpr (kReadOnly && sizeof(Word) >= 2) {
    Vector<T, N> result;
    Word words[sizeof(result) / sizeof(Word)];
    TESSERA_UNROLL
    for (int i = 0; i < static_cast<int>(sizeof(result) / sizeof(Word)); ++i) {
      words[i] = ptx::ld_global_nc_if(reinterpret_cast<const Word*>(from) + i, condition);
    }
    std::memcpy(&result, words, sizeof result);
    return result;
  }
#endif
  return condition ? load_vector<kReadOnly, N>(from) : Vector<T, N>{};
}

/// Where memory is; the instruction depends on it.
enum class Space { global, shared };

#if !TESSERA_TWIN
/// Writes one word in one instruction.
template <Space kSpace, typename Word>
TESSERA_DEVICE void store_word(void* to, Word word) {
  if constexpr (sizeof(Word) == 16) {
    kSpace == Space::global ? ptx::st_global_v4(to, word) : ptx::st_shared_v4(to, word);
  } else if constexpr (sizeof(Word) == 8) {
    kSpace == Space::global ? ptx::st_global_v2(to, word) : ptx::st_shared_v2(to, word);
  } else {
    *static_cast<Word*>(to) = word;
  }
}
#endif

/// Writes N elements to `to`, aligned as Vector<T, N> is.
template <Space kSpace, typename T, int N>
TESSERA_DEVICE void store_vector(T* to, const Vector<T, N>& value) {
#if TESSERA_TWIN
  std::memcpy(to, &value, sizeof value);
#else
  using Word = typename Access<kAccessBytes<T, N>>::Type;
  Word words[sizeof(value) / sizeof(Word)];
  std::memcpy(words, &value, sizeof value);
  TESSERA_UNROLL
  for (int i = 0; i < static_cast<int>(sizeof(value) / sizeof(Word)); ++i) {
    store_word<kSpace>(reinterpret_cast<Word*>(to) + i, words[i]);
  }
#endif
}

}  // namespace detail
}  // namespace tessera
