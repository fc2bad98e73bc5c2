// SPDX-License-Identifier: Apache-2.0
// y[c, r] = x[r, c] through shared memory, written by hand in the style of generated code.
// Laid out as the compiler prints.
// clang-format off
#include "handwritten.h"
#include "tessera/kernel.h"

namespace kernels {
using namespace tessera;
using tessera::index;  // hides ::index, a function of <strings.h>

namespace {

/// transpose: tiles of kTile x kTile go through shared memory, so that reads and writes both go along rows.
template <int kTile, int kThreadRows>
TESSERA_KERNEL(kTile * kThreadRows)
void transpose_tiles(TESSERA_PARAMETER View<const float, 2> x, TESSERA_PARAMETER View<float, 2> y,
                     index R, index C) {
  constexpr int kPitch = kTile + 1;  // odd: down a column, too, the lanes of a warp meet 32 banks
  TESSERA_SHARED(float, tile_x, kTile * kPitch);
  const int row = thread_index() / kTile, column = thread_index() % kTile;
  const Index<2> tiles{ceil_divide(R, kTile), ceil_divide(C, kTile)};

  for (index tile = block_index(); tile < tiles[0] * tiles[1]; tile += block_count()) {
    const auto [tile_row, tile_column] = tile_position(tile, tiles).at;
    TESSERA_UNROLL for (int i = row; i < kTile; i += kThreadRows) {
      const index r = tile_row * kTile + i, c = tile_column * kTile + column;
      if (r < R && c < C) tile_x[i * kPitch + column] = x.load({r, c});       // transpose.tsr:3
    }
    barrier();                                                                // the tile is complete
    TESSERA_UNROLL for (int i = row; i < kTile; i += kThreadRows) {
      const index r = tile_row * kTile + column, c = tile_column * kTile + i;
      if (r < R && c < C) y.store({c, r}, tile_x[column * kPitch + i]);       // transpose.tsr:4
    }
    barrier();                                                                // the tile may be overwritten
  }
}

}  // namespace

Status transpose(const Tensor& x, const Tensor& y, const LaunchOptions& options) {
  LaunchCheck check("transpose");
  check.tensor<const float, 2>(0, "x", x);
  check.tensor<float, 2>(1, "y", y);
  const index R = check.symbol("R", 0, x, 0), C = check.symbol("C", 0, x, 1);
  check.extent(1, "y", y, 0, C, "C");
  check.extent(1, "y", y, 1, R, "R");
  check.outputs_are_disjoint();
  switch (check.choose(options, {true})) {
    case 0:
      return launch(check, options, transpose_tiles<32, 8>, Blocks{ceil_divide(R, 32) * ceil_divide(C, 32)},
                    Threads{256}, view<const float, 2>(x), view<float, 2>(y), R, C);
    default: return check.status();
  }
}

}  // namespace kernels
