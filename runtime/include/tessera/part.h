// SPDX-License-Identifier: Apache-2.0
// Part<N, kAligned>: which elements of a vector exist where a line begins or ends inside of it, and accesses at
// any address and stride.
#pragma once

#include "tessera/vector.h"

namespace tessera {

/// The elements at, at + 1, … at + N - 1 of a line, of which those in [first, end) exist. kAligned: lines are whole
/// vectors, so that all of them do or none. Vectors of one element have no ends either.
template <int N, bool kAligned>
class Part {
  static constexpr bool kAlwaysWhole = kAligned || N == 1;

 public:
  TESSERA_HD Part(index at, index first, index end)
      : before_(static_cast<int>(first - at < -kMany ? -kMany : first - at)),
        rest_(static_cast<int>(end - at > kMany ? kMany : end - at)) {}

  /// The same of the vector `distance` elements further on, less than 2^20.
  TESSERA_HD Part moved(int distance) const { return Part(before_ - distance, rest_ - distance); }

  /// Whether an element exists.
  TESSERA_HD bool any() const {
    if constexpr (kAlwaysWhole) return rest_ > 0;
    return rest_ > 0 && before_ < rest_;
  }

  /// Whether element number `i` of the vector exists; asked only if one does.
  TESSERA_HD bool has(int i) const {
    if constexpr (kAlwaysWhole) return true;
    return i >= before_ && i < rest_;
  }

  /// Whether all of them exist, if one does.
  TESSERA_HD bool is_whole() const {
    if constexpr (kAlwaysWhole) return true;
    return before_ <= 0 && rest_ >= N;
  }

  /// The vector with `other` in place of the elements that do not exist.
  template <typename T>
  TESSERA_HD Vector<T, N> or_else(const Vector<T, N>& vector, std::type_identity_t<T> other) const {
    Vector<T, N> result = vector;
    if (is_whole()) return result;
    TESSERA_UNROLL
    for (int i = 0; i < N; ++i) {
      if (!has(i)) result.set(i, other);
    }
    return result;
  }

 private:
  static constexpr index kMany = index{1} << 30;  // further ends than any vector sees are alike: 32 bits do

  TESSERA_HD Part(int before, int rest) : before_(before), rest_(rest) {}

  int before_;  // elements of the vector before the first that exists, if positive
  int rest_;    // elements from the first of the vector to the end
};

namespace detail {

/// A line of a tensor: element `i` stands at data[i * stride], and all elements of the tensor lie in [begin, end).
template <typename T>
struct Stretch {
  T* data;
  index stride;
  T* begin;
  T* end;

  TESSERA_HD bool has(const T* first, const T* last) const { return first >= begin && last <= end; }
};

/// The elements between the address and the vector boundary at or before it.
template <int N, typename T>
TESSERA_HD int elements_past_boundary(const T* address) {
  return static_cast<int>(reinterpret_cast<std::uintptr_t>(address) % kAccessBytes<T, N> / sizeof(T));
}

/// N elements at any address, in words of 32 bits or whole elements: the words belong to the tensor.
template <bool kReadOnly, int N, typename T>
TESSERA_DEVICE Vector<T, N> load_in_words(const T* from) {
  Vector<T, N> result;
  if constexpr (sizeof(T) >= 4) {
    TESSERA_UNROLL
    for (int n = 0; n < N; ++n) result[n] = load_vector<kReadOnly, 1>(from + n)[0];
  } else {
    constexpr int kPerWord = 4 / static_cast<int>(sizeof(T)), kWords = N / kPerWord;
    const int past = elements_past_boundary<kPerWord>(from);
    std::uint32_t words[kWords + 1];
    TESSERA_UNROLL
    for (int i = 0; i <= kWords; ++i) {
      const auto word = load_vector<kReadOnly, kPerWord>(from - past + i * kPerWord);
      std::memcpy(words + i, &word, sizeof word);
    }
    const int bits = past * 8 * static_cast<int>(sizeof(T));
    TESSERA_UNROLL
    for (int i = 0; i < kWords; ++i) {
      const std::uint64_t pair = static_cast<std::uint64_t>(words[i + 1]) << 32 | words[i];
      words[i] = static_cast<std::uint32_t>(pair >> bits);
    }
    std::memcpy(&result, words, sizeof result);
  }
  return result;
}

/// How the vectors of a line can be read: all of them alike, since they lie whole vectors apart.
enum class Way { at_once, in_words, in_pieces };

template <bool kReadOnly, int N, typename T>
TESSERA_DEVICE Way way_to_read(const Stretch<T>& line, index i) {
  if (line.stride != 1) return Way::in_pieces;
  if (elements_past_boundary<N>(line.data + i) == 0) return Way::at_once;
  return kReadOnly && sizeof(T) * N >= 4 ? Way::in_words : Way::in_pieces;
}

/// Whether the vectors that way reads for the elements from `i` on belong to the tensor; nobody writes elements
/// of another part of it that the read brings along.
template <bool kReadOnly, int N, typename T>
TESSERA_DEVICE bool may_read(const Stretch<T>& line, index i, const Part<N, false>& part, Way way) {
  const T* from = line.data + i;
  if (way == Way::at_once) return part.any() && (part.is_whole() || (kReadOnly && line.has(from, from + N)));
  constexpr int kPerWord = sizeof(T) < 4 ? 4 / static_cast<int>(sizeof(T)) : 0;
  return way == Way::in_words && part.any() && line.has(from - kPerWord, from + N + kPerWord);
}

/// The elements from `i` on that exist, one by one; zero in place of the others.
template <bool kReadOnly, int N, typename T>
TESSERA_DEVICE Vector<std::remove_const_t<T>, N> load_in_pieces(const Stretch<T>& line, index i,
                                                                const Part<N, false>& part) {
  Vector<std::remove_const_t<T>, N> result{};
  TESSERA_UNROLL
  for (int n = 0; n < N; ++n) {
    if (part.has(n)) result.set(n, load_vector<kReadOnly, 1>(line.data + (i + n) * line.stride)[0]);
  }
  return result;
}

/// The elements from `i` on. What is in place of those that do not exist is any number: vectors are read whole
/// where all of their bytes belong to the tensor, which is nearly everywhere.
template <bool kReadOnly, int N, typename T>
TESSERA_DEVICE Vector<std::remove_const_t<T>, N> load_part(const Stretch<T>& line, index i,
                                                           const Part<N, false>& part) {
  const std::remove_const_t<T>* from = line.data + i;
  const Way way = way_to_read<kReadOnly, N>(line, i);
  if (!may_read<kReadOnly>(line, i, part, way)) return load_in_pieces<kReadOnly>(line, i, part);
  if constexpr (sizeof(T) * N >= 4) {
    if (way == Way::in_words) return load_in_words<kReadOnly, N>(from);
  }
  return load_vector<kReadOnly, N>(from);
}

/// The elements from i + k * distance on for each k, as load_part reads them; vectors at suitable addresses are all
/// under way before one is waited for.
template <bool kReadOnly, int N, int kStrips, typename T>
TESSERA_DEVICE void load_strips(const Stretch<T>& line, index i, const Part<N, false>& part, int distance,
                                Vector<std::remove_const_t<T>, N> (&row)[kStrips]) {
  const std::remove_const_t<T>* from = line.data + i;
  bool complete = way_to_read<kReadOnly, N>(line, i) == Way::at_once;
  if (complete) {
    TESSERA_UNROLL
    for (int k = 0; k < kStrips; ++k) {
      const Part<N, false> here = part.moved(k * distance);
      const bool readable = may_read<kReadOnly>(line, i + k * distance, here, Way::at_once);
      row[k] = load_vector_if<kReadOnly, N>(readable, from + k * distance);
      complete = complete & (readable | !here.any());
    }
  }
  if (complete) return;
  TESSERA_UNROLL
  for (int k = 0; k < kStrips; ++k) {
    const Part<N, false> here = part.moved(k * distance);
    if (here.any()) row[k] = load_part<kReadOnly>(line, i + k * distance, here);
  }
}

/// Writes the elements that exist.
template <int N, typename T>
TESSERA_DEVICE void store_part(const Stretch<T>& line, index i, const Vector<T, N>& value,
                               const Part<N, false>& part) {
  T* to = line.data + i * line.stride;
  if (line.stride == 1 && part.is_whole() && elements_past_boundary<N>(to) == 0)
    return store_vector<Space::global>(to, value);
  TESSERA_UNROLL
  for (int n = 0; n < N; ++n) {
    if (part.has(n)) store_vector<Space::global>(to + n * line.stride, Vector<T, 1>{{value[n]}});
  }
}

}  // namespace detail
}  // namespace tessera
