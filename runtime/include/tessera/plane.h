// SPDX-License-Identifier: Apache-2.0
// Plane<T>: two axes of an access to a tensor. fill_tile copies a part of it to an operand tile, zeros where nothing
// exists.
#pragma once

#include "tessera/operand_tile.h"
#include "tessera/ptx_copy.h"
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
      view.data, {0, 0}, {x_axis.begin, y_axis.begin}, {x_axis.end, y_axis.end}};
  TESSERA_UNROLL
  for (int dimension = 0; dimension < Rank; ++dimension) {
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

/// How a tile is filled.
enum class Copy {
  async_16,  ///< cp.async of 16 bytes: along the lines stride 1, addresses of chunks multiples of 16 bytes
  async_8,   ///< the same of 8 and of 4 bytes; elements of 8 and of 4 bytes at any stride
  async_4,
  elements,  ///< through registers: any strides, any alignment
};

namespace detail {

/// The elements that one copy brings, all of one line.
template <Copy kCopy, typename T>
inline constexpr int kCopyElements = (kCopy == Copy::async_16  ? 16
                                      : kCopy == Copy::async_8 ? 8
                                      : kCopy == Copy::async_4 ? 4
                                                               : sizeof(T)) /
                                     sizeof(T);

/// One copy: from where in global memory, how many elements of it exist, to where.
template <typename T>
struct PartCopy {
  const T* from;
  int count;
  int to;
};

/// Copy number `copy` of the tile. Neighbours along a span, then the next line: threads write shared memory in its own
/// order.
template <int kStep, int kPositionAxis, typename Tile, typename T>
TESSERA_DEVICE PartCopy<T> part_copy(const Tile& tile, const Plane<T>& plane, Index<2> at, int copy,
                                     [[maybe_unused]] Location where) {
  constexpr int kPerSpan = Tile::kSpan / kStep, kLineAxis = 1 - kPositionAxis;
  const int line = copy / kPerSpan % Tile::kLines;
  const int position = copy / (kPerSpan * Tile::kLines) * Tile::kSpan + copy % kPerSpan * kStep;
  const index l = at[kLineAxis] + line, p = at[kPositionAxis] + position, left = plane.end[kPositionAxis] - p;
  const bool exists = plane.has(kLineAxis, l) && p >= plane.begin[kPositionAxis] && left > 0;
  PartCopy<T> result{plane.data + l * plane.stride[kLineAxis] + p * plane.stride[kPositionAxis],
                     !exists        ? 0
                     : left < kStep ? static_cast<int>(left)
                                    : kStep,
                     tile.index_of(line, position)};
#if TESSERA_TWIN
  const bool is_cut =
      plane.has(kLineAxis, l) && p < plane.begin[kPositionAxis] && p + kStep > plane.begin[kPositionAxis];
  const twin::PlaneCopy access{{kPositionAxis == 0 ? p : l, kPositionAxis == 0 ? l : p},
                               kPositionAxis,
                               plane.stride[kPositionAxis],
                               result.count,
                               kStep,
                               is_cut,
                               result.from,
                               sizeof(T)};
  if (!twin::may_copy(plane.shadow, access, where)) result.count = 0;
#endif
  return result;
}

template <Copy kCopy, typename T>
TESSERA_DEVICE void start_copy(const Shared<T>& to, const PartCopy<T>& part, Location where) {
  const int bytes = part.count * static_cast<int>(sizeof(T));
  if constexpr (kCopy == Copy::async_16) {
    ptx::cp_async_16(to, part.to, part.from, bytes, where);
  } else if constexpr (kCopy == Copy::async_8) {
    ptx::cp_async_8(to, part.to, part.from, bytes, where);
  } else {
    ptx::cp_async_4(to, part.to, part.from, bytes, where);
  }
}

/// So many elements are under way before the first is stored.
inline constexpr int kElementsAtOnce = 8;

/// Elements first, first + kThreads, … of the tile through registers.
template <int kThreads, int kPositionAxis, typename Tile, typename T>
TESSERA_DEVICE void copy_elements(const Tile& tile, const Plane<T>& plane, Index<2> at, int first,
                                  Location where) {
  T element[kElementsAtOnce];
  int to[kElementsAtOnce];
  TESSERA_UNROLL
  for (int i = 0; i < kElementsAtOnce; ++i) {
    const int copy = first + i * kThreads;
    if (copy >= Tile::kCount) break;
    const PartCopy<T> part = part_copy<1, kPositionAxis>(tile, plane, at, copy, where);
    element[i] = T{};
    if (part.count > 0) element[i] = load_vector<true, 1>(part.from)[0];
    to[i] = part.to;
  }
  TESSERA_UNROLL
  for (int i = 0; i < kElementsAtOnce; ++i) {
    if (first + i * kThreads < Tile::kCount) tile.elements.store(to[i], element[i], where);
  }
}

}  // namespace detail

/// All kThreads threads of the block fill `tile` with the part of the plane that begins at `at`. Its lines run along
/// axis number kPositionAxis, which is contiguous where a copy has several elements. Asynchronous copies are under way
/// until this thread has waited for its group (ptx::cp_async_commit_group, ptx::cp_async_wait_group), and those of all
/// threads until a barrier behind that. Where an axis begins inside of a copy, only Copy::elements will do.
template <Copy kCopy, int kThreads, int kPositionAxis, typename Tile, typename T>
TESSERA_DEVICE void fill_tile(const Tile& tile, const Plane<T>& plane, Index<2> at,
                              Location where = Location::current()) {
  static_assert(std::is_same_v<typename Tile::Element, T>, "the tile holds elements of the plane");
  constexpr int kStep = detail::kCopyElements<kCopy, T>, kCopies = Tile::kCount / kStep;
  static_assert(kStep > 0, "a copy has at least one element");
  if constexpr (kCopy == Copy::elements) {
    for (int first = thread_index(); first < kCopies; first += detail::kElementsAtOnce * kThreads)
      detail::copy_elements<kThreads, kPositionAxis>(tile, plane, at, first, where);
  } else {
    constexpr bool kMany = kCopies > 4 * kThreads;  // more addresses than are worth keeping throughout a loop
    const int thread = kMany ? computed_here(thread_index()) : thread_index();
    TESSERA_UNROLL
    for (int first = 0; first < kCopies; first += kThreads) {
      const int copy = first + thread;
      if (kCopies % kThreads != 0 && copy >= kCopies) break;
      const auto part = detail::part_copy<kStep, kPositionAxis>(tile, plane, at, copy, where);
      detail::start_copy<kCopy>(tile.elements, part, where);
    }
  }
}

}  // namespace tessera
