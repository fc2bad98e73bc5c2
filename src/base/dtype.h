// SPDX-License-Identifier: Apache-2.0
// Element types. Everything that depends on one asks its row (family, bits, …) rather than its name.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

namespace tessera {

enum class DType : std::uint8_t {
#define TESSERA_DTYPE(enumerator, spelling, bits, family, arithmetic, cpp, roundoff) enumerator,
#include "base/dtype.def"
};

/// What kind of values a type holds. A narrow float is storage only: it computes in f32.
enum class DTypeFamily : std::uint8_t { boolean, signed_int, unsigned_int, narrow_float, wide_float };

/// The facts about one element type.
struct DTypeInfo {
  DType dtype;
  std::string_view spelling;  ///< in .tsr: "bf16"
  std::uint8_t bits;          ///< of one stored element
  DTypeFamily family;
  DType arithmetic;      ///< the type in which arithmetic on it happens
  std::string_view cpp;  ///< in generated code: "tessera::bf16"
  double unit_roundoff;  ///< half an ulp of 1; 0 for types that are exact
};

/// The row of a type.
const DTypeInfo& info(DType dtype);
/// All rows in the order of the enumeration.
std::span<const DTypeInfo> all_dtypes();
/// The type with that spelling in .tsr, if there is one.
std::optional<DType> dtype_from_spelling(std::string_view spelling);
/// The spelling here of a type that CUDA or NumPy calls so: `f32` for `float`; ours stand for themselves.
std::optional<std::string_view> type_of_other_languages(std::string_view name);

inline std::string_view spelling(DType dtype) { return info(dtype).spelling; }
inline std::string_view cpp_spelling(DType dtype) { return info(dtype).cpp; }
inline DType arithmetic_type(DType dtype) { return info(dtype).arithmetic; }
/// Bytes of one stored element; 0 for packed types, of which two share a byte.
inline std::uint32_t size_in_bytes(DType dtype) { return info(dtype).bits / 8u; }

inline bool is_bool(DType dtype) { return info(dtype).family == DTypeFamily::boolean; }
inline bool is_signed_integer(DType dtype) { return info(dtype).family == DTypeFamily::signed_int; }
inline bool is_unsigned_integer(DType dtype) { return info(dtype).family == DTypeFamily::unsigned_int; }
inline bool is_integer(DType dtype) { return is_signed_integer(dtype) || is_unsigned_integer(dtype); }
inline bool is_narrow_float(DType dtype) { return info(dtype).family == DTypeFamily::narrow_float; }
inline bool is_float(DType dtype) {
  return is_narrow_float(dtype) || info(dtype).family == DTypeFamily::wide_float;
}
/// Floating point types of one byte.
inline bool is_fp8(DType dtype) { return is_narrow_float(dtype) && size_in_bytes(dtype) == 1; }
/// Types of which several elements share a byte (i4, u4): known by name, and refused until they are implemented.
inline bool is_packed(DType dtype) { return info(dtype).bits < 8; }

}  // namespace tessera
