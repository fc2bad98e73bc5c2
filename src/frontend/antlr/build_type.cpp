// SPDX-License-Identifier: Apache-2.0
// Types and their dimensions.
#include "frontend/antlr/builder.h"

namespace tessera::antlr {

ast::TypeId Builder::build(P::TypeContext* context) {
  const Span span = span_of(context);
  if (context->list != nullptr) return file_.types.add({span, ast::ListType{build(context->item)}});
  if (context->element == nullptr) {
    ast::TupleType tuple;
    for (P::TypeContext* item : context->items) tuple.elements.push_back(build(item));
    // As with expressions, parentheses around one type say nothing.
    if (tuple.elements.size() == 1) return tuple.elements.front();
    return file_.types.add({span, std::move(tuple)});
  }
  ast::Name element = name_of(context->element);
  if (context->open == nullptr) return file_.types.add({span, ast::ScalarType{std::move(element)}});
  std::vector<ast::Dimension> dimensions;
  dimensions.reserve(context->dimensions.size());
  for (P::DimensionContext* dimension : context->dimensions) dimensions.push_back(build(dimension));
  return file_.types.add({span, ast::TensorType{std::move(element), std::move(dimensions)}});
}

ast::Dimension Builder::build(P::DimensionContext* context) {
  ast::Dimension dimension;
  dimension.span = span_of(context);
  if (context->rest != nullptr) {
    dimension.kind = ast::Dimension::Kind::rest;
    return dimension;
  }
  dimension.size = build(context->size);
  if (context->leading != nullptr) dimension.kind = ast::Dimension::Kind::leading;
  if (context->on != nullptr) {
    require_word(context->on, "on");
    dimension.mesh_axis = name_of(context->meshAxis);
  }
  return dimension;
}

}  // namespace tessera::antlr
