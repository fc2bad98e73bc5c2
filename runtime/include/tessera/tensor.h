/* SPDX-License-Identifier: Apache-2.0 */
/* The tensor that crosses the interface of a generated kernel: plain C11, a few helpers for C++. */
#ifndef TESSERA_TENSOR_H
#define TESSERA_TENSOR_H

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/** Element types, as they stand in TesseraTensor::dtype. The numbers are part of the binary interface. */
enum TesseraDType {
  TESSERA_BOOL = 0,
  TESSERA_I8 = 2,
  TESSERA_I16 = 3,
  TESSERA_I32 = 4,
  TESSERA_I64 = 5,
  TESSERA_U8 = 7,
  TESSERA_U16 = 8,
  TESSERA_U32 = 9,
  TESSERA_U64 = 10,
  TESSERA_INDEX = 11, /**< stored like TESSERA_I64, and taken for it */
  TESSERA_FP8_E4M3 = 12,
  TESSERA_FP8_E5M2 = 13,
  TESSERA_F16 = 14,
  TESSERA_BF16 = 15,
  TESSERA_F32 = 16,
  TESSERA_F64 = 17
};

/** The most dimensions a tensor has. */
enum { TESSERA_MAX_RANK = 8 };

/** The value of TesseraTensor::device for host memory. */
enum { TESSERA_HOST = -1 };

/** A view of memory that somebody else owns. Element (i0, i1, …) lies at data + (i0 * stride[0] + i1 *
   stride[1] + …) elements. Only the first `rank` entries count. Strides are not negative; 0 (one element
   stands for many) is allowed only for tensors that a kernel reads. `data` may be null when an extent is 0.
 */
typedef struct TesseraTensor {
  void* data;
  int64_t extent[TESSERA_MAX_RANK];
  int64_t stride[TESSERA_MAX_RANK]; /**< in elements */
  int32_t rank;
  int32_t dtype;  /**< one of TesseraDType */
  int32_t device; /**< TESSERA_HOST or the ordinal of a GPU */
} TesseraTensor;

/** A scalar argument of the type-erased entry of a kernel: `real` for floats, `integer` for everything else.
 */
typedef union TesseraScalar {
  double real;
  int64_t integer;
} TesseraScalar;

#ifdef __cplusplus
}  // extern "C"

#include <initializer_list>

#include "tessera/narrow.h"

namespace tessera {

/// Sizes, offsets and the type `index` of the language. 64 bits, so that no tensor is too large for it.
using index = std::int64_t;

using Tensor = TesseraTensor;

/// kDType<T> is the entry of TesseraDType for the C++ type of an element.
template <typename T>
inline constexpr std::int32_t kDType = -1;
template <typename T>
inline constexpr std::int32_t kDType<const T> = kDType<T>;
template <>
inline constexpr std::int32_t kDType<bool> = TESSERA_BOOL;
template <>
inline constexpr std::int32_t kDType<std::int8_t> = TESSERA_I8;
template <>
inline constexpr std::int32_t kDType<std::int16_t> = TESSERA_I16;
template <>
inline constexpr std::int32_t kDType<std::int32_t> = TESSERA_I32;
template <>
inline constexpr std::int32_t kDType<std::int64_t> = TESSERA_I64;
template <>
inline constexpr std::int32_t kDType<std::uint8_t> = TESSERA_U8;
template <>
inline constexpr std::int32_t kDType<std::uint16_t> = TESSERA_U16;
template <>
inline constexpr std::int32_t kDType<std::uint32_t> = TESSERA_U32;
template <>
inline constexpr std::int32_t kDType<std::uint64_t> = TESSERA_U64;
template <>
inline constexpr std::int32_t kDType<fp8_e4m3> = TESSERA_FP8_E4M3;
template <>
inline constexpr std::int32_t kDType<fp8_e5m2> = TESSERA_FP8_E5M2;
template <>
inline constexpr std::int32_t kDType<f16> = TESSERA_F16;
template <>
inline constexpr std::int32_t kDType<bf16> = TESSERA_BF16;
template <>
inline constexpr std::int32_t kDType<float> = TESSERA_F32;
template <>
inline constexpr std::int32_t kDType<double> = TESSERA_F64;

/// A tensor over `data` with the given extents and strides (in elements). Owns nothing; at most
/// TESSERA_MAX_RANK of each.
template <typename T>
inline Tensor strided_tensor(T* data, std::initializer_list<index> extents,
                             std::initializer_list<index> strides, int device = TESSERA_HOST) {
  static_assert(kDType<T> >= 0, "T is the C++ type of a tensor element");
  Tensor tensor{};
  tensor.data = const_cast<void*>(static_cast<const void*>(data));
  for (const index extent : extents) {
    tensor.extent[tensor.rank] = extent;
    tensor.stride[tensor.rank] = strides.begin()[tensor.rank];
    ++tensor.rank;
  }
  tensor.dtype = kDType<T>;
  tensor.device = device;
  return tensor;
}

/// A tensor over `data` in row-major order without gaps.
template <typename T>
inline Tensor tensor(T* data, std::initializer_list<index> extents, int device = TESSERA_HOST) {
  Tensor result = strided_tensor(data, extents, extents, device);
  index stride = 1;
  for (int dimension = result.rank - 1; dimension >= 0; --dimension) {
    result.stride[dimension] = stride;
    stride *= result.extent[dimension];
  }
  return result;
}

}  // namespace tessera
#endif /* __cplusplus */

#endif /* TESSERA_TENSOR_H */
