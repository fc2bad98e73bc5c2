// SPDX-License-Identifier: Apache-2.0
// MatrixDescriptor: where an operand of a warpgroup product stands in shared memory, and how it goes on.
#pragma once

#include "tessera/operand_tile.h"

#if TESSERA_TWIN
#include "tessera/twin/matrix_descriptor.h"
#endif

namespace tessera {

namespace detail {

/// What a product reads from an element of a tile on, in bytes: how far it is from eight lines to the next eight, and, of
/// lines along the rows (columns), from a panel to the next. The swizzle is the tile's, whose chunks change places as the
/// bits of their addresses say.
template <Major kMajor, typename Tile>
struct MatrixStep {
  static constexpr int kEightLines = 8 * Tile::kSpanBytes;
  static constexpr int kPanel =
      kMajor == Major::mn ? Tile::kLines * Tile::kSpanBytes : 16;  // along K nobody asks

  /// From the first element of the tile to that in row (column) mn, at k, before chunks change places.
  static TESSERA_HD constexpr int offset(int mn, int k) {
    const int line = kMajor == Major::k ? mn : k, position = kMajor == Major::k ? k : mn;
    return (position / Tile::kSpan * Tile::kLines + line) * Tile::kSpanBytes +
           position % Tile::kSpan * static_cast<int>(sizeof(typename Tile::Element));
  }
};

}  // namespace detail

#if TESSERA_TWIN
using MatrixDescriptor = twin::MatrixDescriptor;

template <Major kMajor, typename Tile>
MatrixDescriptor matrix_descriptor(const Tile& tile, Location where = Location::current()) {
  using Step = detail::MatrixStep<kMajor, Tile>;
  const twin::SharedArray& array = tile.elements.array();
  const int address = array.first_byte + tile.first * array.element_bytes;
  if (address % Tile::kAlignment != 0)
    twin::report(twin::FaultKind::misaligned, where,
                 std::string(array.name) + " begins at byte " + std::to_string(address) +
                     ", which is no multiple of " + std::to_string(Tile::kAlignment));
  return {array, address, Step::kPanel, Step::kEightLines, Tile::kSpanBytes};
}
#else
/// 64 bits as `wgmma` takes them (PTX ISA, "matrix descriptor"): address, steps and swizzle, in units of 16 bytes.
struct MatrixDescriptor {
  std::uint64_t bits;

  /// The same matrix so many bytes on, a multiple of 16. The address has the lowest 14 bits, so nothing passes on to the
  /// upper half.
  TESSERA_DEVICE MatrixDescriptor moved(int bytes) const {
    const auto low = static_cast<std::uint32_t>(bits) + static_cast<std::uint32_t>(bytes >> 4);
    return {bits >> 32 << 32 | low};
  }
};

/// The matrix that begins in row (column) 0, at k = 0 of a tile, whose first byte is a multiple of Tile::kAlignment. What
/// depends on what lines run along is added last, so that one number serves both, and the steps behind it become one.
template <Major kMajor, typename Tile>
TESSERA_DEVICE MatrixDescriptor matrix_descriptor(const Tile& tile, Location = Location::current()) {
  using Step = detail::MatrixStep<kMajor, Tile>;
  constexpr std::uint64_t kSwizzle = Tile::kSpanBytes == 128 ? 1 : Tile::kSpanBytes == 64 ? 2 : 3;
  // Bits above the 18 of a block's own memory say which block of a cluster it is: not for the descriptor.
  const std::uint32_t address = ptx::shared_address(tile.elements.data) & 0x3ffffu;
  const auto first =
      static_cast<std::uint32_t>(tile.first * static_cast<int>(sizeof(typename Tile::Element)));
  const std::uint32_t low = (address >> 4) + (first >> 4) + (std::uint32_t{Step::kPanel >> 4} << 16);
  return {std::uint64_t{Step::kEightLines >> 4} << 32 | kSwizzle << 62 | low};
}
#endif

}  // namespace tessera
