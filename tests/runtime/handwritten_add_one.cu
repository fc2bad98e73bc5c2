// SPDX-License-Identifier: Apache-2.0
// y = x + 1 over a matrix, written by hand in the style of generated code: blocks take tiles of the matrix.
// Laid out as the compiler prints.
// clang-format off
#include "handwritten.h"
#include "tessera/kernel.h"

namespace kernels {
using namespace tessera;
using tessera::index;  // hides ::index, a function of <strings.h>

namespace {

/// add_one, rows of whole vectors: each thread takes one vector of each of its kRows / kThreadRows rows.
template <int kThreadRows, int kThreadColumns, int kRows, int kVector>
TESSERA_KERNEL(kThreadRows * kThreadColumns)
void add_one_tiles(TESSERA_PARAMETER View<const bf16, 2> x, TESSERA_PARAMETER View<bf16, 2> y,
                   index R, index C) {
  constexpr int kColumns = kThreadColumns * kVector;
  const int thread_row = thread_index() / kThreadColumns, thread_column = thread_index() % kThreadColumns;
  const Index<2> tiles{ceil_divide(R, kRows), ceil_divide(C, kColumns)};

  for (index tile = block_index(); tile < tiles[0] * tiles[1]; tile += block_count()) {
    const auto [tile_row, tile_column] = tile_position(tile, tiles).at;
    const index c = tile_column * kColumns + thread_column * kVector;
    TESSERA_UNROLL for (int i = 0; i < kRows / kThreadRows; ++i) {
      const index r = tile_row * kRows + i * kThreadRows + thread_row;
      if (r < R && c < C) {                                             // guard: the tile crosses the edge
        const Vector<bf16, kVector> x_rc = x.load<kVector>({r, c});     // add_one.tsr:3
        Vector<bf16, kVector> y_rc;
        TESSERA_UNROLL for (int j = 0; j < kVector; ++j) y_rc.set(j, from_float<bf16>(to_float(x_rc[j]) + 1.0f));
        y.store({r, c}, y_rc);
      }
    }
  }
}

}  // namespace

Status add_one(const Tensor& x, const Tensor& y, const LaunchOptions& options) {
  LaunchCheck check("add_one");
  check.tensor<const bf16, 2>(0, "x", x);
  check.tensor<bf16, 2>(1, "y", y);
  const index R = check.symbol("R", 0, x, 0), C = check.symbol("C", 0, x, 1);
  check.extent(1, "y", y, 0, R, "R");
  check.extent(1, "y", y, 1, C, "C");
  check.outputs_are_disjoint();

  const bool aligned = vector_access(x, 1, 8) && vector_access(y, 1, 8);
  switch (check.choose(options, {aligned, true})) {
    case 0:  // whole vectors: tiles of 16 x 256
      return launch(check, options, add_one_tiles<8, 32, 16, 8>,
                    Blocks{ceil_divide(R, 16) * ceil_divide(C, 256)}, Threads{256},
                    view<const bf16, 2>(x), view<bf16, 2>(y), R, C);
    case 1:  // any strides: tiles of 32 x 32
      return launch(check, options, add_one_tiles<8, 32, 32, 1>,
                    Blocks{ceil_divide(R, 32) * ceil_divide(C, 32)}, Threads{256},
                    view<const bf16, 2>(x), view<bf16, 2>(y), R, C);
    default: return check.status();
  }
}

}  // namespace kernels
