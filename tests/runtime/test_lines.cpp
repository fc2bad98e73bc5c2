// SPDX-License-Identifier: Apache-2.0
// Vectors of lines that begin anywhere, and windows, against element by element.
#include <random>
#include <vector>

#include "catch.h"
#include "tessera/kernel.h"

namespace tessera {
namespace {

/// A tensor of numbered elements whose first one lies `offset` elements behind a boundary of 64 bytes.
template <typename T>
class Numbered {
 public:
  Numbered(index rows, index columns, index pitch, index stride, int offset)
      : memory_(static_cast<std::size_t>(rows * pitch + columns * stride + 128)) {
    const auto address = reinterpret_cast<std::uintptr_t>(memory_.data());
    T* first = memory_.data() + (64 - address % 64) % 64 / sizeof(T) + offset;
    std::mt19937 random(static_cast<unsigned>(offset + 7));
    for (T& element : memory_) element = static_cast<T>(random() % 251);
    view.data = first;
    view.extent[0] = rows, view.extent[1] = columns;
    view.stride[0] = pitch, view.stride[1] = stride;
  }

  T at(index r, index c) const { return view.data[r * view.stride[0] + c * view.stride[1]]; }
  View<const T, 2> read() const {
    View<const T, 2> result{};
    result.data = view.data;
    for (int d = 0; d < 2; ++d) result.extent[d] = view.extent[d], result.stride[d] = view.stride[d];
    return result;
  }

  View<T, 2> view{};

 private:
  std::vector<T> memory_;
};

constexpr index kRows = 3, kColumns = 37;

template <typename T, int N>
void check_parts(index pitch, index stride, int offset) {
  Numbered<T> x(kRows, kColumns, pitch, stride, offset), y(kRows, kColumns, pitch, stride, offset);
  const auto view = x.read();
  for (index r = 0; r < kRows; ++r) {
    const auto line = view.line({r});
    const auto y_line = y.view.line({r});
    const index start = line.template boundary<N, false>(0);
    REQUIRE(start <= 0);
    REQUIRE(start > -N);
    for (index c = start; c < kColumns; c += N) {
      const Part<N, false> part(c, 0, kColumns);
      const Vector<T, N> vector = line.load(c, part), other = part.or_else(vector, T{123});
      Vector<T, N> strips[2];
      line.load_strips(c, part, N, strips);
      for (int n = 0; n < N; ++n) {
        const bool exists = c + n >= 0 && c + n < kColumns;
        REQUIRE(part.has(n) == exists);
        REQUIRE(other[n] == (exists ? x.at(r, c + n) : T{123}));
        if (exists) REQUIRE(vector[n] == x.at(r, c + n));
        if (exists) REQUIRE(strips[0][n] == x.at(r, c + n));
        if (c + N + n < kColumns) REQUIRE(strips[1][n] == x.at(r, c + N + n));
      }
      y_line.store(c, vector, part);
    }
    for (index c = 0; c < kColumns; ++c) REQUIRE(y.at(r, c) == x.at(r, c));
  }
}

template <typename T, int N, int kBefore, int kBehind, bool kAligned>
void check_windows(index columns, index pitch, index stride, int offset) {
  Numbered<T> x(kRows, columns, pitch, stride, offset);
  const auto view = x.read();
  for (index r = 0; r < kRows; ++r) {
    const auto line = view.line({r});
    for (index c = kAligned ? 0 : line.template boundary<N, false>(0); c < columns; c += N) {
      const Part<N, kAligned> part(c, 0, columns);
      const auto window = line.template window<kBefore, kBehind>(c, part);
      const auto around = line.template periodic_window<kBefore, kBehind>(c, part);
      for (index k = -kBefore; k < N + kBehind; ++k) {
        const bool exists = c + k >= 0 && c + k < columns;
        REQUIRE(window.has(k) == exists);
        REQUIRE(window[k] == (exists ? x.at(r, c + k) : T{}));
        REQUIRE(around[k] == x.at(r, (c + k + 8 * columns) % columns));
      }
    }
  }
}

}  // namespace

TEST_CASE("parts of vectors are the elements that exist, at any address, pitch and stride") {
  for (int offset = 0; offset < 16; ++offset) {
    for (const index pitch : {kColumns, kColumns + 3, index{48}}) {
      check_parts<std::uint8_t, 8>(pitch, 1, offset);
      check_parts<std::uint8_t, 2>(pitch, 1, offset);
      check_parts<std::uint16_t, 8>(pitch, 1, offset);
      check_parts<std::uint16_t, 2>(pitch, 1, offset);
      check_parts<float, 4>(pitch, 1, offset);
      check_parts<float, 8>(pitch, 1, offset);
      check_parts<double, 2>(pitch, 1, offset);
    }
    check_parts<std::uint16_t, 8>(3 * kColumns, 3, offset);
    check_parts<float, 4>(2 * kColumns, 2, offset);
  }
}

TEST_CASE("windows are the neighbours of a vector, by vectors or by elements") {
  for (int offset = 0; offset < 8; ++offset) {
    check_windows<std::uint8_t, 8, 1, 1, false>(kColumns, kColumns, 1, offset);
    check_windows<std::uint16_t, 8, 3, 0, false>(kColumns, 40, 1, offset);
    check_windows<double, 2, 4, 4, false>(5, 5, 1, offset);
    check_windows<float, 4, 2, 5, false>(kColumns, 2 * kColumns, 2, offset);
  }
  check_windows<std::uint8_t, 8, 1, 2, true>(32, 32, 1, 0);
  check_windows<std::uint16_t, 8, 8, 8, true>(16, 24, 1, 0);
  check_windows<double, 2, 4, 4, true>(2, 2, 1, 0);
  check_windows<float, 4, 1, 6, true>(8, 8, 1, 0);
}

}  // namespace tessera
