// SPDX-License-Identifier: Apache-2.0
// fill_tile copies a part of a plane to an operand tile, zeros where nothing exists.
#pragma once

#include "tessera/plane_window.h"
#include "tessera/shifted_copy.h"

namespace tessera {

/// How a tile is filled.
enum class Copy {
  async_16,  ///< cp.async of 16 bytes: along the lines stride 1, addresses of chunks multiples of 16 bytes
  async_8,   ///< the same of 8 and of 4 bytes; elements of 8 and of 4 bytes at any stride
  async_4,
  shifted,  ///< along the lines stride 1, any alignment: cp.async of words, or of blocks that shift_tile puts right
  elements,  ///< through registers, one by one: any strides, any alignment
};

namespace detail {

/// The elements that one copy brings, all of one line.
template <Copy kCopy, typename T>
inline constexpr int kCopyElements = (kCopy == Copy::async_16 || kCopy == Copy::shifted ? 16
                                      : kCopy == Copy::async_8                          ? 8
                                      : kCopy == Copy::async_4                          ? 4
                                                                                        : sizeof(T)) /
                                     sizeof(T);

/// One copy: from where in global memory, how many elements of it exist, to where.
template <typename T>
struct PartCopy {
  const T* from;
  int count;
  int to;
};

/// Copy number `copy` of the tile, with nothing known of the others.
template <typename Fill>
TESSERA_DEVICE auto part_copy(const Fill& fill, int copy) {
  const CopyPlace place = Fill::Order::place(copy);
  const index l = fill.at[Fill::kLineAxis] + place.line, p = fill.at[Fill::kPositionAxis] + place.position;
  const bool exists = fill.plane.has(Fill::kLineAxis, l) && fill.plane.has(Fill::kPositionAxis, p);
  const index left = fill.plane.end[Fill::kPositionAxis] - p;
  const int count = left < Fill::kStep ? static_cast<int>(left) : Fill::kStep;
  PartCopy result{fill.from(place), exists ? count : 0, fill.tile.index_of(place.line, place.position)};
#if TESSERA_TWIN
  if (!fill.may_copy(place, result.count)) result.count = 0;
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

/// All copies of this thread, which are at constant distances from its first. A tile that exists as a whole needs no
/// questions.
template <Copy kCopy, bool kWhole, typename Fill>
TESSERA_DEVICE void start_regular_copies(const Fill& fill) {
  using Order = typename Fill::Order;
  using Tile = typename Fill::Tile;
  constexpr int kThreads = Order::kCopies / Order::kEach;
  const CopyPlace first = Order::place(thread_index());
  const auto* from = fill.from(first);
  const int to = fill.tile.index_of(first.line, first.position);
  const Existing lines =
      existing(fill.plane, Fill::kLineAxis, fill.at[Fill::kLineAxis] + first.line, Tile::kLines);
  const Existing positions =
      existing(fill.plane, Fill::kPositionAxis, fill.at[Fill::kPositionAxis] + first.position, Tile::kLength);
  TESSERA_UNROLL
  for (int i = 0; i < Order::kEach; ++i) {
    const CopyPlace on = Order::place(i * kThreads),
                    place{first.line + on.line, first.position + on.position};
    PartCopy part{from + on.line * fill.plane.stride[Fill::kLineAxis] + on.position * fill.position_stride(),
                  kWhole               ? Fill::kStep
                  : lines.has(on.line) ? Fill::count(positions, on.position)
                                       : 0,
                  Order::kKeepsChunks ? to + Tile::at(on.line, on.position)
                                      : fill.tile.index_of(place.line, place.position)};
#if TESSERA_TWIN
    if (!fill.may_copy(place, part.count)) part.count = 0;
#endif
    start_copy<kCopy>(fill.tile.elements, part, fill.where);
  }
}

/// Asynchronous copies of words. The loop stays a loop: they are many.
template <int kThreads, typename T, typename Words>
TESSERA_DEVICE void copy_words(const Words& fill) {
  using Order = typename Words::Order;
  using Tile = typename Words::Tile;
  constexpr Copy kCopy = sizeof(T) == 8 ? Copy::async_8 : Copy::async_4;
  const T* base = fill.from({0, 0});
  const Existing lines = existing(fill.plane, Words::kLineAxis, fill.at[Words::kLineAxis], Tile::kLines);
  const Existing positions =
      existing(fill.plane, Words::kPositionAxis, fill.at[Words::kPositionAxis], Tile::kLength);
  TESSERA_NO_UNROLL
  for (int copy = thread_index(); copy < Order::kCopies; copy += kThreads) {
    const CopyPlace place = Order::place(copy);
    PartCopy<T> part{
        base + place.line * fill.plane.stride[Words::kLineAxis] + place.position * fill.position_stride(),
        lines.has(place.line) ? Words::count(positions, place.position) : 0,
        fill.tile.index_of(place.line, place.position)};
#if TESSERA_TWIN
    if (!fill.may_copy(place, part.count)) part.count = 0;
#endif
    start_copy<kCopy>(fill.tile.elements, part, fill.where);
  }
}

/// So many elements are under way before the first is stored.
inline constexpr int kElementsAtOnce = 8;

/// Elements first, first + kThreads, … of the tile through registers.
template <int kThreads, typename T, typename Fill>
TESSERA_DEVICE void copy_elements(const Fill& fill, int first) {
  constexpr int kCopies = Fill::Order::kCopies;
  T element[kElementsAtOnce];
  int to[kElementsAtOnce];
  TESSERA_UNROLL
  for (int i = 0; i < kElementsAtOnce; ++i) {
    const int copy = first + i * kThreads;
    if (copy >= kCopies) break;
    const PartCopy<T> part = part_copy(fill, copy);
    element[i] = T{};
    if (part.count > 0) element[i] = load_vector<true, 1>(part.from)[0];
    to[i] = part.to;
  }
  TESSERA_UNROLL
  for (int i = 0; i < kElementsAtOnce; ++i) {
    if (first + i * kThreads < kCopies) fill.tile.elements.store(to[i], element[i], fill.where);
  }
}

}  // namespace detail

/// All kThreads threads of the block fill `tile` with the part of the plane that begins at `at`. Its lines run along
/// axis number kPositionAxis, which is contiguous where a copy has several elements. Asynchronous copies are under way
/// until this thread has waited for its group (ptx::cp_async_commit_group, ptx::cp_async_wait_group), and those of all
/// threads until a barrier behind that. Where an axis begins inside of a copy, only those through registers will do.
template <Copy kCopy, int kThreads, int kPositionAxis, typename Tile, typename T>
TESSERA_DEVICE void fill_tile(const Tile& tile, const Plane<T>& plane, Index<2> at,
                              Location where = Location::current()) {
  static_assert(std::is_same_v<typename Tile::Element, T>, "the tile holds elements of the plane");
  constexpr int kStep = detail::kCopyElements<kCopy, T>;
  static_assert(kStep > 0, "a copy has at least one element");
  using Fill = detail::TileFill<kStep, kThreads, kPositionAxis, Tile, T>;
  constexpr int kCopies = Fill::Order::kCopies;
  const Fill fill{tile, plane, at, where};
  if constexpr (kCopy == Copy::elements) {
    TESSERA_NO_UNROLL
    for (int first = thread_index(); first < kCopies; first += detail::kElementsAtOnce * kThreads)
      detail::copy_elements<kThreads, T>(fill, first);
  } else if constexpr (kCopy == Copy::shifted && sizeof(T) >= 4) {
    using Words = detail::TileFill<1, kThreads, kPositionAxis, Tile, T>;
    detail::copy_words<kThreads, T>(Words{tile, plane, at, where});
  } else if constexpr (kCopy == Copy::shifted) {
    detail::start_blocks<kThreads, T>(fill);
  } else if constexpr (Fill::Order::kIsRegular) {
    fill.is_whole() ? detail::start_regular_copies<kCopy, true>(fill)
                    : detail::start_regular_copies<kCopy, false>(fill);
  } else {
    const int thread =
        computed_here(thread_index());  // addresses are not kept throughout a loop: they are many
    TESSERA_UNROLL
    for (int i = 0; i < Fill::Order::kEach; ++i) {
      const int copy = thread + i * kThreads;
      if (kCopies % kThreads != 0 && copy >= kCopies) break;
      detail::start_copy<kCopy>(tile.elements, detail::part_copy(fill, copy), where);
    }
  }
}

}  // namespace tessera
