// SPDX-License-Identifier: Apache-2.0
// BoxedTensor: a tensor whose boxes are copied for products, or a copy of it that has such boxes.
#pragma once

#include "tessera/factor_boxes.h"
#include "tessera/line_copy.h"
#include "tessera/workspace.h"

namespace tessera {

/// What `run` returns when called with constants that say whether lines run along K: of a factor of which they do where
/// `along_k` holds, or of two. The function for these orders is launched without asking in its loops again.
template <typename Run>
Status in_order(bool along_k, const Run& run) {
  using AlongK = std::integral_constant<Order, Order::k>;
  using AcrossK = std::integral_constant<Order, Order::mn>;
  return along_k ? run(AlongK{}) : run(AcrossK{});
}
template <typename Run>
Status in_order(bool along_k, bool other_along_k, const Run& run) {
  return in_order(along_k, [&](auto order) {
    return in_order(other_along_k, [&](auto other) { return run(order, other); });
  });
}

/// From how many reads of an element on a copy of the factor is quicker than turning it, which takes time for each read. On an
/// H100: of fp8 sums are promoted besides; words hold up none of 4,096 reads and a seventh of 8,192.
inline constexpr double kTurnsAndAdds = 1024, kTurnsWords = 6144;

/// Whether a launch that may take one of `count` variants from number `first` on, which turn a factor on its way, is quicker
/// with them than with a copy of it: where its elements are read at most so often. `extents`: as those of BoxedTensor.
inline bool may_turn(const LaunchOptions& options, int first, int count, double most_reads,
                     const Tensor& tensor, std::initializer_list<index> extents) {
  constexpr double kAny = 0;
  const bool names_variant = options.variant >= 0;
  return may_take(options, first, count) &&
         (names_variant || !detail::has_terms(tensor, extents, kAny, most_reads + 1));
}

/// Lines of a copy run as those of its tensor do, if they may.
inline constexpr int kAsTheyRun = -1;

/// A tensor of T (of floats, if T is tf32), which is copied first where its lines begin elsewhere than at multiples of 16
/// bytes, or run along another dimension than one of `dimensions`, and enough is computed from it. The copy lives until the
/// launch is queued, in the order of its stream.
template <typename T, int Rank>
class BoxedTensor {
  using Element = std::conditional_t<std::is_same_v<T, tf32>, float, T>;
  // What is worth a copy: as many terms as take longer element by element than one more launch. Reading and writing the
  // tensor once more does not; but where elements have one place in memory, the copy has many, and each is to be read so
  // often.
  static constexpr double kFewestTerms = 5e7, kFewestReads = 32;

 public:
  /// Products have as many terms as `extents` multiply to; each has an element of the tensor. Lines of a copy run along
  /// `copied`.
  BoxedTensor(LaunchCheck& check, const LaunchOptions& options, const Tensor& tensor,
              std::initializer_list<int> dimensions, std::initializer_list<index> extents,
              int copied = kAsTheyRun)
      : check_(check), options_(options), tensor_(tensor), source_(tensor), workspace_(options.stream) {
    if (!check.ok() || detail::is_empty(tensor) || !device_has_boxes()) return;
    policy_ = detail::cache_policy(tensor, extents);
    for (const int dimension : dimensions) {
      if (!has_boxes(tensor, dimension)) continue;
      if (lines_ == 0) is_slow_ = !aligned_lines(tensor, dimension, 32);
      lines_ |= 1u << dimension;
    }
    if (lines_ != 0) return;
    const bool is_asked_for = options.variant >= 0;
    const double reads = detail::is_repeated(tensor) ? kFewestReads : 0;
    if (is_asked_for || detail::has_terms(tensor, extents, kFewestTerms, reads))
      plan_copy(copied == kAsTheyRun ? detail::dimension_of_lines(tensor, dimensions) : copied);
  }

  /// How many bytes of memory products read of it, once; 0 where the check has found a mistake.
  double bytes() const { return check_.ok() ? static_cast<double>(detail::footprint(source_)) : 0; }

  /// Whether the copy engine takes its boxes half as fast as others: of lines that begin elsewhere than at multiples of 32
  /// bytes.
  bool is_slow() const { return is_slow_; }

  /// Whether boxes can be copied of lines along `dimension`, one of those asked for.
  bool lie_along(int dimension) const { return (lines_ >> dimension & 1) != 0; }

  /// Whether boxes can be copied at all.
  bool are_there() const { return lines_ != 0; }

  /// The map of boxes of so many lines along kLineDimension and kSpanBytes along kPositionDimension. The copy, if there is
  /// one, is queued here.
  template <int kLineDimension, int kPositionDimension, int kSpanBytes = 128>
  TESSERA_OUT_OF_LINE TensorMap map(int lines) {
    if (along_ >= 0) copy();
    return tensor_map<T, Rank, kLineDimension, kPositionDimension, kSpanBytes>(check_, tensor_, lines,
                                                                               policy_);
  }

 private:
  void plan_copy(int along) {
    Tensor copy = source_;
    index bytes;
    if (!detail::lay_in_lines(copy, along, sizeof(Element), bytes) ||
        __builtin_mul_overflow(bytes, static_cast<index>(sizeof(Element)), &bytes))
      return;
    copy.data = nullptr;  // any memory that is taken begins at a chunk
    if (!has_boxes(copy, along)) return;
    copy.data = workspace_.take(bytes);
    if (copy.data == nullptr) return;
    tensor_ = copy;
    along_ = along;
    lines_ = 1u << along;
  }

  void copy() {
    Tensor from, to;
    const bool turns = detail::put_in_order(source_, tensor_, along_, from, to);
    along_ = -1;
    LaunchCheck check(check_.kernel());
    check.tensor<const Element, detail::kLineCopyDimensions>(0, "copied tensor", from);
    check.tensor<Element, detail::kLineCopyDimensions>(1, "copy in lines", to);
    check_.pass_on(launch(check, options_, detail::copy_into_lines<Element>,
                          Blocks{detail::line_copy_tiles(to, sizeof(Element))},
                          Threads{detail::kLineCopyThreads, kBeginsEarly}, DynamicShared{},
                          view<const Element, detail::kLineCopyDimensions>(from),
                          view<Element, detail::kLineCopyDimensions>(to), turns));
  }

  LaunchCheck& check_;
  const LaunchOptions& options_;
  Tensor tensor_;  // whose boxes are copied
  Tensor source_;
  Workspace workspace_;
  CachePolicy policy_ = CachePolicy::normal;
  bool is_slow_ = false;
  unsigned lines_ = 0;  // a bit for each dimension along which lines have boxes
  int along_ = -1;      // the dimension of the lines of a copy that has not been made yet
};

}  // namespace tessera
