// SPDX-License-Identifier: Apache-2.0
// SplitTensor: a tensor of floats whose parts are copied for products.
#pragma once

#include "tessera/line_copy.h"
#include "tessera/split_into_parts.h"
#include "tessera/tensor_map.h"
#include "tessera/workspace.h"

namespace tessera {

/// The parts of a tensor of floats, which are made where enough is computed from it: a tensor of bf16 with the part as its
/// first dimension, and lines along the dimension of the tensor's own, or one of `dimensions`. It lives until the launch is
/// queued, in the order of its stream.
template <int Rank>
class SplitTensor {
  static_assert(Rank + 1 <= BoxesOfTensor::kMostDimensions, "boxes have a dimension of parts");
  // What is worth parts: as many terms as take longer one by one than two more launches, and as many of each element as
  // take longer so than reading it and writing its parts.
  static constexpr double kFewestTerms = 3e8, kFewestReads = 64;

 public:
  /// Products have as many terms as `extents` multiply to; each has an element of the tensor.
  SplitTensor(LaunchCheck& check, const LaunchOptions& options, const Tensor& tensor,
              std::initializer_list<int> dimensions, std::initializer_list<index> extents)
      : check_(check), options_(options), source_(tensor), workspace_(options.stream) {
    if (!check.ok() || detail::is_empty(tensor) || !device_has_boxes()) return;
    policy_ = detail::cache_policy(tensor, extents);
    const bool is_asked_for = options.variant >= 0;
    if (is_asked_for || detail::has_terms(tensor, extents, kFewestTerms, kFewestReads))
      plan_parts(detail::dimension_of_lines(tensor, dimensions));
  }

  /// How many bytes of memory products read of its parts, once; 0 where the check has found a mistake.
  double bytes() const {
    constexpr double kOfByte = static_cast<double>(sizeof(bf16[kSplitParts])) / sizeof(float);
    return check_.ok() ? static_cast<double>(detail::footprint(source_)) * kOfByte : 0;
  }

  /// Whether the copy engine takes its boxes half as fast as others.
  static constexpr bool is_slow() { return false; }

  /// Whether boxes of the parts can be copied of lines along `dimension` of the tensor.
  bool lie_along(int dimension) const { return dimension == along_; }

  /// Whether there are parts at all.
  bool are_there() const { return along_ >= 0; }

  /// The map of boxes of the parts, of so many lines along kLineDimension and 128 bytes along kPositionDimension, which are
  /// dimensions of the tensor. The parts are queued to be made here.
  template <int kLineDimension, int kPositionDimension>
  TESSERA_OUT_OF_LINE TensorMap map(int lines) {
    if (!is_made_) make_parts();
    return tensor_map<bf16, Rank + 1, kLineDimension + 1, kPositionDimension + 1>(check_, parts_, lines,
                                                                                  policy_);
  }

 private:
  void plan_parts(int along) {
    Tensor one = source_;
    one.dtype = TESSERA_BF16;
    index elements, bytes;
    if (!detail::lay_in_lines(one, along, sizeof(bf16), elements) ||
        __builtin_mul_overflow(elements, index{kSplitParts * sizeof(bf16)}, &bytes))
      return;
    parts_ = one;
    parts_.rank = Rank + 1;
    for (int d = 0; d < Rank; ++d) {
      parts_.extent[d + 1] = one.extent[d];
      parts_.stride[d + 1] = one.stride[d];
    }
    parts_.extent[0] = kSplitParts;
    parts_.stride[0] = elements;
    parts_.data = nullptr;  // any memory that is taken begins at a chunk
    if (!has_boxes(parts_, along + 1)) return;
    parts_.data = workspace_.take(bytes);
    if (parts_.data != nullptr) along_ = along;
  }

  /// One part, with the dimensions of the tensor.
  Tensor part(SplitPart number) const {
    Tensor part = source_;
    part.dtype = TESSERA_BF16;
    part.data = static_cast<bf16*>(parts_.data) + number * parts_.stride[0];
    for (int d = 0; d < Rank; ++d) part.stride[d] = parts_.stride[d + 1];
    return part;
  }

  void make_parts() {
    constexpr int kDimensions = detail::kLineCopyDimensions;
    Tensor from, low, middle, high;
    const bool turns = detail::put_in_order(source_, part(kLowPart), along_, from, low);
    detail::put_in_order(source_, part(kHighPart), along_, from, high);
    detail::put_in_order(source_, part(kMiddlePart), along_, from, middle);
    is_made_ = true;
    LaunchCheck check(check_.kernel());
    check.tensor<const float, kDimensions>(0, "split tensor", from);
    check.tensor<bf16, kDimensions>(1, "low parts", low);
    check.tensor<bf16, kDimensions>(2, "middle parts", middle);
    check.tensor<bf16, kDimensions>(3, "high parts", high);
    check_.pass_on(launch(check, options_, detail::split_into_parts<float>,
                          Blocks{detail::line_copy_tiles(low, sizeof(float))},
                          Threads{detail::kLineCopyThreads, kBeginsEarly}, DynamicShared{},
                          view<const float, kDimensions>(from), view<bf16, kDimensions>(low),
                          view<bf16, kDimensions>(middle), view<bf16, kDimensions>(high), turns));
  }

  LaunchCheck& check_;
  const LaunchOptions& options_;
  Tensor source_, parts_{};
  Workspace workspace_;
  CachePolicy policy_ = CachePolicy::normal;
  int along_ = -1;  // the dimension of the tensor that lines of parts run along; -1: there are none
  bool is_made_ = false;
};

}  // namespace tessera
