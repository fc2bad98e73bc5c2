// SPDX-License-Identifier: Apache-2.0
// The part of a plane that a tile is filled from: what of it exists, and where its elements are.
#pragma once

#include "tessera/copy_order.h"
#include "tessera/plane.h"
#include "tessera/ptx_copy.h"

namespace tessera::detail {

/// What exists of an axis, counted from a place in a tile on.
struct Existing {
  int begin, end;

  TESSERA_DEVICE bool has(int at) const { return at >= begin && at < end; }
};

/// Of the `room` elements from `from` on; what lies before them does not matter.
template <typename T>
TESSERA_DEVICE Existing existing(const Plane<T>& plane, int axis, index from, int room) {
  const auto clamp = [&](index x) { return static_cast<int>(x < 0 ? 0 : x < room ? x : room); };
  return {clamp(plane.begin[axis] - from), clamp(plane.end[axis] - from)};
}

/// Part of a plane as one thread of a block copies it: kStep elements of a line at a time.
template <int kStep_, int kThreads, int kPositionAxis_, typename Tile_, typename T>
struct TileFill {
  using Tile = Tile_;
  static constexpr int kStep = kStep_, kPositionAxis = kPositionAxis_, kLineAxis = 1 - kPositionAxis;
  using Order = CopyOrder<Tile, kStep, kThreads>;

  const Tile& tile;
  const Plane<T>& plane;
  Index<2> at;  // of the tile in the plane
  Location where;

  /// Several elements of a copy follow each other.
  TESSERA_DEVICE index position_stride() const { return kStep > 1 ? 1 : plane.stride[kPositionAxis]; }

  /// Where in global memory the element at a place is.
  TESSERA_DEVICE const T* from(CopyPlace place) const {
    return plane.data + (at[kLineAxis] + place.line) * plane.stride[kLineAxis] +
           (at[kPositionAxis] + place.position) * position_stride();
  }

  /// Whether all of the tile exists.
  TESSERA_DEVICE bool is_whole() const {
    return plane.has(kLineAxis, at[kLineAxis]) && at[kLineAxis] + Tile::kLines <= plane.end[kLineAxis] &&
           plane.has(kPositionAxis, at[kPositionAxis]) &&
           at[kPositionAxis] + Tile::kLength <= plane.end[kPositionAxis];
  }

  /// How many elements of the copy at `place` exist, given what does from there on of its line.
  static TESSERA_DEVICE int count(const Existing& positions, int position) {
    const int left = positions.end - position;
    return position < positions.begin || left < 0 ? 0 : left < kStep ? left : kStep;
  }

#if TESSERA_TWIN
  /// Whether these elements may be copied at once from a multiple of `alignment` bytes; reports it if not.
  bool may_copy(CopyPlace place, int count, int alignment = kStep * static_cast<int>(sizeof(T))) const {
    const index l = at[kLineAxis] + place.line, p = at[kPositionAxis] + place.position;
    const bool is_cut =
        plane.has(kLineAxis, l) && p < plane.begin[kPositionAxis] && p + kStep > plane.begin[kPositionAxis];
    const twin::PlaneCopy access{{kPositionAxis == 0 ? p : l, kPositionAxis == 0 ? l : p},
                                 kPositionAxis,
                                 plane.stride[kPositionAxis],
                                 count,
                                 kStep,
                                 is_cut && alignment > static_cast<int>(sizeof(T)),
                                 from(place),
                                 alignment,
                                 sizeof(T)};
    return twin::may_copy(plane.shadow, access, where);
  }
#endif
};

}  // namespace tessera::detail
