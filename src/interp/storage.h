// SPDX-License-Identifier: Apache-2.0
// From an element type to the C++ type that stores it.
#pragma once

#include <cstdint>
#include <type_traits>
#include <utility>

#include "base/check.h"
#include "base/dtype.h"
#include "tessera/convert.h"

namespace tessera::interp {

template <typename T>
struct TypeTag {
  using Type = T;
};

/// Calls `visit(TypeTag<Storage>{})` for the storage of a type that is not packed, and returns its result.
template <typename Visit>
decltype(auto) with_storage(DType dtype, Visit&& visit) {
  switch (dtype) {
    case DType::boolean: return visit(TypeTag<bool>{});
    case DType::i8: return visit(TypeTag<std::int8_t>{});
    case DType::i16: return visit(TypeTag<std::int16_t>{});
    case DType::i32: return visit(TypeTag<std::int32_t>{});
    case DType::i64:
    case DType::index: return visit(TypeTag<std::int64_t>{});
    case DType::u8: return visit(TypeTag<std::uint8_t>{});
    case DType::u16: return visit(TypeTag<std::uint16_t>{});
    case DType::u32: return visit(TypeTag<std::uint32_t>{});
    case DType::u64: return visit(TypeTag<std::uint64_t>{});
    case DType::fp8_e4m3: return visit(TypeTag<fp8_e4m3>{});
    case DType::fp8_e5m2: return visit(TypeTag<fp8_e5m2>{});
    case DType::f16: return visit(TypeTag<f16>{});
    case DType::bf16: return visit(TypeTag<bf16>{});
    case DType::f32: return visit(TypeTag<float>{});
    case DType::f64: return visit(TypeTag<double>{});
    case DType::i4:
    case DType::u4: break;
  }
  unreachable("packed element types have no storage of their own");
}

}  // namespace tessera::interp
