// SPDX-License-Identifier: Apache-2.0
// Names of element types and the rules between them.
#include "sema/types.h"

#include <map>

namespace tessera::sema {

namespace {

/// Spellings of other languages, and ours.
std::optional<std::string> foreign_spelling(const std::string& name) {
  static const std::map<std::string, std::string, std::less<>> table = {
      {"float", "f32"},   {"double", "f64"},  {"half", "f16"},     {"bfloat16", "bf16"}, {"float32", "f32"},
      {"float64", "f64"}, {"float16", "f16"}, {"int", "i32"},      {"int8", "i8"},       {"int16", "i16"},
      {"int32", "i32"},   {"int64", "i64"},   {"uint8", "u8"},     {"uint16", "u16"},    {"uint32", "u32"},
      {"uint64", "u64"},  {"long", "i64"},    {"unsigned", "u32"}, {"size_t", "index"},  {"fp32", "f32"},
      {"fp64", "f64"},    {"fp16", "f16"},    {"boolean", "bool"}, {"e4m3", "fp8_e4m3"}, {"e5m2", "fp8_e5m2"},
  };
  const auto entry = table.find(name);
  return entry != table.end() ? std::optional(entry->second) : std::nullopt;
}

std::optional<std::string> similar_type(const std::string& name) {
  if (const auto known = foreign_spelling(name)) return known;
  std::vector<std::string> names;
  for (const DTypeInfo& row : all_dtypes()) names.emplace_back(row.spelling);
  return nearest(name, names);
}

}  // namespace

std::optional<std::string> type_named(const std::string& name) {
  return dtype_from_spelling(name) ? std::optional(name) : foreign_spelling(name);
}

std::optional<DType> resolve_type(Context& context, const ast::Name& name) {
  if (Entity* entity = context.scope.find(name.text)) {
    if (const auto* type = std::get_if<TypeEntity>(&entity->node)) {
      entity->used = true;
      return type->dtype;
    }
    if (std::holds_alternative<ErrorEntity>(entity->node)) return std::nullopt;
  }
  if (const std::optional<DType> dtype = dtype_from_spelling(name.text)) {
    if (!is_packed(*dtype)) return dtype;
    not_implemented(context.sink, name.span, "the packed type `" + name.text + "`", "R23");
    return std::nullopt;
  }
  auto report = context.sink.report(Diag::unknown_type, name.span, name.text);
  if (const auto suggestion = similar_type(name.text)) {
    report.fix(name.span, *suggestion, fmt::format("did you mean `{}`?", *suggestion));
  }
  return std::nullopt;
}

std::optional<DType> common_type(DType left, DType right) {
  if (left == right) return left;
  if (is_float(left) && is_float(right)) {
    if (left == DType::f64 || right == DType::f64) return std::nullopt;
    return DType::f32;
  }
  const bool with_index = left == DType::index || right == DType::index;
  if (with_index && (left == DType::i32 || right == DType::i32)) return DType::index;
  return std::nullopt;
}

bool widens(DType from, DType to) {
  if (is_narrow_float(from)) return to == DType::f32;
  return from == DType::i32 && to == DType::index;
}

}  // namespace tessera::sema
