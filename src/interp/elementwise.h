// SPDX-License-Identifier: Apache-2.0
// The inner loops of pointwise operations: one template per number of operands, the operation inlined into
// it.
#pragma once

#include "interp/loops.h"
#include "interp/tile.h"

namespace tessera::interp {

/// result[i] = f(a[i])
template <typename Result, typename A, typename F>
Tile map(const Frame& frame, Rep rep, const Tile& a, F f) {
  Tile tile = Tile::make(frame, rep);
  const Loops<2> loops(frame, {strides_in(frame, *frame.axes), strides_in(frame, *a.frame.axes)});
  loops.run([&](const auto& offsets, int64_t count, const auto& strides) {
    Result* result = tile.as<Result>() + offsets[0];
    const A* x = a.as<A>() + offsets[1];
    if (strides[1] == 0) {
      const Result value = f(*x);
      for (int64_t i = 0; i < count; ++i) result[i] = value;
    } else {
      for (int64_t i = 0; i < count; ++i) result[i] = f(x[i]);
    }
  });
  return tile;
}

/// result[i] = f(a[i], b[i])
template <typename Result, typename A, typename B, typename F>
Tile map(const Frame& frame, Rep rep, const Tile& a, const Tile& b, F f) {
  Tile tile = Tile::make(frame, rep);
  const Loops<3> loops(frame, {strides_in(frame, *frame.axes), strides_in(frame, *a.frame.axes),
                               strides_in(frame, *b.frame.axes)});
  loops.run([&](const auto& offsets, int64_t count, const auto& strides) {
    Result* result = tile.as<Result>() + offsets[0];
    const A* x = a.as<A>() + offsets[1];
    const B* y = b.as<B>() + offsets[2];
    if (strides[1] != 0 && strides[2] != 0) {
      for (int64_t i = 0; i < count; ++i) result[i] = f(x[i], y[i]);
    } else if (strides[1] != 0) {
      const B same = *y;
      for (int64_t i = 0; i < count; ++i) result[i] = f(x[i], same);
    } else if (strides[2] != 0) {
      const A same = *x;
      for (int64_t i = 0; i < count; ++i) result[i] = f(same, y[i]);
    } else {
      const Result value = f(*x, *y);
      for (int64_t i = 0; i < count; ++i) result[i] = value;
    }
  });
  return tile;
}

/// result[i] = f(a[i], b[i], c[i])
template <typename Result, typename A, typename B, typename C, typename F>
Tile map(const Frame& frame, Rep rep, const Tile& a, const Tile& b, const Tile& c, F f) {
  Tile tile = Tile::make(frame, rep);
  const Loops<4> loops(frame, {strides_in(frame, *frame.axes), strides_in(frame, *a.frame.axes),
                               strides_in(frame, *b.frame.axes), strides_in(frame, *c.frame.axes)});
  loops.run([&](const auto& offsets, int64_t count, const auto& strides) {
    Result* result = tile.as<Result>() + offsets[0];
    const A* x = a.as<A>() + offsets[1];
    const B* y = b.as<B>() + offsets[2];
    const C* z = c.as<C>() + offsets[3];
    if (strides[1] != 0 && strides[2] != 0 && strides[3] != 0) {
      for (int64_t i = 0; i < count; ++i) result[i] = f(x[i], y[i], z[i]);
    } else {
      for (int64_t i = 0; i < count; ++i)
        result[i] = f(x[i * strides[1]], y[i * strides[2]], z[i * strides[3]]);
    }
  });
  return tile;
}

}  // namespace tessera::interp
