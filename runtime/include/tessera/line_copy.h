// SPDX-License-Identifier: Apache-2.0
// What a copy of a tensor in lines looks like, and in which order both are walked over.
#pragma once

#include "tessera/copy_into_lines.h"

namespace tessera::detail {

inline constexpr index kCopiedLineBytes = 128;  // that lines of a copy begin at multiples of

/// Whether a launch computes so many terms, and so many of each element of a tensor.
inline bool has_terms(const Tensor& tensor, std::initializer_list<index> extents, double terms,
                      double terms_of_element) {
  double all = 1, elements = 1;
  for (const index extent : extents) all *= static_cast<double>(extent);
  for (int d = 0; d < tensor.rank; ++d) elements *= static_cast<double>(tensor.extent[d]);
  return all >= terms && all >= terms_of_element * elements;
}

/// Whether some elements of a tensor have one place in memory: it has more of them than memory between its ends.
inline bool is_repeated(const Tensor& tensor) {
  double bytes = static_cast<double>(dtype_bytes(tensor.dtype));
  for (int d = 0; d < tensor.rank; ++d) bytes *= static_cast<double>(tensor.extent[d]);
  return bytes > static_cast<double>(footprint(tensor));
}

/// Of a factor with an element in each of the products that `extents` multiply to: one of which each element meets so few
/// others that a tile or two have all of them is read once.
inline CachePolicy cache_policy(const Tensor& tensor, std::initializer_list<index> extents) {
  constexpr double kAny = 0, kMostReads = 128;
  return has_terms(tensor, extents, kAny, kMostReads + 1) ? CachePolicy::normal : CachePolicy::evict_first;
}

/// The dimension whose elements follow each other, if lines may run along it.
inline int dimension_of_lines(const Tensor& tensor, std::initializer_list<int> dimensions) {
  for (const int dimension : dimensions)
    if (tensor.stride[dimension] == 1) return dimension;
  return dimensions.begin()[dimensions.size() - 1];
}

/// Gives a tensor the strides of a copy with lines along a dimension, and says how many elements it takes; false where those
/// are too many.
inline bool lay_in_lines(Tensor& copy, int along, int element_bytes, index& elements) {
  const index chunk = kCopiedLineBytes / element_bytes;
  elements = ceil_divide(copy.extent[along], chunk) * chunk;
  copy.stride[along] = 1;
  for (int d = copy.rank - 1; d >= 0; --d) {
    if (d == along) continue;
    copy.stride[d] = elements;
    if (__builtin_mul_overflow(elements, copy.extent[d], &elements)) return false;
  }
  return true;
}

inline void put_in_order(Tensor& result, const Tensor& tensor, int last_but_one, int last) {
  result = tensor;
  result.rank = kLineCopyDimensions;
  int place = 0;
  const auto put = [&](index extent, index stride) {
    result.extent[place] = extent;
    result.stride[place++] = stride;
  };
  for (int d = tensor.rank; d < kLineCopyDimensions; ++d) put(1, 1);
  for (int d = 0; d < tensor.rank; ++d)
    if (d != last && d != last_but_one) put(tensor.extent[d], tensor.stride[d]);
  put(tensor.extent[last_but_one], tensor.stride[last_but_one]);
  put(tensor.extent[last], tensor.stride[last]);
}

/// The dimensions of a tensor and of its copy in the order of copy_into_lines: those of lines last, extents of 1 before all.
/// True where lines of the source run along another dimension.
inline bool put_in_order(const Tensor& source, const Tensor& copy, int along, Tensor& from, Tensor& to) {
  int across = -1;  // the dimension before the last of the copy: that of the source's lines, or any other
  for (int d = 0; d < source.rank; ++d)
    if (d != along && (across < 0 || source.stride[d] == 1)) across = d;
  const bool turns = source.stride[along] != 1 && source.stride[across] == 1;
  put_in_order(from, source, turns ? along : across, turns ? across : along);
  put_in_order(to, copy, across, along);
  return turns;
}

/// Of elements of so many bytes; each is one round of a block that copies.
inline index line_copy_tiles(const Tensor& to, int element_bytes) {
  index tiles = 1;
  for (int d = 0; d < kLineCopyDimensions; ++d)
    tiles *= d < 3 ? to.extent[d] : ceil_divide(to.extent[d], line_copy_tile(element_bytes));
  return tiles;
}

}  // namespace tessera::detail
