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
inline constexpr int kLineCopyBlocks = 4;  // of a multiprocessor, so that enough of the tensor is under way

/// A tile of two dimensions of a tensor in chunks along its lines: what a thread reads is under way as a whole before the
/// first of it is waited for.
template <typename T>
struct LineCopyTile {
  static constexpr int kChunk = 16 / static_cast<int>(sizeof(T)), kChunks = kLineCopyTile / kChunk;
  static constexpr int kRounds = kLineCopyTile * kChunks / kLineCopyThreads;
  static_assert(kRounds * kLineCopyThreads == kLineCopyTile * kChunks, "threads have as many chunks each");
  /// A turned tile in shared memory, whose lines begin in banks of their own.
  static constexpr int kPitch = kLineCopyTile + (sizeof(T) < 4 ? 4 / static_cast<int>(sizeof(T)) : 1);
  static constexpr int kTurnedRoom = kLineCopyTile * kPitch;

  index first_line, first;  // of the tile

  static TESSERA_DEVICE int line(int round) { return (thread_index() + round * kLineCopyThreads) / kChunks; }
  static TESSERA_DEVICE int position() { return thread_index() % kChunks * kChunk; }
  TESSERA_DEVICE Part<kChunk, false> part(index length) const {
    return Part<kChunk, false>(first + position(), 0, length);
  }

  /// Calls `visit(round, line, first, part)` for the chunks of this thread that exist in a tensor with such extents: at `first`
  /// of a line, a part of it there.
  template <typename Visit>
  TESSERA_DEVICE void for_chunks(const index (&extent)[kLineCopyDimensions], const Index<5>& at,
                                 Visit visit) const {
    TESSERA_UNROLL
    for (int round = 0; round < kRounds; ++round) {
      const index line = first_line + this->line(round);
      const auto part = this->part(extent[4]);
      if (line < extent[3] && part.any())
        visit(round, Index<4>{at[0], at[1], at[2], line}, first + position(), part);
    }
  }
  TESSERA_DEVICE void read(const View<const T, kLineCopyDimensions>& from, const Index<5>& at,
                           Vector<T, kChunk> (&chunks)[kRounds]) const {
    for_chunks(from.extent, at, [&](int round, const Index<4>& line, index i, const auto& part) {
      chunks[round] = from.line(line).load(i, part);
    });
  }
};

/// Stores a chunk in a line of a copy, where chunks begin at multiples of their size.
template <typename Line, typename T, int kChunk>
TESSERA_DEVICE void store_chunk(const Line& line, index first, const Vector<T, kChunk>& chunk,
                                const Part<kChunk, false>& part) {
  if (part.is_whole()) return line.store(first, chunk);
  TESSERA_UNROLL
  for (int k = 0; k < kChunk; ++k)
    if (part.has(k)) line.store(first + k, chunk[k]);
}

/// Rows and columns of a tile change places in shared memory. By all threads of the block.
template <typename T>
TESSERA_DEVICE void turn(Vector<T, LineCopyTile<T>::kChunk> (&chunks)[LineCopyTile<T>::kRounds],
                         const Shared<T>& turned) {
  using Tile = LineCopyTile<T>;
  barrier();  // everyone has read the tile before
  TESSERA_UNROLL
  for (int round = 0; round < Tile::kRounds; ++round) {
    TESSERA_UNROLL
    for (int k = 0; k < Tile::kChunk; ++k)
      turned[(Tile::position() + k) * Tile::kPitch + Tile::line(round)] = chunks[round][k];
  }
  barrier();
  TESSERA_UNROLL
  for (int round = 0; round < Tile::kRounds; ++round) {
    TESSERA_UNROLL
    for (int k = 0; k < Tile::kChunk; ++k)
      chunks[round].set(k, turned[Tile::line(round) * Tile::kPitch + Tile::position() + k]);
  }
}

/// Calls `write(tile, at, chunks)` for this block's tiles of a copy of `from` with such extents, whose lines run along its last
/// dimension. Where `turns`, those of `from` run along the last but one of the copy: tiles are turned in shared memory.
template <typename T, typename Write>
TESSERA_DEVICE void copy_tiles(const View<const T, kLineCopyDimensions>& from,
                               const index (&extent)[kLineCopyDimensions], bool turns,
                               const Shared<T>& turned, Write write) {
  using Tile = LineCopyTile<T>;
  constexpr int kTile = kLineCopyTile;
  const Index<5> counts{extent[0], extent[1], extent[2], ceil_divide(extent[3], kTile),
                        ceil_divide(extent[4], kTile)};
  const index tiles = counts[0] * counts[1] * counts[2] * counts[3] * counts[4];
  for (index number = block_index(); number < tiles; number += block_count()) {
    const Index<5> at = tile_position(number, counts);
    const Tile here{at[3] * kTile, at[4] * kTile}, there = turns ? Tile{here.first, here.first_line} : here;
    Vector<T, Tile::kChunk> chunks[Tile::kRounds]{};
    there.read(from, at, chunks);
    if (turns) turn(chunks, turned);
    write(here, at, chunks);
  }
}

/// to = from, both with lines along their last dimension, but where `turns`.
template <typename T>
TESSERA_KERNEL(kLineCopyThreads, kLineCopyBlocks)
void copy_into_lines(TESSERA_PARAMETER View<const T, kLineCopyDimensions> from,
                     TESSERA_PARAMETER View<T, kLineCopyDimensions> to, bool turns) {
  TESSERA_SHARED(T, turned, LineCopyTile<T>::kTurnedRoom);
  wait_for_launch_before();
  using Tile = LineCopyTile<T>;
  copy_tiles<T>(
      from, to.extent, turns, turned, [&](const Tile& tile, const Index<5>& at, const auto& chunks) {
        tile.for_chunks(to.extent, at, [&](int round, const Index<4>& line, index i, const auto& part) {
          store_chunk(to.line(line), i, chunks[round], part);
        });
      });
}

}  // namespace tessera::detail
