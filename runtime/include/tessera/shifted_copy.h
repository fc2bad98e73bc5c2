// SPDX-License-Identifier: Apache-2.0
// Lines of 1- and 2-byte elements that begin anywhere: the blocks of 16 bytes that they lie in are copied as they are,
// asynchronously, and shifted into place once they have arrived.
#pragma once

#include "tessera/plane_window.h"

namespace tessera {

namespace detail {

/// The word that begins `bits` bits, less than 32, behind the beginning of `low`.
TESSERA_DEVICE std::uint32_t word_behind(std::uint32_t low, std::uint32_t high, int bits) {
#if TESSERA_TWIN
  return static_cast<std::uint32_t>((std::uint64_t{high} << 32 | low) >> bits);
#else
  return __funnelshift_r(low, high, bits);
#endif
}

/// The first `count` bytes of a word.
TESSERA_DEVICE std::uint32_t bytes_below(int count) {
  return count <= 0 ? 0 : count >= 4 ? ~0u : (1u << 8 * count) - 1;
}

/// The lines of a tile as they lie in global memory.
template <typename T, typename Fill>
struct RawLines {
  using Tile = typename Fill::Tile;
  static constexpr int kBytes = static_cast<int>(sizeof(T));

  const Fill& fill;
  const T* base = fill.from({0, 0});
  index pitch = fill.plane.stride[Fill::kLineAxis];
  Existing lines = existing(fill.plane, Fill::kLineAxis, fill.at[Fill::kLineAxis], Tile::kLines);
  Existing positions = existing(fill.plane, Fill::kPositionAxis, fill.at[Fill::kPositionAxis], Tile::kLength);

  /// By how many bytes a line begins behind a multiple of 16: of the address the last bits will do.
  TESSERA_DEVICE int shift(int line) const {
    const auto first = static_cast<unsigned>(reinterpret_cast<std::uintptr_t>(base)),
               length = static_cast<unsigned>(pitch) * kBytes;
    return static_cast<int>((first + static_cast<unsigned>(line) * length) % 16);
  }

  /// Starts the copy of the block that `position`, a multiple of kChunk, of a line lies in, if its first element began
  /// one.
  TESSERA_DEVICE void start(int line, int position, int to) const {
    const int first = position - shift(line) / kBytes;
    const int begin = first > positions.begin ? first : positions.begin,
              end = first + Tile::kChunk < positions.end ? first + Tile::kChunk : positions.end;
    const bool exists = lines.has(line) && begin < end;
#if TESSERA_TWIN
    Vector<T, Tile::kChunk> elements;
    std::memset(&elements, exists ? 0x7f : 0, sizeof elements);
    if (exists && fill.may_copy({line, begin}, end - begin, kBytes))
      std::memcpy(reinterpret_cast<char*>(&elements) + (begin - first) * kBytes, base + line * pitch + begin,
                  static_cast<std::size_t>((end - begin) * kBytes));
    fill.tile.elements.copy_async(to, elements, fill.where);
#else
    const T* block = base + line * pitch + first;
    if (exists && block + Tile::kChunk > fill.plane.stop) return copy_last(block, to);
    ptx::cp_async_16(fill.tile.elements, to, block, exists ? 16 : 0, fill.where);
#endif
  }

#if !TESSERA_TWIN
  /// The block that the tensor ends in, whose end nobody needs to own.
  TESSERA_DEVICE void copy_last(const T* block, int to) const {
    TESSERA_NO_UNROLL
    for (int i = 0; i < Tile::kChunk; ++i)
      fill.tile.elements.store(to + i, block + i < fill.plane.stop ? load_vector<true, 1>(block + i)[0] : T{},
                               fill.where);
  }
#endif

  /// Whether all blocks of a tile that exists as a whole lie in the tensor.
  TESSERA_DEVICE bool has_whole_blocks() const {
    constexpr int kFarthest = Tile::kLength + Tile::kChunk;
    return base + (Tile::kLines - 1) * pitch + kFarthest <= fill.plane.stop;
  }
};

/// All blocks of a tile that exists as a whole: a thread's lines are at constant distances.
template <int kThreads, typename T, typename Fill>
TESSERA_DEVICE void start_whole_blocks(const RawLines<T, Fill>& raw) {
  using Order = typename Fill::Order;
  const CopyPlace first = Order::place(computed_here(thread_index()));
  const int to = raw.fill.tile.index_of(first.line, first.position);
  const T* line = raw.base + first.line * raw.pitch;
  TESSERA_UNROLL
  for (int i = 0; i < Order::kEach; ++i) {
    const CopyPlace on = Order::place(i * kThreads);
    const int place = Order::kKeepsChunks
                          ? to + Fill::Tile::at(on.line, on.position)
                          : raw.fill.tile.index_of(first.line + on.line, first.position + on.position);
    const auto address = reinterpret_cast<std::uintptr_t>(line + on.line * raw.pitch) / 16 * 16;
    ptx::cp_async_16(raw.fill.tile.elements, place,
                     reinterpret_cast<const T*>(address) + first.position + on.position, 16, raw.fill.where);
  }
}

/// All blocks of this thread.
template <int kThreads, typename T, typename Fill>
TESSERA_DEVICE void start_blocks(const Fill& fill) {
  using Order = typename Fill::Order;
  using Tile = typename Fill::Tile;
  const RawLines<T, Fill> raw{fill};
  if (Order::kIsRegular && !TESSERA_TWIN && fill.is_whole() && raw.has_whole_blocks()) {
    start_whole_blocks<kThreads>(raw);
  } else {
    TESSERA_NO_UNROLL
    for (int copy = thread_index(); copy < Order::kCopies; copy += kThreads) {
      const CopyPlace place = Order::place(copy);
      raw.start(place.line, place.position, fill.tile.index_of(place.line, place.position));
    }
  }
  TESSERA_NO_UNROLL
  for (int line = thread_index(); line < Tile::kLines; line += kThreads)
    if (raw.shift(line) > 0) raw.start(line, Tile::kLength, fill.tile.end_of(line));
}

/// 16 bytes, `shift` bytes behind the beginning of `low`; of them those from `begin` to `end`, and zeros.
template <typename T, int kCount>
TESSERA_DEVICE Vector<T, kCount> shifted(const Vector<T, kCount>& low, const Vector<T, kCount>& high,
                                         int shift, int begin, int end) {
  std::uint32_t words[8];
  std::memcpy(words, &low, sizeof low);
  std::memcpy(words + 4, &high, sizeof high);
  TESSERA_UNROLL
  for (int i = 0; i < 6; ++i) words[i] = (shift & 8) != 0 ? words[i + 2] : words[i];
  TESSERA_UNROLL
  for (int i = 0; i < 5; ++i) words[i] = (shift & 4) != 0 ? words[i + 1] : words[i];
  TESSERA_UNROLL
  for (int i = 0; i < 4; ++i) words[i] = word_behind(words[i], words[i + 1], shift % 4 * 8);
  if (begin > 0 || end < 16) {
    TESSERA_UNROLL
    for (int i = 0; i < 4; ++i) words[i] &= bytes_below(end - 4 * i) & ~bytes_below(begin - 4 * i);
  }
  Vector<T, kCount> result;
  std::memcpy(&result, words, sizeof result);
  return result;
}

/// The lines of a tile, each by the threads of one warp, some lines at once and panel by panel: what is read of the next
/// panel is raw still.
template <bool kWhole, int kThreads, typename T, typename Fill>
TESSERA_DEVICE void shift_lines(const RawLines<T, Fill>& raw) {
  using Tile = typename Fill::Tile;
  using Chunk = Vector<T, Tile::kChunk>;
  constexpr int kAcross = Tile::kSpan / Tile::kChunk, kAtOnce = kThreads / kAcross;
  constexpr bool kFits = Tile::kLines % kAtOnce == 0;  // all threads have lines in all rounds
  constexpr int kRounds = (Tile::kLines + kAtOnce - 1) / kAtOnce;
  constexpr int kTogether = kAtOnce % 8 != 0 ? 1 : kRounds % 4 == 0 ? 4 : kRounds % 2 == 0 ? 2 : 1;
  const int thread = computed_here(thread_index());
  const Tile& tile = raw.fill.tile;
  TESSERA_NO_UNROLL
  for (int first = thread / kAcross; first < kRounds * kAtOnce; first += kTogether * kAtOnce) {
    TESSERA_NO_UNROLL
    for (int panel = 0; panel < Tile::kLength; panel += Tile::kSpan) {
      const int position = panel + thread % kAcross * Tile::kChunk, next = position + Tile::kChunk;
      const auto bytes = [&](int at) { return kWhole ? at : (at - position) * static_cast<int>(sizeof(T)); };
      const int begin = kWhole ? 0 : bytes(raw.positions.begin), end = kWhole ? 16 : bytes(raw.positions.end);
      // Lines a multiple of 8 apart are laid out alike, so that their chunks are at constant distances.
      const int to = tile.index_of(first, position);
      const bool is_last = next >= Tile::kLength;
      const int behind = is_last ? tile.end_of(first) : tile.index_of(first, next),
                step = kAtOnce * (is_last ? Tile::kChunk : Tile::kSpan);
      Chunk chunk[kTogether];
      TESSERA_UNROLL
      for (int i = 0; i < kTogether; ++i) {
        const int line = first + i * kAtOnce;
        if (!kFits && line >= Tile::kLines) continue;
        const int shift = raw.shift(line);
        const auto low =
            tile.elements.template load<Tile::kChunk>(to + i * kAtOnce * Tile::kSpan, raw.fill.where);
        Chunk high = {};
        if (!TESSERA_TWIN || shift > 0)  // the twin knows that nothing is there
          high = tile.elements.template load<Tile::kChunk>(behind + i * step, raw.fill.where);
        chunk[i] = shifted(low, high, shift, begin, end);
      }
      warp_barrier(0xffffffffu, raw.fill.where);
      TESSERA_UNROLL
      for (int i = 0; i < kTogether; ++i) {
        if (kFits || first + i * kAtOnce < Tile::kLines)
          tile.elements.store(to + i * kAtOnce * Tile::kSpan, chunk[i], raw.fill.where);
      }
    }
  }
}

}  // namespace detail

/// Shifts the lines of a tile into place that fill_tile<Copy::shifted> was given the same part of the plane for. Its copies
/// have arrived for all threads of the block, all of which are here; a barrier comes before anybody reads the tile.
/// Tiles without ends need nothing.
template <int kThreads, int kPositionAxis, typename Tile, typename T>
TESSERA_DEVICE void shift_tile(const Tile& tile, const Plane<T>& plane, Index<2> at,
                               Location where = Location::current()) {
  if constexpr (Tile::kHasEnds) {
    using Fill = detail::TileFill<Tile::kChunk, kThreads, kPositionAxis, Tile, T>;
    const Fill fill{tile, plane, at, where};
    const detail::RawLines<T, Fill> raw{fill};
    const bool is_whole = raw.positions.begin == 0 && raw.positions.end == Tile::kLength;
    is_whole ? detail::shift_lines<true, kThreads>(raw) : detail::shift_lines<false, kThreads>(raw);
  }
}

}  // namespace tessera
