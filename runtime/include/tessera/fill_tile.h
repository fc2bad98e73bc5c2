// SPDX-License-Identifier: Apache-2.0
// fill_tile copies a part of a plane to an operand tile, zeros where nothing exists.
#pragma once

#include "tessera/copy_order.h"
#include "tessera/plane.h"
#include "tessera/ptx_copy.h"
#include "tessera/shifted_copy.h"

namespace tessera {

/// How a tile is filled.
enum class Copy {
  async_16,  ///< cp.async of 16 bytes: along the lines stride 1, addresses of chunks multiples of 16 bytes
  async_8,   ///< the same of 8 and of 4 bytes; elements of 8 and of 4 bytes at any stride
  async_4,
  shifted,  ///< along the lines stride 1, any alignment: cp.async of words, or 16 bytes at a time through registers
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

/// So many chunks are under way before the first is stored.
inline constexpr int kChunksAtOnce = 2;

/// The chunk at `place`, with nothing known of the others.
template <typename T, typename Fill>
TESSERA_DEVICE ChunkSource<T> chunk_source(const Fill& fill, CopyPlace place) {
  const index l = fill.at[Fill::kLineAxis] + place.line, p = fill.at[Fill::kPositionAxis] + place.position;
  const Existing positions = existing(fill.plane, Fill::kPositionAxis, p, Fill::kStep);
  ChunkSource<T> result{fill.from(place), positions.begin,
                        fill.plane.has(Fill::kLineAxis, l) ? positions.end : 0, fill.plane.stop};
#if TESSERA_TWIN
  const CopyPlace first{place.line, place.position + result.begin};
  const int count = result.end - result.begin;
  if (count > 0 && !fill.may_copy(first, count, sizeof(T))) result.end = result.begin;
#endif
  return result;
}

/// Copies first, first + kThreads, … of a tile that exists as a whole, kCount of them: they are at constant distances.
template <int kCount, typename T, typename Fill>
TESSERA_DEVICE void copy_regular_chunks(const Fill& fill, CopyPlace first) {
  using Order = typename Fill::Order;
  constexpr int kThreads = Order::kCopies / Order::kEach;
  const T* from = fill.from(first);
  const int to = fill.tile.index_of(first.line, first.position);
  ShiftedChunk<T> chunk[kCount];
  TESSERA_UNROLL
  for (int i = 0; i < kCount; ++i) {
    const CopyPlace on = Order::place(i * kThreads);
    ChunkSource<T> source{from + on.line * fill.plane.stride[Fill::kLineAxis] + on.position, 0, Fill::kStep,
                          fill.plane.stop};
#if TESSERA_TWIN
    if (!fill.may_copy({first.line + on.line, first.position + on.position}, Fill::kStep, sizeof(T)))
      source.end = 0;
#endif
    chunk[i].start(source);
  }
  TESSERA_UNROLL
  for (int i = 0; i < kCount; ++i) {
    const CopyPlace on = Order::place(i * kThreads);
    fill.tile.elements.store(Order::kKeepsChunks
                                 ? to + Fill::Tile::at(on.line, on.position)
                                 : fill.tile.index_of(first.line + on.line, first.position + on.position),
                             chunk[i].value(), fill.where);
  }
}

/// Chunks first, first + kThreads, … of any tile.
template <int kThreads, typename T, typename Fill>
TESSERA_DEVICE void copy_chunks(const Fill& fill, int first) {
  constexpr int kCopies = Fill::Order::kCopies;
  ShiftedChunk<T> chunk[kChunksAtOnce];
  TESSERA_UNROLL
  for (int j = 0; j < kChunksAtOnce; ++j) {
    if (const int copy = first + j * kThreads; copy < kCopies)
      chunk[j].start(chunk_source<T>(fill, Fill::Order::place(copy)));
  }
  TESSERA_UNROLL
  for (int j = 0; j < kChunksAtOnce; ++j) {
    const int copy = first + j * kThreads;
    if (copy >= kCopies) break;
    const CopyPlace place = Fill::Order::place(copy);
    fill.tile.elements.store(fill.tile.index_of(place.line, place.position), chunk[j].value(), fill.where);
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

/// All chunks of this thread, by words where lines begin at words. The loops stay loops, and what follows from the thread is computed here: more loads at once,
/// or addresses kept throughout a loop around, would want more registers than there are.
template <int kThreads, typename T, typename Fill>
TESSERA_DEVICE void copy_shifted(const Fill& fill) {
  using Order = typename Fill::Order;
  if constexpr (sizeof(T) >= 4) {
    using Words = TileFill<1, kThreads, Fill::kPositionAxis, typename Fill::Tile, T>;
    return copy_words<kThreads, T>(Words{fill.tile, fill.plane, fill.at, fill.where});
  }
  const int thread = computed_here(thread_index());
  if constexpr (Order::kIsRegular) {
    constexpr int kCount = Order::regular_group(kChunksAtOnce);
    if (fill.is_whole()) {
      TESSERA_NO_UNROLL
      for (int first = thread; first < Order::kCopies; first += kCount * kThreads)
        copy_regular_chunks<kCount, T>(fill, Order::place(first));
      return;
    }
  }
  TESSERA_NO_UNROLL
  for (int first = thread; first < Order::kCopies; first += kChunksAtOnce * kThreads)
    copy_chunks<kThreads, T>(fill, first);
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
    for (int first = thread_index(); first < kCopies; first += detail::kElementsAtOnce * kThreads)
      detail::copy_elements<kThreads, T>(fill, first);
  } else if constexpr (kCopy == Copy::shifted) {
    detail::copy_shifted<kThreads, T>(fill);
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
