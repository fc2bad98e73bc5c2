// SPDX-License-Identifier: Apache-2.0
// How a thread reads and writes two neighbours in a row of a tile, which it has of every block of 16 x 8 sums.
#pragma once

#include "tessera/view.h"

namespace tessera {

/// A line whose elements are written two at a time, all pairs beginning an even distance from element `first`: whether
/// they may be written at once is asked once.
template <typename T, int Rank>
class Pairs {
 public:
  TESSERA_DEVICE Pairs(const Line<T, Rank>& line, index first)
      : line_(line),
        at_once_(line.stride == 1 && detail::elements_past_boundary<2>(line.data + first) == 0) {}

  /// Writes those of the elements i and i + 1 that exist.
  TESSERA_DEVICE void store(index i, const Vector<T, 2>& value, const Part<2, false>& part,
                            [[maybe_unused]] Location where = Location::current()) const {
#if TESSERA_TWIN
    line_.store(i, value, part, where);
#else
    const bool whole = at_once_ && part.is_whole();
    T* to = line_.data + i * line_.stride;
    store_if(whole, to, value);
    store_if(!whole && part.has(0), to, Vector<T, 1>{{value[0]}});
    store_if(!whole && part.has(1), to + line_.stride, Vector<T, 1>{{value[1]}});
#endif
  }

 private:
#if !TESSERA_TWIN
  template <int N>
  static TESSERA_DEVICE void store_if(bool condition, T* to, const Vector<T, N>& value) {
    typename detail::Access<sizeof(T) * N>::Type word;
    std::memcpy(&word, &value, sizeof word);
    ptx::st_global_if(to, word, condition);
  }
#endif

  Line<T, Rank> line_;
  bool at_once_;
};

/// The distance between the pairs that a thread has in a row of a tile.
inline constexpr int kPairStep = 8;

namespace detail {

/// Pairs of a row, as a function returns them.
template <typename T, int kPairs>
struct PairsOfRow {
  Vector<T, 2> pair[kPairs];
};

/// The elements of a line from `first` on: as little as a call that reads them needs.
template <typename T, int Rank>
struct ElementsOfLine {
#if TESSERA_TWIN
  Line<T, Rank> line;
  index first;
  ElementsOfLine(const Line<T, Rank>& of, index from) : line(of), first(from) {}
#else
  T* data;
  index stride;
  TESSERA_DEVICE ElementsOfLine(const Line<T, Rank>& of, index from)
      : data(of.data + from * of.stride), stride(of.stride) {}
#endif

  /// Element number `i` of these if `condition` holds, without a branch; any number otherwise.
  TESSERA_DEVICE std::remove_const_t<T> load_if(bool condition, int i,
                                                [[maybe_unused]] Location where) const {
#if TESSERA_TWIN
    return line.template load_if<1>(condition, first + i, where)[0];
#else
    return load_vector_if<std::is_const_v<T>, 1, std::remove_const_t<T>>(condition, data + i * stride)[0];
#endif
  }
};

/// The elements of load_pairs one by one. A call: seldom what loads take, and many registers beside a tile.
template <int kPairs, typename T, int Rank>
TESSERA_DEVICE_CALL PairsOfRow<std::remove_const_t<T>, kPairs> load_single_elements(
    ElementsOfLine<T, Rank> elements, Part<2, false> part, Location where) {
  PairsOfRow<std::remove_const_t<T>, kPairs> row;
  TESSERA_UNROLL
  for (int k = 0; k < kPairs; ++k) {
    const Part<2, false> here = part.moved(k * kPairStep);
    TESSERA_UNROLL
    for (int n = 0; n < 2; ++n)
      row.pair[k].set(n, elements.load_if(here.any() && here.has(n), k * kPairStep + n, where));
  }
  return row;
}

}  // namespace detail

/// row[k]: the elements i + kPairStep * k and the next of a line, any numbers in place of those that do not exist: `part` says
/// of the first pair which do. Nothing waits until all of them are under way, or `kAtOnce` where elements are read one by one.
template <int kAtOnce, typename T, int Rank, int kPairs>
TESSERA_DEVICE void load_pairs(const Line<T, Rank>& line, index i, const Part<2, false>& part,
                               Vector<std::remove_const_t<T>, 2> (&row)[kPairs],
                               Location where = Location::current()) {
  static_assert(kPairs % kAtOnce == 0, "as many each time");
  bool are_whole = line.stride == 1 && detail::elements_past_boundary<2>(line.data + i) == 0;
  TESSERA_UNROLL
  for (int k = 0; k < kPairs; ++k) {
    const Part<2, false> here = part.moved(k * kPairStep);
    are_whole = are_whole & (here.is_whole() | !here.any());
  }
  if (are_whole) {
    TESSERA_UNROLL
    for (int k = 0; k < kPairs; ++k)
      row[k] = line.template load_if<2>(part.moved(k * kPairStep).any(), i + k * kPairStep, where);
  } else {
    TESSERA_UNROLL
    for (int first = 0; first < kPairs; first += kAtOnce) {
      const int distance = first * kPairStep;
      const auto elements = detail::load_single_elements<kAtOnce>(
          detail::ElementsOfLine<T, Rank>(line, i + distance), part.moved(distance), where);
      TESSERA_UNROLL
      for (int k = 0; k < kAtOnce; ++k) row[first + k] = elements.pair[k];
    }
  }
}

}  // namespace tessera
