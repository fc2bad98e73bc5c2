// SPDX-License-Identifier: Apache-2.0
// Operands in shared memory: each element has its place, and how often the accesses of products meet a bank twice.
#include <algorithm>
#include <array>
#include <cstdint>
#include <cstdio>
#include <functional>
#include <set>
#include <vector>

#include "catch.h"
#include "tessera/mma.h"

namespace operand_tiles {

using namespace tessera;

namespace {

/// What the tests ask of a tile.
struct Tile {
  int lines, length, bytes, span_bytes;
  int (*at)(int line, int position);

  /// The byte of an element.
  int byte(int line, int position) const { return at(line, position) * bytes; }
};

template <typename T, int kLines, int kLength>
Tile tile_of() {
  using Operand = OperandTile<T, kLines, kLength>;
  return {kLines, kLength, sizeof(T), Operand::kSpanBytes, &Operand::at};
}

/// 32, 64, 96, 128, 160, 192, 256 and 512 bytes a line.
template <typename T>
std::vector<Tile> tiles_of() {
  constexpr int kUnit = 32 / static_cast<int>(sizeof(T));
  return {tile_of<T, 32, kUnit>(),     tile_of<T, 32, 2 * kUnit>(), tile_of<T, 48, 3 * kUnit>(),
          tile_of<T, 64, 4 * kUnit>(), tile_of<T, 40, 5 * kUnit>(), tile_of<T, 80, 6 * kUnit>(),
          tile_of<T, 64, 8 * kUnit>(), tile_of<T, 32, 16 * kUnit>()};
}

/// How many times the memory answers a warp's access of `bytes` bytes at each lane's address: lanes go in groups of at
/// most 128 bytes, and each group takes as many turns as words of one bank differ in it.
int turns(const std::array<int, 32>& address, int bytes) {
  const int group = std::min(32, 128 / bytes);
  int result = 0;
  for (int first = 0; first < 32; first += group) {
    std::array<std::set<int>, 32> words;
    for (int lane = first; lane < first + group; ++lane) {
      for (int byte = 0; byte < bytes; byte += 4) {
        const int word = (address[static_cast<std::size_t>(lane)] + byte) / 4;
        words[static_cast<std::size_t>(word % 32)].insert(word);
      }
    }
    int most = 0;
    for (const std::set<int>& bank : words) most = std::max(most, static_cast<int>(bank.size()));
    result += most;
  }
  return result;
}

using Place = std::function<std::pair<int, int>(int lane)>;  // {line, position}

/// The turns of an access, more than the fewest that its bytes could need counted, at its worst place in the tile.
int worst(const Tile& tile, int line_step, int position_step, int lines, int positions, int bytes,
          const Place& place) {
  int result = 0;
  for (int line = 0; line + lines <= tile.lines; line += line_step) {
    for (int position = 0; position + positions <= tile.length; position += position_step) {
      std::array<int, 32> address;
      for (int lane = 0; lane < 32; ++lane) {
        const auto [l, p] = place(lane);
        address[static_cast<std::size_t>(lane)] = tile.byte(line + l, position + p);
      }
      result = std::max(result, turns(address, bytes));
    }
  }
  return result;
}

void expect(const char* access, const Tile& tile, int found, int expected) {
  std::printf("%-40s %d-byte elements, spans of %3d: %d turns\n", access, tile.bytes, tile.span_bytes, found);
  CHECK(found == expected);
}

}  // namespace

TEST_CASE(
    "each element of a tile has its own place, chunks stay together, and the formula is the hardware's") {
  for (const std::vector<Tile>& tiles :
       {tiles_of<std::int8_t>(), tiles_of<bf16>(), tiles_of<float>(), tiles_of<double>()}) {
    for (const Tile& tile : tiles) {
      const int span = tile.span_bytes / tile.bytes, chunk = 16 / tile.bytes;
      std::vector<bool> taken(static_cast<std::size_t>(tile.lines * tile.length));
      bool good = true;
      for (int line = 0; line < tile.lines; ++line) {
        for (int position = 0; position < tile.length; ++position) {
          const auto place = static_cast<std::size_t>(tile.at(line, position));
          REQUIRE(place < taken.size());
          good = good && !taken[place];
          taken[place] = true;
          good =
              good && tile.at(line, position) == tile.at(line, position / chunk * chunk) + position % chunk;
          const int plain = ((position / span * tile.lines + line) * span + position % span) * tile.bytes;
          good =
              good && tile.byte(line, position) == (plain ^ (plain >> 7 & (tile.span_bytes / 16 - 1)) << 4);
        }
      }
      INFO(tile.lines << " x " << tile.length << ", " << tile.bytes << " bytes");
      CHECK(good);
    }
  }
}

TEST_CASE("the spans are the largest that divide a line") {
  CHECK(OperandTile<bf16, 8, 16>::kSpanBytes == 32);
  CHECK(OperandTile<bf16, 8, 32>::kSpanBytes == 64);
  CHECK(OperandTile<bf16, 8, 48>::kSpanBytes == 32);
  CHECK(OperandTile<bf16, 8, 64>::kSpanBytes == 128);
  CHECK(OperandTile<bf16, 8, 96>::kSpanBytes == 64);
  CHECK(OperandTile<float, 8, 176>::kSpanBytes == 64);
  CHECK(OperandTile<double, 8, 16>::kSpanBytes == 128);
}

TEST_CASE("16-byte stores and ldmatrix meet no bank twice") {
  for (const std::vector<Tile>& tiles :
       {tiles_of<std::int8_t>(), tiles_of<bf16>(), tiles_of<float>(), tiles_of<double>()}) {
    for (const Tile& tile : tiles) {
      const int chunk = 16 / tile.bytes, chunks = tile.span_bytes / 16;
      // Consecutive threads, chunk after chunk of a panel.
      expect("16-byte stores", tile,
             worst(tile, 32 / chunks, tile.span_bytes / tile.bytes, std::min(32 / chunks, tile.lines), chunk,
                   16, [&](int lane) { return std::pair(lane / chunks, lane % chunks * chunk); }),
             4);
      // Rows of matrices side by side (A along K, B across it), and one below the other.
      expect("ldmatrix, lane / 16 along the line", tile,
             worst(tile, 8, chunk, 16, 2 * chunk, 16,
                   [&](int lane) { return std::pair(lane % 16, lane / 16 * chunk); }),
             4);
      expect("ldmatrix, lane / 8 % 2 along the line", tile,
             worst(tile, 8, chunk, 16, 2 * chunk, 16,
                   [&](int lane) { return std::pair(lane % 8 + lane / 16 * 8, lane / 8 % 2 * chunk); }),
             4);
    }
  }
}

TEST_CASE("parts of operands that ldmatrix does not load") {
  const auto turns_of = [](const Tile& tile, int bytes, int lines, int positions, const Place& place) {
    return worst(tile, 8, std::max(8 / tile.bytes, positions), lines, positions, bytes, place);
  };
  for (const Tile& tile : tiles_of<float>()) {
    // f32 along K: rows g (columns 2t), two of K.
    expect("f32 A along K", tile, turns_of(tile, 8, 8, 2, [](int lane) { return std::pair(lane / 4, 0); }),
           2);
    expect("f32 B along K", tile,
           turns_of(tile, 8, 8, 2, [](int lane) { return std::pair(lane % 4 * 2, 0); }), 2);
    // f32 across K: rows g at one k; columns 2t and 2t + 1.
    expect("f32 A across K", tile, turns_of(tile, 4, 8, 8, [](int lane) { return std::pair(0, lane / 4); }),
           1);
    expect("f32 B across K", tile,
           turns_of(tile, 8, 8, 8, [](int lane) { return std::pair(0, lane % 4 * 2); }), 2);
    // tf32 across K: row g at k = t. Two neighbouring chunks of four lines.
    expect("tf32 across K", tile,
           turns_of(tile, 4, 8, 8, [](int lane) { return std::pair(lane % 4, lane / 4); }),
           tile.span_bytes == 128  ? 2
           : tile.span_bytes == 64 ? 2
                                   : 1);
  }
  for (const Tile& tile : tiles_of<double>()) {
    // f64: row g at the thread's numbers of K. Tiles hold multiples of 16 of K and of 8 rows: no spans of 32 bytes.
    if (tile.span_bytes == 32) continue;
    for (int i = 0; i < 4; ++i) {
      const auto depth = [&](int lane) { return Mma<double>::depth(i / 2 * 8, lane % 4, i % 2); };
      if (tile.length % 16 == 0)
        expect("f64 along K", tile,
               turns_of(tile, 8, 8, 16, [&](int lane) { return std::pair(lane / 4, depth(lane)); }), 2);
      expect("f64 across K", tile,
             worst(tile, 16, 8, 16, 8, 8, [&](int lane) { return std::pair(depth(lane), lane / 4); }), 2);
    }
  }
  for (const Tile& tile : tiles_of<std::int8_t>()) {
    // 8 bits across K: four elements at k = 4t on, one after the other.
    expect("8 bits across K", tile,
           turns_of(tile, 1, 32, 8, [](int lane) { return std::pair(lane % 4 * 4, lane / 4); }), 2);
  }
}

}  // namespace operand_tiles
