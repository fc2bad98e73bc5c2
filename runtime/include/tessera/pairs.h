// SPDX-License-Identifier: Apache-2.0
// Pairs: how a thread writes its two neighbours in a row of a tile, which it has of every block of 16 x 8 sums.
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

}  // namespace tessera
