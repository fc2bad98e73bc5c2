// SPDX-License-Identifier: Apache-2.0
// TensorMap: what the copy engine of a multiprocessor (TMA) knows of a tensor in global memory: from compute capability
// 9.0 on.
#pragma once

#include "tessera/architecture.h"
#include "tessera/boxes_of_tensor.h"
#include "tessera/launch_check.h"
#include "tessera/ptx_mma.h"
#include "tessera/recent_maps.h"

#if TESSERA_TWIN
#include "tessera/twin/tensor_map.h"
#else
#include <cuda.h>
#include <cuda_runtime.h>
#endif

namespace tessera {

/// The box that a copy brings: the bytes of a span along kPositionDimension, whose elements are neighbours in memory, so
/// many lines along another dimension, one element along each of the rest.
template <int kLineDimension_, int kPositionDimension_>
struct TensorBox {
  static constexpr int kLineDimension = kLineDimension_, kPositionDimension = kPositionDimension_;
  static_assert(kLineDimension != kPositionDimension, "a box has two dimensions");
  int lines;
};

namespace detail {

/// The dimension of a tensor that is number `i` of its map: the one whose elements are neighbours, then the others.
template <int kPositionDimension>
TESSERA_HD constexpr int mapped_dimension(int i) {
  return i == 0 ? kPositionDimension : i <= kPositionDimension ? i - 1 : i;
}

}  // namespace detail

#if TESSERA_TWIN
using BoxMap = twin::BoxMap;
#else

/// For device code 128 opaque bytes.
using BoxMap = CUtensorMap;

namespace detail {

/// The driver's function, without linking the driver; null where it has none.
inline auto tensor_map_encoder() {
  static const auto kEncoder = [] {
    void* function = nullptr;
    cudaDriverEntryPointQueryResult found;
    const cudaError_t error = cudaGetDriverEntryPointByVersion("cuTensorMapEncodeTiled", &function, 12000,
                                                               cudaEnableDefault, &found);
    const bool is_there = error == cudaSuccess && found == cudaDriverEntryPointSuccess;
    return is_there ? reinterpret_cast<decltype(&cuTensorMapEncodeTiled)>(function) : nullptr;
  }();
  return kEncoder;
}

/// Elements are copied as they are, and their size is all that counts, but where floats are rounded.
inline CUtensorMapDataType map_type(const BoxesOfTensor& boxes) {
  if (boxes.rounds_to_tf32) return CU_TENSOR_MAP_DATA_TYPE_TFLOAT32;
  switch (boxes.element_bytes) {
    case 1: return CU_TENSOR_MAP_DATA_TYPE_UINT8;
    case 2: return CU_TENSOR_MAP_DATA_TYPE_UINT16;
    case 4: return CU_TENSOR_MAP_DATA_TYPE_UINT32;
    default: return CU_TENSOR_MAP_DATA_TYPE_UINT64;
  }
}

/// Whether the driver takes the boxes; the map is theirs then.
TESSERA_OUT_OF_LINE inline bool encode(BoxMap& map, const BoxesOfTensor& boxes) {
  const auto encoder = tensor_map_encoder();
  const CUtensorMapSwizzle swizzle = boxes.span_bytes == 128  ? CU_TENSOR_MAP_SWIZZLE_128B
                                     : boxes.span_bytes == 64 ? CU_TENSOR_MAP_SWIZZLE_64B
                                                              : CU_TENSOR_MAP_SWIZZLE_32B;
  cuuint64_t extents[BoxesOfTensor::kMostDimensions], strides[BoxesOfTensor::kMostDimensions];
  cuuint32_t counts[BoxesOfTensor::kMostDimensions], steps[BoxesOfTensor::kMostDimensions];
  for (int i = 0; i < boxes.rank; ++i) {
    extents[i] = static_cast<cuuint64_t>(boxes.extent[i]);
    strides[i] = static_cast<cuuint64_t>(boxes.stride[i]);
    counts[i] = static_cast<cuuint32_t>(boxes.box[i]);
    steps[i] = 1;
  }
  return encoder != nullptr &&
         encoder(&map, map_type(boxes), static_cast<cuuint32_t>(boxes.rank), boxes.data, extents, strides + 1,
                 counts, steps, CU_TENSOR_MAP_INTERLEAVE_NONE, swizzle, CU_TENSOR_MAP_L2_PROMOTION_L2_128B,
                 CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE) == CUDA_SUCCESS;
}

}  // namespace detail
#endif

/// A kernel takes it as `TESSERA_PARAMETER TensorMap`.
struct TensorMap : BoxMap {
  CachePolicy policy;
  int lines = 0;  ///< of a box

  TESSERA_HD const BoxMap& map() const { return *this; }
};

namespace detail {

/// The same, or what this thread has had of it.
TESSERA_OUT_OF_LINE inline bool find_or_encode(BoxMap& map, const BoxesOfTensor& boxes) {
  static thread_local RecentMaps<BoxMap> maps;
  return maps.find(map, boxes, encode);
}

}  // namespace detail

/// Describes the boxes of a tensor: kSpanBytes of each line come with one copy, their chunks swizzled as an OperandTile has
/// them; floats are rounded if T is tf32. False where the copy engine takes no such boxes.
template <typename T, int Rank, int kSpanBytes, typename Box>
inline bool make_tensor_map(TensorMap& map, const Tensor& tensor, Box box) {
  static_assert(Rank >= 2 && Rank <= BoxesOfTensor::kMostDimensions, "maps have two to five dimensions");
  constexpr int kPosition = Box::kPositionDimension;
  if (tensor.extent[kPosition] > 1 && tensor.stride[kPosition] != 1) return false;
  BoxesOfTensor boxes;
  boxes.data = tensor.data;
  boxes.rank = Rank;
  boxes.element_bytes = sizeof(T);
  boxes.rounds_to_tf32 = std::is_same_v<T, tf32>;
  boxes.span_bytes = kSpanBytes;
  for (int i = 0; i < Rank; ++i) {
    const int d = detail::mapped_dimension<kPosition>(i);
    boxes.extent[i] = tensor.extent[d];
    boxes.stride[i] = tensor.extent[d] > 1 ? tensor.stride[d] * static_cast<index>(sizeof(T)) : 16;
    boxes.box[i] = d == kPosition             ? kSpanBytes / static_cast<int>(sizeof(T))
                   : d == Box::kLineDimension ? box.lines
                                              : 1;
  }
  if (!detail::find_or_encode(map, boxes)) return false;
  map.policy = CachePolicy::normal;
  map.lines = box.lines;
  return true;
}

/// Whether boxes can be copied, and multiplied by warpgroups: on chips of compute capability 9.0.
inline bool device_has_boxes() {
#if TESSERA_TWIN
  return true;
#else
  return device_architecture() == 90 && detail::tensor_map_encoder() != nullptr;
#endif
}

/// Whether boxes of a tensor, whose elements along `dimension` follow each other, can be copied on this device.
TESSERA_OUT_OF_LINE inline bool has_boxes(const Tensor& tensor, int dimension) {
  // Coordinates of boxes are ints, also of those behind the end of the tensor, in its last tile.
  constexpr index kExtentEnd = (index{1} << 31) - 1024, kStrideEnd = index{1} << 40;
  if (!aligned_lines(tensor, dimension, 16)) return false;
  for (int d = 0; d < tensor.rank; ++d) {
    if (tensor.extent[d] < 1 || tensor.extent[d] >= kExtentEnd) return false;
    const bool is_line = d != dimension && tensor.extent[d] > 1;
    if (is_line &&
        (tensor.stride[d] <= 0 || tensor.stride[d] * detail::dtype_bytes(tensor.dtype) >= kStrideEnd))
      return false;
  }
  return device_has_boxes();
}

/// The map of boxes of so many lines along kLineDimension and kSpanBytes along kPositionDimension, of a tensor that has boxes
/// which are copied to be read.
template <typename T, int Rank, int kLineDimension, int kPositionDimension, int kSpanBytes = 128>
inline TensorMap tensor_map(LaunchCheck& check, const Tensor& tensor, int lines,
                            CachePolicy policy = CachePolicy::normal) {
  TensorMap map;
  const bool is_made = check.ok() && make_tensor_map<T, Rank, kSpanBytes>(
                                         map, tensor, TensorBox<kLineDimension, kPositionDimension>{lines});
  check.require(is_made, "boxes of its tensors can be copied");
  map.policy = policy;
  return map;
}

}  // namespace tessera
