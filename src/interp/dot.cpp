// SPDX-License-Identifier: Apache-2.0
// Sums of products over tiles.
#include "interp/dot.h"

#include <algorithm>

#include "interp/integer_rules.h"
#include "interp/loops.h"

namespace tessera::interp {

namespace {

/// The points of the result, and behind them, innermost, those that are folded.
struct Terms {
  AxisList axes;
  Frame frame;
};

int64_t extent_along(ir::AxisId axis, const Tile& left, const Tile& right) {
  for (const Tile* tile : {&left, &right}) {
    const auto found = std::find(tile->frame.axes->begin(), tile->frame.axes->end(), axis);
    if (found != tile->frame.axes->end())
      return tile->frame.extents[static_cast<size_t>(found - tile->frame.axes->begin())];
  }
  return 1;
}

void find_terms(Terms& terms, const ir::Dot& op, const Tile& left, const Tile& right, const Frame& result) {
  terms.axes = *result.axes;
  terms.axes.insert(terms.axes.end(), op.axes.begin(), op.axes.end());
  terms.frame.axes = &terms.axes;
  for (size_t d = 0; d < terms.axes.size(); ++d) {
    terms.frame.extents[d] = extent_along(terms.axes[d], left, right);
    terms.frame.volume *= terms.frame.extents[d];
  }
}

/// Where a dense tile's elements lie along the axes of the terms; its own axes ascend, those of the terms need not.
Strides strides_among(const Terms& terms, const Frame& tile) {
  Strides strides{};
  int64_t stride = 1;
  for (size_t own = tile.axes->size(); own-- > 0;) {
    const auto found = std::find(terms.axes.begin(), terms.axes.end(), (*tile.axes)[own]);
    if (found != terms.axes.end()) strides[static_cast<size_t>(found - terms.axes.begin())] = stride;
    stride *= tile.extents[own];
  }
  return strides;
}

template <typename T, typename F>
Tile summed(const ir::Dot& op, const Tile& left, const Tile& right, const Frame& frame, F add_product) {
  Terms terms;
  find_terms(terms, op, left, right, frame);
  Tile result = Tile::make(frame, left.rep);
  std::fill_n(result.as<T>(), frame.volume, T{});
  const Loops<3> loops(terms.frame, {strides_among(terms, left.frame), strides_among(terms, right.frame),
                                     strides_among(terms, frame)});
  const T *a = left.as<T>(), *b = right.as<T>();
  const uint8_t *has_a = left.present.get(), *has_b = right.present.get();
  loops.run([&](const auto& at, int64_t count, const auto& strides) {
    for (int64_t i = 0; i < count; ++i) {
      const int64_t in_a = at[0] + i * strides[0], in_b = at[1] + i * strides[1];
      if ((has_a != nullptr && has_a[in_a] == 0) || (has_b != nullptr && has_b[in_b] == 0)) continue;
      T& sum = result.as<T>()[at[2] + i * strides[2]];
      sum = add_product(sum, a[in_a], b[in_b]);
    }
  });
  return result;
}

}  // namespace

Tile dot(const ir::Dot& op, const Tile& left, const Tile& right, DType sum, const Frame& frame) {
  if (left.rep == Rep::f32) {
    return summed<float>(op, left, right, frame, [](float s, float a, float b) {
      return static_cast<float>(static_cast<double>(s) + static_cast<double>(a) * static_cast<double>(b));
    });
  }
  if (left.rep == Rep::f64) {
    return summed<double>(op, left, right, frame, [](double s, double a, double b) { return s + a * b; });
  }
  const IntegerType type(sum);
  return summed<int64_t>(op, left, right, frame, [type](int64_t s, int64_t a, int64_t b) {
    return type.wrap(static_cast<uint64_t>(s) + static_cast<uint64_t>(a) * static_cast<uint64_t>(b));
  });
}

}  // namespace tessera::interp
