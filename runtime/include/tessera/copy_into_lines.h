// SPDX-License-Identifier: Apache-2.0
// copy_into_lines: a tensor of any strides, written with the elements of one dimension behind each other.
#pragma once

#include "tessera/early_launch.h"
#include "tessera/launch.h"
#include "tessera/positions.h"
#include "tessera/shared.h"
#include "tessera/view.h"

namespace tessera::detail {

inline constexpr int kLineCopyThreads = 256, kLineCopyDimensions = 5;
inline constexpr int kLineCopyBlocks = 4;  // of a multiprocessor, so that enough of the tensor is under way

/// Lines and elements of each of a tile that a block copies, of elements of so many bytes.
TESSERA_HD constexpr int line_copy_tile(int element_bytes) {
  return element_bytes == 1 ? 128 : element_bytes == 8 ? 32 : 64;
}

/// A tile of two dimensions of a tensor in chunks along its lines: what a thread reads is under way as a whole before the
/// first of it is waited for. Its chunks are those of neighbouring lines as far as these share words of a turned tile.
template <typename T>
struct LineCopyTile {
  static constexpr int kLines = line_copy_tile(sizeof(T));
  static constexpr int kChunk = 16 / static_cast<int>(sizeof(T)), kChunks = kLines / kChunk;
  static constexpr int kRounds = kLines * kChunks / kLineCopyThreads;
  static constexpr int kOfWord = sizeof(T) < 4 ? 4 / static_cast<int>(sizeof(T)) : 1;
  static_assert(kRounds * kLineCopyThreads == kLines * kChunks && kRounds % kOfWord == 0,
                "threads have as many chunks each, of whole words of a turned tile");
  static constexpr int kTurnedRoom = kLines * kLines;

  index first_line, first;  // of the tile

  static TESSERA_DEVICE int line(int round) {
    constexpr int kThreadsOfLine = kChunks, kLinesAtOnce = kLineCopyThreads / kThreadsOfLine;
    return (thread_index() / kThreadsOfLine + round / kOfWord * kLinesAtOnce) * kOfWord + round % kOfWord;
  }
  static TESSERA_DEVICE int position() { return thread_index() % kChunks * kChunk; }
  /// Where an element of a turned tile stands: chunks of a line change places with the number of the chunk that the line was
  /// in, so that reading chunks meets no bank twice, nor does writing words of elements that share one.
  static TESSERA_DEVICE int turned_place(int line, int position) {
    return line * kLines + (position ^ line / kChunk % 8 * kChunk);
  }
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
  for (int round = 0; round < Tile::kRounds; round += Tile::kOfWord) {
    const int place = Tile::turned_place(Tile::position(), Tile::line(round));
    TESSERA_UNROLL
    for (int k = 0; k < Tile::kChunk; ++k) {
      Vector<T, Tile::kOfWord> word;
      TESSERA_UNROLL
      for (int i = 0; i < Tile::kOfWord; ++i) word.set(i, chunks[round + i][k]);
      turned.template store<Tile::kOfWord>(place + k * Tile::kLines, word);
    }
  }
  barrier();
  TESSERA_UNROLL
  for (int round = 0; round < Tile::kRounds; ++round)
    chunks[round] =
        turned.template load<Tile::kChunk>(Tile::turned_place(Tile::line(round), Tile::position()));
}

/// Calls `write(tile, at, chunks)` for this block's tiles of a copy of `from` with such extents, whose lines run along its last
/// dimension. Where `turns`, those of `from` run along the last but one of the copy: tiles are turned in shared memory.
template <typename T, typename Write>
TESSERA_DEVICE void copy_tiles(const View<const T, kLineCopyDimensions>& from,
                               const index (&extent)[kLineCopyDimensions], bool turns,
                               const Shared<T>& turned, Write write) {
  using Tile = LineCopyTile<T>;
  constexpr int kTile = Tile::kLines;
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
