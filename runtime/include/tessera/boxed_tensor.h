// SPDX-License-Identifier: Apache-2.0
// BoxedTensor: a tensor whose boxes are copied for products, or a copy of it that has such boxes.
#pragma once

#include "tessera/copy_into_lines.h"
#include "tessera/tensor_map.h"
#include "tessera/workspace.h"

namespace tessera {

/// A tensor of T (of floats, if T is tf32), which is copied first where its lines begin elsewhere than at multiples of 16
/// bytes, or run along another dimension than one of `dimensions`, and enough is computed from it. The copy lives until the
/// launch is queued, in the order of its stream.
template <typename T, int Rank>
class BoxedTensor {
  using Element = std::conditional_t<std::is_same_v<T, tf32>, float, T>;
  static constexpr index kLineBytes = 128;  // that lines of a copy begin at multiples of
  // What is worth a copy: as many terms as take longer element by element than one more launch, and as many of each
  // element as take longer so than reading and writing it once more.
  static constexpr double kFewestTerms = 1e8, kFewestReads = 32;

 public:
  /// Products have as many terms as `extents` multiply to; each has an element of the tensor.
  BoxedTensor(LaunchCheck& check, const LaunchOptions& options, const Tensor& tensor,
              std::initializer_list<int> dimensions, std::initializer_list<index> extents)
      : check_(check), options_(options), tensor_(tensor), source_(tensor), workspace_(options.stream) {
    if (!check.ok() || detail::is_empty(tensor) || !device_has_boxes()) return;
    for (const int dimension : dimensions) {
      if (!has_boxes(tensor, dimension)) continue;
      is_slow_ = !aligned_lines(tensor, dimension, 32);
      return;
    }
    const bool is_asked_for = options.variant >= 0;
    if (is_asked_for || is_worth_a_copy(extents)) plan_copy(dimension_of_lines(dimensions));
  }

  /// Whether the copy engine takes its boxes half as fast as others: of lines that begin elsewhere than at multiples of 32
  /// bytes.
  bool is_slow() const { return is_slow_; }

  /// Whether boxes can be copied of lines along `dimension`.
  bool lie_along(int dimension) const { return has_boxes(tensor_, dimension); }

  /// The map of boxes of so many lines along kLineDimension and 128 bytes along kPositionDimension. The copy, if there is
  /// one, is queued here.
  template <int kLineDimension, int kPositionDimension>
  TESSERA_OUT_OF_LINE TensorMap map(int lines) {
    if (along_ >= 0) copy();
    return tensor_map<T, Rank, kLineDimension, kPositionDimension>(check_, tensor_, lines);
  }

 private:
  bool is_worth_a_copy(std::initializer_list<index> extents) const {
    double terms = 1, elements = 1;
    for (const index extent : extents) terms *= static_cast<double>(extent);
    for (int d = 0; d < Rank; ++d) elements *= static_cast<double>(source_.extent[d]);
    return terms >= kFewestTerms && terms >= kFewestReads * elements;
  }

  /// The one whose elements follow each other, if lines may run along it.
  int dimension_of_lines(std::initializer_list<int> dimensions) const {
    for (const int dimension : dimensions)
      if (source_.stride[dimension] == 1) return dimension;
    return dimensions.begin()[dimensions.size() - 1];
  }

  void plan_copy(int along) {
    Tensor copy = source_;
    index stride = ceil_divide(source_.extent[along] * static_cast<index>(sizeof(Element)), kLineBytes) *
                   (kLineBytes / static_cast<index>(sizeof(Element)));
    copy.stride[along] = 1;
    for (int d = Rank - 1; d >= 0; --d) {
      if (d == along) continue;
      copy.stride[d] = stride;
      if (__builtin_mul_overflow(stride, source_.extent[d], &stride)) return;
    }
    index bytes;
    if (__builtin_mul_overflow(stride, static_cast<index>(sizeof(Element)), &bytes)) return;
    copy.data = workspace_.take(bytes);
    if (copy.data == nullptr || !has_boxes(copy, along)) return;
    tensor_ = copy;
    along_ = along;
  }

  /// The dimensions of both tensors in the order of copy_into_lines: those of lines last, extents of 1 before all. True where
  /// lines of the source run along another dimension.
  bool order(Tensor& from, Tensor& to) const {
    int across = -1;  // the dimension before the last of the copy: that of the source's lines, or any other
    for (int d = 0; d < Rank; ++d)
      if (d != along_ && (across < 0 || source_.stride[d] == 1)) across = d;
    const bool turns = source_.stride[along_] != 1 && source_.stride[across] == 1;
    put_in_order(from, source_, turns ? along_ : across, turns ? across : along_);
    put_in_order(to, tensor_, across, along_);
    return turns;
  }

  void put_in_order(Tensor& result, const Tensor& tensor, int last_but_one, int last) const {
    result = tensor;
    result.rank = detail::kLineCopyDimensions;
    int place = 0;
    const auto put = [&](index extent, index stride) {
      result.extent[place] = extent;
      result.stride[place++] = stride;
    };
    for (int d = Rank; d < detail::kLineCopyDimensions; ++d) put(1, 1);
    for (int d = 0; d < Rank; ++d)
      if (d != last && d != last_but_one) put(tensor.extent[d], tensor.stride[d]);
    put(tensor.extent[last_but_one], tensor.stride[last_but_one]);
    put(tensor.extent[last], tensor.stride[last]);
  }

  void copy() {
    Tensor from, to;
    const bool turns = order(from, to);
    along_ = -1;
    LaunchCheck check(check_.kernel());
    check.tensor<const Element, detail::kLineCopyDimensions>(0, "copied tensor", from);
    check.tensor<Element, detail::kLineCopyDimensions>(1, "copy in lines", to);
    index tiles = 1;
    for (int d = 0; d < detail::kLineCopyDimensions; ++d)
      tiles *= d < 3 ? to.extent[d] : ceil_divide(to.extent[d], detail::kLineCopyTile);
    check_.pass_on(launch(check, options_, detail::copy_into_lines<Element>, Blocks{tiles},
                          Threads{detail::kLineCopyThreads, kBeginsEarly}, DynamicShared{},
                          view<const Element, detail::kLineCopyDimensions>(from),
                          view<Element, detail::kLineCopyDimensions>(to), turns));
  }

  LaunchCheck& check_;
  const LaunchOptions& options_;
  Tensor tensor_;  // whose boxes are copied
  Tensor source_;
  Workspace workspace_;
  bool is_slow_ = false;
  int along_ = -1;  // the dimension of the lines of a copy that has not been made yet
};

}  // namespace tessera
