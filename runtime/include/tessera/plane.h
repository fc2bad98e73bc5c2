// SPDX-License-Identifier: Apache-2.0
// Plane<T>: two axes of an access to a tensor, parts of which fill_tile copies to operand tiles.
#pragma once

#include "tessera/view.h"

#if TESSERA_TWIN
#include "tessera/twin/plane_shadow.h"
#endif

namespace tessera {

/// An axis of an access: one step along it is `step` in the tensor, and it is looked at from `begin` to `end`.
template <int Rank>
struct PlaneAxis {
  Index<Rank> step;
  index begin;
  index end;
};

/// The elements data[x * stride[0] + y * stride[1]] with begin[0] <= x < end[0] and begin[1] <= y < end[1]. The others
/// do not exist, and read as zero.
template <typename T>
struct Plane {
  const T* data;
  index stride[2];
  index begin[2];
  index end[2];
  const T* stop;  ///< where the memory of the tensor ends
#if TESSERA_TWIN
  twin::PlaneShadow shadow = {};
#endif

  TESSERA_DEVICE bool has(int axis, index at) const { return at >= begin[axis] && at < end[axis]; }
};

/// The elements of `view` at origin + x * x_axis.step + y * y_axis.step.
template <typename T, int Rank>
TESSERA_DEVICE Plane<std::remove_const_t<T>> plane(const View<T, Rank>& view, const Index<Rank>& origin,
                                                   const PlaneAxis<Rank>& x_axis,
                                                   const PlaneAxis<Rank>& y_axis) {
  Plane<std::remove_const_t<T>> result{
      view.data, {0, 0}, {x_axis.begin, y_axis.begin}, {x_axis.end, y_axis.end}, view.data + 1};
  TESSERA_UNROLL
  for (int dimension = 0; dimension < Rank; ++dimension) {
    result.stop += (view.extent[dimension] - 1) * view.stride[dimension];
    result.data += origin[dimension] * view.stride[dimension];
    result.stride[0] += x_axis.step[dimension] * view.stride[dimension];
    result.stride[1] += y_axis.step[dimension] * view.stride[dimension];
  }
#if TESSERA_TWIN
  result.shadow.tensor = view.shadow;
  result.shadow.rank = Rank;
  for (int dimension = 0; dimension < Rank; ++dimension) {
    result.shadow.extent[dimension] = view.extent[dimension];
    result.shadow.origin[dimension] = origin[dimension];
    result.shadow.step[0][dimension] = x_axis.step[dimension];
    result.shadow.step[1][dimension] = y_axis.step[dimension];
  }
#endif
  return result;
}

}  // namespace tessera
