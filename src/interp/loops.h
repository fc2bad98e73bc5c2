// SPDX-License-Identifier: Apache-2.0
// Loops over a frame with several operands side by side, each seen through its strides.
#pragma once

#include <array>
#include <cstdint>

#include "interp/tile.h"

namespace tessera::interp {

using Strides = std::array<int64_t, kMaxAxes>;

/// Strides of a dense operand over `axes`, seen along the axes of `frame`; 0 along an axis that it lacks.
/// The operand's extents along its axes are those of the frame.
inline Strides strides_in(const Frame& frame, const AxisList& axes) {
  Strides strides{};
  int64_t stride = 1;
  auto axis = axes.rbegin();
  for (int d = frame.rank() - 1; d >= 0; --d) {
    if (axis == axes.rend() || *axis != (*frame.axes)[static_cast<size_t>(d)]) continue;
    strides[static_cast<size_t>(d)] = stride;
    stride *= frame.extents[static_cast<size_t>(d)];
    ++axis;
  }
  return strides;
}

/// The loops of N operands over one frame, neighbouring loops merged where every operand permits it.
template <size_t N>
class Loops {
 public:
  Loops(const Frame& frame, const std::array<Strides, N>& strides) {
    if (frame.volume == 0) return;
    for (size_t d = 0; d < static_cast<size_t>(frame.rank()); ++d) {
      if (frame.extents[d] == 1) continue;
      std::array<int64_t, N> along;
      for (size_t n = 0; n < N; ++n) along[n] = strides[n][d];
      append(frame.extents[d], along);
    }
    if (rank_ == 0) append(1, {});
  }

  /// Calls `body(offsets, count, strides)` for each innermost loop, in ascending order of coordinates:
  /// element i of operand n is at offsets[n] + i * strides[n].
  template <typename Body>
  void run(Body&& body) const {
    if (rank_ == 0) return;
    std::array<int64_t, N> offsets{};
    std::array<int64_t, kMaxAxes> position{};
    const size_t inner = rank_ - 1;
    while (true) {
      body(offsets, extents_[inner], strides_[inner]);
      size_t d = inner;
      while (true) {
        if (d == 0) return;
        --d;
        for (size_t n = 0; n < N; ++n) offsets[n] += strides_[d][n];
        if (++position[d] < extents_[d]) break;
        for (size_t n = 0; n < N; ++n) offsets[n] -= strides_[d][n] * extents_[d];
        position[d] = 0;
      }
    }
  }

 private:
  void append(int64_t extent, const std::array<int64_t, N>& strides) {
    bool merges = rank_ > 0;
    for (size_t n = 0; n < N && merges; ++n) merges = strides_[rank_ - 1][n] == strides[n] * extent;
    if (merges) {
      extents_[rank_ - 1] *= extent;
      strides_[rank_ - 1] = strides;
      return;
    }
    extents_[rank_] = extent;
    strides_[rank_] = strides;
    ++rank_;
  }

  size_t rank_ = 0;
  std::array<int64_t, kMaxAxes> extents_;
  std::array<std::array<int64_t, N>, kMaxAxes> strides_;
};

}  // namespace tessera::interp
