// SPDX-License-Identifier: Apache-2.0
// Rows of a product of warpgroups that lie in registers: sums of an earlier product, which the next takes as they are.
#pragma once

#include "tessera/warpgroups.h"

namespace tessera {

/// sums (+)= a * b as multiply_async of tiles, of 16-bit rows that threads have made of sums of the same warpgroups. Nobody
/// changes them until wait_for_products.
template <Sign kSign = Sign::plus, typename Layout, typename T, typename LayoutA, typename TileB>
TESSERA_DEVICE void multiply_async(Fragment<float, Layout>& sums, const OperandFragment<T, LayoutA>& a,
                                   const TileB& b, int, bool adds = true,
                                   Location where = Location::current()) {
  constexpr int kSteps = OperandFragment<T, LayoutA>::kSteps, kSums = 4 * Layout::kColumnBlocks;
  static_assert(LayoutA::kSpread && Layout::kSpread && LayoutA::kRows == Layout::kRows &&
                    LayoutA::kWarpRows == Layout::kWarpRows,
                "a has the rows of the sums, in the same warpgroups");
  detail::keep_in_registers(sums);
  as_it_lies(b, [&](auto major, const auto& lines) {
    constexpr Major kMajor = decltype(major)::value;
    using Tile = std::remove_cvref_t<decltype(lines)>;
    using StepB = detail::MatrixStep<kMajor, Tile>;
    static_assert(LayoutA::kColumns == detail::kDepthOf<kMajor, Tile>, "both hold the same part of K");
    const MatrixDescriptor first_b = matrix_descriptor<kMajor>(lines, where);
    ptx::wgmma_fence(where);
    TESSERA_UNROLL
    for (int step = 0; step < kSteps; ++step) {
      const MatrixDescriptor at_b = first_b.moved(StepB::offset(0, step * Mma<T>::kDepth));
      TESSERA_UNROLL
      for (int block = 0; block < Layout::kRowBlocks; ++block) {
        auto& of_block = reinterpret_cast<float(&)[kSums]>(sums.value[block * kSums]);
        ptx::wgmma_mma_async<T, typename Tile::Element, Layout::kColumns, kMajor, kSign>(
            of_block, a.part[step][block].word, at_b, adds || step > 0, where);
      }
    }
    ptx::wgmma_commit_group(where);
  });
  detail::keep_in_registers(sums);
}

}  // namespace tessera
