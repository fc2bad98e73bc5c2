// SPDX-License-Identifier: Apache-2.0
// Window<T, N, kBefore, kBehind>: the elements of a vector and their neighbours in the line, read once.
#pragma once

#include "tessera/part.h"
#include "tessera/positions.h"

namespace tessera {

/// Elements -kBefore … N - 1 + kBehind, counted from the first of a vector of N. What lies outside of the line
/// does not exist, and is zero.
template <typename T, int N, int kBefore, int kBehind>
struct Window {
  static constexpr int kCount = kBefore + N + kBehind;

  T element[kCount];
  bool exists[kCount];

  TESSERA_HD T operator[](index i) const { return element[i + kBefore]; }
  TESSERA_HD bool has(index i) const { return exists[i + kBefore]; }
};

namespace detail {

/// Where a neighbour stands in a line of `extent` elements that begins again behind its end, if kPeriodic.
template <bool kPeriodic>
TESSERA_HD index neighbour(index at, index extent) {
  return kPeriodic ? wrap(at, extent) : at;
}

/// Neighbours first … first + kCount - 1 of the vector at `i`, one by one.
template <bool kReadOnly, bool kPeriodic, int kCount, typename T, typename Result>
TESSERA_DEVICE void load_neighbours(const Stretch<T>& line, index extent, index i, int first, int place,
                                    Result& window) {
  using Value = std::remove_const_t<T>;
  TESSERA_UNROLL
  for (int k = 0; k < kCount; ++k) {
    const index at = neighbour<kPeriodic>(i + first + k, extent);
    window.exists[place + k] = inside(at, extent);
    window.element[place + k] = Value{};
    if (window.exists[place + k]) {
      window.element[place + k] =
          load_vector<kReadOnly, 1>(static_cast<const Value*>(line.data + at * line.stride))[0];
    }
  }
}

/// Up to so many neighbours on one side are not worth a vector.
template <int N>
inline constexpr int kFewNeighbours = N > 8 ? 2 : 1;

/// The window of the vector at `i`, one of the whole vectors that the line consists of.
template <bool kReadOnly, bool kPeriodic, int kBefore, int kBehind, int N, typename T>
TESSERA_DEVICE auto load_window_of_vectors(const Stretch<T>& line, index extent, index i) {
  using Value = std::remove_const_t<T>;
  constexpr bool kFewBefore = kBefore <= kFewNeighbours<N>, kFewBehind = kBehind <= kFewNeighbours<N>;
  constexpr int kFirst = kFewBefore ? 0 : -((kBefore + N - 1) / N),
                kLast = kFewBehind ? 0 : (kBehind + N - 1) / N;
  Window<Value, N, kBefore, kBehind> result;
  TESSERA_UNROLL
  for (int vector = kFirst; vector <= kLast; ++vector) {
    const index at = neighbour<kPeriodic>(i + vector * N, extent);
    const bool exists = inside(at, extent);
    Vector<Value, N> some{};
    if (exists) some = load_vector<kReadOnly, N>(static_cast<const Value*>(line.data + at));
    TESSERA_UNROLL
    for (int n = 0; n < N; ++n) {
      const int k = vector * N + n + kBefore;
      if (k < 0 || k >= kBefore + N + kBehind) continue;
      result.element[k] = some[n];
      result.exists[k] = exists;
    }
  }
  if constexpr (kFewBefore)
    load_neighbours<kReadOnly, kPeriodic, kBefore>(line, extent, i, -kBefore, 0, result);
  if constexpr (kFewBehind)
    load_neighbours<kReadOnly, kPeriodic, kBehind>(line, extent, i, N, kBefore + N, result);
  return result;
}

/// The window of the vector at `i`, element by element.
template <bool kReadOnly, bool kPeriodic, int kBefore, int kBehind, int N, typename T>
TESSERA_DEVICE auto load_window_of_elements(const Stretch<T>& line, index extent, index i) {
  using Value = std::remove_const_t<T>;
  Window<Value, N, kBefore, kBehind> result;
  constexpr int kCount = kBefore + N + kBehind;
  if (i < kBefore || i + N + kBehind > extent) {
    load_neighbours<kReadOnly, kPeriodic, kCount>(line, extent, i, -kBefore, 0, result);
    return result;
  }
  const Value* first = line.data + (i - kBefore) * line.stride;
  TESSERA_UNROLL
  for (int k = 0; k < kCount; ++k) {
    result.element[k] = load_vector<kReadOnly, 1>(first + k * line.stride)[0];
    result.exists[k] = true;
  }
  return result;
}

}  // namespace detail
}  // namespace tessera
