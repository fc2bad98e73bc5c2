// SPDX-License-Identifier: Apache-2.0
// The table of element types, made from dtype.def.
#include "base/dtype.h"

#include "base/check.h"

namespace tessera {

namespace {

constexpr DTypeInfo kDTypes[] = {
#define TESSERA_DTYPE(enumerator, spelling, bits, family, arithmetic, cpp, roundoff) \
  {DType::enumerator, spelling, bits, DTypeFamily::family, DType::arithmetic, cpp, roundoff},
#include "base/dtype.def"
};

struct ForeignType {
  std::string_view name, spelling;
};

constexpr ForeignType kForeignTypes[] = {
    {"float", "f32"},     {"float32", "f32"},   {"fp32", "f32"},      {"double", "f64"},
    {"float64", "f64"},   {"fp64", "f64"},      {"half", "f16"},      {"__half", "f16"},
    {"float16", "f16"},   {"fp16", "f16"},      {"bfloat16", "bf16"}, {"__nv_bfloat16", "bf16"},
    {"e4m3", "fp8_e4m3"}, {"e5m2", "fp8_e5m2"}, {"int", "i32"},       {"int32", "i32"},
    {"int32_t", "i32"},   {"int64", "i64"},     {"int64_t", "i64"},   {"long", "i64"},
    {"int16", "i16"},     {"int16_t", "i16"},   {"short", "i16"},     {"int8", "i8"},
    {"int8_t", "i8"},     {"char", "i8"},       {"unsigned", "u32"},  {"uint", "u32"},
    {"uint32", "u32"},    {"uint32_t", "u32"},  {"uint64", "u64"},    {"uint64_t", "u64"},
    {"uint16", "u16"},    {"uint16_t", "u16"},  {"uint8", "u8"},      {"uint8_t", "u8"},
    {"size_t", "index"},  {"boolean", "bool"},
};

}  // namespace

const DTypeInfo& info(DType dtype) {
  const auto index = static_cast<std::size_t>(dtype);
  TESSERA_CHECK(index < std::size(kDTypes), "a dtype has a row in dtype.def");
  return kDTypes[index];
}

std::span<const DTypeInfo> all_dtypes() { return kDTypes; }

std::optional<DType> dtype_from_spelling(std::string_view spelling) {
  for (const DTypeInfo& row : kDTypes) {
    if (row.spelling == spelling) return row.dtype;
  }
  return std::nullopt;
}

std::optional<std::string_view> type_of_other_languages(std::string_view name) {
  if (const auto ours = dtype_from_spelling(name)) return spelling(*ours);
  for (const ForeignType& row : kForeignTypes) {
    if (row.name == name) return row.spelling;
  }
  return std::nullopt;
}

}  // namespace tessera
