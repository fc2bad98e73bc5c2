// SPDX-License-Identifier: Apache-2.0
// copy_into_lines: a tensor of any strides, written with the elements of one dimension behind each other.
#pragma once

#include "tessera/early_launch.h"
#include "tessera/launch.h"
#include "tessera/positions.h"
#include "tessera/shared.h"
#include "tessera/view.h"

namespace tessera::detail {

inline constexpr int kLineCopyTile = 64, kLineCopyThreads = 256, kLineCopyDimensions = 5;

/// A tile of two dimensions of a tensor in chunks along its lines: what a thread reads is under way as a whole before the
/// first of it is waited for.
template <typename T>
struct LineCopyTile {
  static constexpr int kChunk = 16 / static_cast<int>(sizeof(T)), kChunks = kLineCopyTile / kChunk;
  static constexpr int kRounds = kLineCopyTile * kChunks / kLineCopyThreads;
  static_assert(kRounds * kLineCopyThreads == kLineCopyTile * kChunks, "threads have as many chunks each");

  index first_line, first;  // of the tile

  static TESSERA_DEVICE int line(int round) { return (thread_index() + round * kLineCopyThreads) / kChunks; }
  static TESSERA_DEVICE int position() { return thread_index() % kChunks * kChunk; }
  TESSERA_DEVICE Part<kChunk, false> part(index length) const {
    return Part<kChunk, false>(first + position(), 0, length);
  }

  TESSERA_DEVICE void read(const View<const T, kLineCopyDimensions>& from, const Index<5>& at,
                           Vector<T, kChunk> (&chunks)[kRounds]) const {
    TESSERA_UNROLL
    for (int round = 0; round < kRounds; ++round) {
      const index line = first_line + this->line(round);
      const auto part = this->part(from.extent[4]);
      if (line < from.extent[3] && part.any())
        chunks[round] = from.line({at[0], at[1], at[2], line}).load(first + position(), part);
    }
  }
  TESSERA_DEVICE void write(const View<T, kLineCopyDimensions>& to, const Index<5>& at,
                            const Vector<T, kChunk> (&chunks)[kRounds]) const {
    TESSERA_UNROLL
    for (int round = 0; round < kRounds; ++round) {
      const index line = first_line + this->line(round);
      const auto part = this->part(to.extent[4]);
      if (line < to.extent[3] && part.any())
        to.line({at[0], at[1], at[2], line}).store(first + position(), chunks[round], part);
    }
  }
};

/// to = from, both with lines along their last dimension. Where `turns`, that is the last but one of the other tensor: tiles
/// are turned in shared memory.
template <typename T>
TESSERA_KERNEL(kLineCopyThreads, 1)
void copy_into_lines(TESSERA_PARAMETER View<const T, kLineCopyDimensions> from,
                     TESSERA_PARAMETER View<T, kLineCopyDimensions> to, bool turns) {
  using Tile = LineCopyTile<T>;
  constexpr int kTile = kLineCopyTile, kChunk = Tile::kChunk;
  constexpr int kPitch = kTile + (sizeof(T) < 4 ? 4 / static_cast<int>(sizeof(T)) : 1);
  TESSERA_SHARED(T, turned, kTile * kPitch);
  wait_for_launch_before();
  const Index<5> counts{to.extent[0], to.extent[1], to.extent[2], ceil_divide(to.extent[3], kTile),
                        ceil_divide(to.extent[4], kTile)};
  const index tiles = counts[0] * counts[1] * counts[2] * counts[3] * counts[4];
  for (index number = block_index(); number < tiles; number += block_count()) {
    const Index<5> at = tile_position(number, counts);
    const Tile here{at[3] * kTile, at[4] * kTile}, there = turns ? Tile{here.first, here.first_line} : here;
    Vector<T, kChunk> chunks[Tile::kRounds]{};
    there.read(from, at, chunks);
    if (turns) {
      barrier();  // everyone has read the tile before
      TESSERA_UNROLL
      for (int round = 0; round < Tile::kRounds; ++round) {
        TESSERA_UNROLL
        for (int k = 0; k < kChunk; ++k)
          turned[(Tile::position() + k) * kPitch + Tile::line(round)] = chunks[round][k];
      }
      barrier();
      TESSERA_UNROLL
      for (int round = 0; round < Tile::kRounds; ++round) {
        TESSERA_UNROLL
        for (int k = 0; k < kChunk; ++k)
          chunks[round].set(k, turned[Tile::line(round) * kPitch + Tile::position() + k]);
      }
    }
    here.write(to, at, chunks);
  }
}

}  // namespace tessera::detail
