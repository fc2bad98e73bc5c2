// SPDX-License-Identifier: Apache-2.0
// Matrices of small integers for tests of products, in either order and with gaps.
#pragma once

#include <random>
#include <vector>

#include "tessera/convert.h"
#include "tessera/tensor.h"

namespace matrices {

using namespace tessera;
using tessera::index;

/// A matrix of small integers, with its rows or its columns contiguous.
struct Matrix {
  index rows, columns, row_step, column_step, shift;
  std::vector<bf16> data;

  Matrix(index rows, index columns, bool by_rows, index padding, index shift, std::uint32_t seed)
      : rows(rows),
        columns(columns),
        row_step(by_rows ? columns + padding : 1),
        column_step(by_rows ? 1 : rows + padding),
        shift(shift),
        data(static_cast<std::size_t>((rows + padding) * (columns + padding) + shift + 16)) {
    std::mt19937 random(seed);
    for (bf16& x : data) x = from_float<bf16>(static_cast<float>(random() % 17) - 8);
  }
  bf16& at(index row, index column) {
    return data[static_cast<std::size_t>(shift + row * row_step + column * column_step)];
  }
  Tensor view() { return strided_tensor(data.data() + shift, {rows, columns}, {row_step, column_step}); }
};

/// Whether c is a b, summed in f32 and rounded.
inline bool is_product(Matrix& a, Matrix& b, Matrix& c) {
  for (index m = 0; m < c.rows; ++m) {
    for (index n = 0; n < c.columns; ++n) {
      float sum = 0;
      for (index k = 0; k < a.columns; ++k) sum += to_float(a.at(m, k)) * to_float(b.at(k, n));
      if (c.at(m, n).bits != from_float<bf16>(sum).bits) return false;
    }
  }
  return true;
}

}  // namespace matrices
