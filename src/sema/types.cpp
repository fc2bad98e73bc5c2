// SPDX-License-Identifier: Apache-2.0
// Names of element types and the rules between them.
#include "sema/types.h"

namespace tessera::sema {

namespace {

std::optional<std::string> similar_type(const std::string& name, std::vector<std::string> names) {
  if (const auto known = type_of_other_languages(name)) return std::string(*known);
  for (const DTypeInfo& row : all_dtypes()) names.emplace_back(row.spelling);
  return nearest(name, names);
}

}  // namespace

std::optional<DType> resolve_type(Context& context, const ast::Name& name,
                                  const std::vector<std::string>& others) {
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
  if (const auto suggestion = similar_type(name.text, others)) {
    report.fix(name.span, *suggestion, fmt::format("did you mean `{}`?", *suggestion));
  }
  for (const std::string& other : others) report.note("besides a type, `{}` may stand here", other);
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
