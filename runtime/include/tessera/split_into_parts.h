// SPDX-License-Identifier: Apache-2.0
// split_into_parts: floats as sums of three numbers of bf16 each, whose products Tensor Cores multiply exactly.
#pragma once

#include "tessera/convert.h"
#include "tessera/copy_into_lines.h"

namespace tessera {

/// The parts of a float, in the order in which products are done with them.
enum SplitPart { kLowPart, kMiddlePart, kHighPart, kSplitParts };

struct SplitFloat {
  bf16 part[kSplitParts];
};

/// Numbers of bf16 whose sum is x. The high part has the first 8 bits of x, cut off, so that no product of high parts is
/// larger than that of what they are of; it is 0 only if x is. The middle part is the number nearest to the rest, the low
/// part the number nearest to what that leaves: exact, but for bits below 2^-133, the least number of bf16. Of large x the
/// middle part is cut off too: all parts have one sign then, so that a product beyond the largest float is infinite,
/// whichever parts pass it first.
///
/// Infinity and NaN stand in the low part alone, which is multiplied with nothing but high parts: where other parts are 0
/// they would make a NaN of infinity. Beside them the high part is 1 with their sign, which keeps that of what they meet.
TESSERA_HD SplitFloat split(float x) {
  constexpr std::uint32_t kHighBits = 0xffff0000u, kInfinityBits = 0x7f800000u, kOneBits = 0x3f800000u;
  constexpr float kLarge = 256;  // 128 low parts times high ones are finite, if one factor is smaller
  const std::uint32_t bits = math::to_bits(x), sign = bits & 0x80000000u;
  if ((bits & kInfinityBits) == kInfinityBits)
    return {{from_float<bf16>(x), bf16{}, from_float<bf16>(math::from_bits(sign | kOneBits))}};
  const std::uint32_t cut = bits & kHighBits;
  const float high = math::from_bits(cut == sign && bits != sign ? sign | 0x10000u : cut);
  const float rest = x - high;
  const bool is_large = math::abs(x) >= kLarge;
  const bf16 middle = from_float<bf16>(is_large ? math::from_bits(math::to_bits(rest) & kHighBits) : rest);
  return {{from_float<bf16>(rest - to_float(middle)), middle, from_float<bf16>(high)}};
}

namespace detail {

/// A part with the strides of another, which it has: addresses of all parts differ by one number then.
TESSERA_DEVICE View<bf16, kLineCopyDimensions> in_lines_of(View<bf16, kLineCopyDimensions> part,
                                                           const View<bf16, kLineCopyDimensions>& other) {
  TESSERA_UNROLL
  for (int d = 0; d < kLineCopyDimensions; ++d) part.stride[d] = other.stride[d];
  return part;
}

/// The parts of `from` in lines, as copy_into_lines writes a copy. All tensors of parts have the same lines.
template <typename T>
TESSERA_KERNEL(kLineCopyThreads, kLineCopyBlocks)
void split_into_parts(TESSERA_PARAMETER View<const T, kLineCopyDimensions> from,
                      TESSERA_PARAMETER View<bf16, kLineCopyDimensions> low,
                      TESSERA_PARAMETER View<bf16, kLineCopyDimensions> middle,
                      TESSERA_PARAMETER View<bf16, kLineCopyDimensions> high, bool turns) {
  static_assert(std::is_same_v<T, float>, "three numbers of bf16 have the bits of a float");
  using Tile = LineCopyTile<T>;
  TESSERA_SHARED(T, turned, Tile::kTurnedRoom);
  wait_for_launch_before();
  const View<bf16, kLineCopyDimensions> to[kSplitParts] = {low, in_lines_of(middle, low),
                                                           in_lines_of(high, low)};
  const auto write = [&](const Tile& tile, const Index<5>& at, const auto& chunks) {
    tile.for_chunks(low.extent, at, [&](int round, const Index<4>& line, index i, const auto& place) {
      Vector<bf16, Tile::kChunk> parts[kSplitParts];
      TESSERA_UNROLL
      for (int k = 0; k < Tile::kChunk; ++k) {
        const SplitFloat number = split(chunks[round][k]);
        TESSERA_UNROLL
        for (int part = 0; part < kSplitParts; ++part) parts[part].set(k, number.part[part]);
      }
      TESSERA_UNROLL
      for (int part = 0; part < kSplitParts; ++part) store_chunk(to[part].line(line), i, parts[part], place);
    });
  };
  copy_tiles<T>(from, low.extent, turns, turned, write);
}

}  // namespace detail
}  // namespace tessera
