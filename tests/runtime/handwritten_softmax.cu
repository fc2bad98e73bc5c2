// SPDX-License-Identifier: Apache-2.0
// Softmax of rows, written by hand in the style of generated code: resident in registers while a row fits,
// else read again.
// Laid out as the compiler prints.
// clang-format off
#include "handwritten.h"
#include "tessera/kernel.h"

namespace kernels {
using namespace tessera;
using tessera::index;  // hides ::index, a function of <strings.h>

namespace {

/// softmax, rows of at most kThreads * kVector * kStrips elements: kThreads threads hold a row in registers.
template <int kThreads, int kRows, int kVector, int kStrips>
TESSERA_KERNEL(kThreads * kRows)
void softmax_resident(TESSERA_PARAMETER View<const bf16, 2> x, TESSERA_PARAMETER View<bf16, 2> y,
                      index R, index C) {
  Group<kThreads, kRows> row;
  for (index r = block_index() * kRows + row.number(); r < R; r += block_count() * kRows) {
    Vector<bf16, kVector> x_r[kStrips];                                     // softmax.tsr:3
    TESSERA_UNROLL for (int i = 0; i < kStrips; ++i) {                      // all loads are under way first
      const index c = row.first(i, kVector);
      if (c < C) x_r[i] = x.load<kVector>({r, c});                          // guard: the row ends
    }

    float max_x = lowest<float>();
    TESSERA_UNROLL for (int i = 0; i < kStrips; ++i) {
      if (row.first(i, kVector) < C) {
        max_x = maximum(max_x, to_float(largest(x_r[i])));
      }
    }
    max_x = row.reduce(Maximum{}, max_x);

    Vector<float, kVector> e[kStrips];
    float sum_e = 0.0f;                                                     // softmax.tsr:4
    TESSERA_UNROLL for (int i = 0; i < kStrips; ++i) {
      if (row.first(i, kVector) < C) {
        Vector<float, kVector> shifted;
        TESSERA_UNROLL for (int j = 0; j < kVector; ++j) shifted[j] = to_float(x_r[i][j]) - max_x;
        e[i] = math::exp(shifted);
        TESSERA_UNROLL for (int j = 0; j < kVector; ++j) sum_e += e[i][j];
      }
    }
    const Divisor sum(row.reduce(Sum{}, sum_e));

    TESSERA_UNROLL for (int i = 0; i < kStrips; ++i) {                      // softmax.tsr:5
      const index c = row.first(i, kVector);
      if (c < C) {
        Vector<bf16, kVector> y_r;
        const Vector<float, kVector> quotient = e[i] / sum;
        TESSERA_UNROLL for (int j = 0; j < kVector; ++j) y_r.set(j, from_float<bf16>(quotient[j]));
        y.store({r, c}, y_r);
      }
    }
  }
}

/// softmax, rows of any length: a group of kThreads threads reads the row three times.
template <int kThreads, int kVector>
TESSERA_KERNEL(kThreads)
void softmax_streaming(TESSERA_PARAMETER View<const bf16, 2> x, TESSERA_PARAMETER View<bf16, 2> y,
                       index R, index C) {
  Group<kThreads> row;
  for (index r = block_index(); r < R; r += block_count()) {
    float max_x = lowest<float>();                                          // softmax.tsr:3
    for (index c = row.first(0, kVector); c < C; c += kThreads * kVector) {
      const Vector<bf16, kVector> x_r = x.load<kVector>({r, c});
      TESSERA_UNROLL for (int j = 0; j < kVector; ++j) max_x = maximum(max_x, to_float(x_r[j]));
    }
    max_x = row.reduce(Maximum{}, max_x);

    float sum_e = 0.0f;                                                     // softmax.tsr:4
    for (index c = row.first(0, kVector); c < C; c += kThreads * kVector) {
      const Vector<bf16, kVector> x_r = x.load<kVector>({r, c});
      TESSERA_UNROLL for (int j = 0; j < kVector; ++j) sum_e += math::exp(to_float(x_r[j]) - max_x);
    }
    const Divisor sum(row.reduce(Sum{}, sum_e));

    for (index c = row.first(0, kVector); c < C; c += kThreads * kVector) { // softmax.tsr:5
      const Vector<bf16, kVector> x_r = x.load<kVector>({r, c});
      Vector<bf16, kVector> y_r;
      TESSERA_UNROLL for (int j = 0; j < kVector; ++j) {
        y_r.set(j, from_float<bf16>(math::exp(to_float(x_r[j]) - max_x) / sum));
      }
      y.store({r, c}, y_r);
    }
  }
}

}  // namespace

Status softmax(const Tensor& x, const Tensor& y, const LaunchOptions& options) {
  LaunchCheck check("softmax");
  check.tensor<const bf16, 2>(0, "x", x);
  check.tensor<bf16, 2>(1, "y", y);
  const index R = check.symbol("R", 0, x, 0), C = check.symbol("C", 0, x, 1);
  check.extent(1, "y", y, 0, R, "R");
  check.extent(1, "y", y, 1, C, "C");
  check.outputs_are_disjoint();
  if (R == 0 || C == 0) return check.status();  // nothing to write

  const bool aligned = vector_access(x, 1, 8) && vector_access(y, 1, 8);
  const bool fits_1024 = aligned && C <= 1024, fits_4096 = aligned && C <= 4096, fits_8192 = aligned && C <= 8192;
  switch (check.choose(options, {fits_1024, fits_4096, fits_8192, aligned, true})) {
    case 0:  // a warp holds a row
      return launch(check, options, softmax_resident<32, 4, 8, 4>, Blocks{ceil_divide(R, 4)}, Threads{128},
                    view<const bf16, 2>(x), view<bf16, 2>(y), R, C);
    case 1:  // a block holds a row
      return launch(check, options, softmax_resident<256, 1, 8, 2>, Blocks{R}, Threads{256},
                    view<const bf16, 2>(x), view<bf16, 2>(y), R, C);
    case 2:
      return launch(check, options, softmax_resident<256, 1, 8, 4>, Blocks{R}, Threads{256},
                    view<const bf16, 2>(x), view<bf16, 2>(y), R, C);
    case 3:  // a block reads a row again
      return launch(check, options, softmax_streaming<512, 8>, Blocks{R}, Threads{512},
                    view<const bf16, 2>(x), view<bf16, 2>(y), R, C);
    case 4:  // any strides
      return launch(check, options, softmax_streaming<256, 1>, Blocks{R}, Threads{256},
                    view<const bf16, 2>(x), view<bf16, 2>(y), R, C);
    default: return check.status();
  }
}

}  // namespace kernels
