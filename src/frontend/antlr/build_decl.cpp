// SPDX-License-Identifier: Apache-2.0
// Declarations, their parameters and clauses.
#include <algorithm>

#include "base/check.h"
#include "frontend/antlr/builder.h"

namespace tessera::antlr {

namespace {

using P = TesseraParser;

ast::Direction direction_of(const antlr4::Token* token) {
  if (token == nullptr) return ast::Direction::none;
  switch (token->getType()) {
    case P::IN: return ast::Direction::in;
    case P::OUT: return ast::Direction::out;
    case P::INOUT: return ast::Direction::inout;
    default: unreachable("the grammar admits directions only");
  }
}

}  // namespace

ast::DeclId Builder::build(P::DeclarationContext* context) {
  std::vector<ast::Annotation> annotations = build(context->annotations);
  const bool takes_annotations = context->kernel || context->fn || context->graph;
  if (!takes_annotations && !annotations.empty())
    sink_.report(Diag::annotation_on_declaration, annotations.front().span);
  const auto add = [&](antlr4::ParserRuleContext* part, ast::DeclNode node) {
    const ast::DeclId id = add_decl(part, std::move(node), std::move(annotations));
    file_.decls[id].documentation = documentation_before(context->start);
    return id;
  };
  if (auto* d = context->kernel) return add(d, build(d));
  if (auto* d = context->fn) return add(d, build(d));
  if (auto* d = context->graph) return add(d, build(d));
  if (auto* d = context->mesh) return add(d, build(d));
  if (auto* d = context->instance) return add(d, build(d));
  if (auto* d = context->import_) return add(d, build(d));
  if (auto* d = context->extern_) return add(d, build(d));
  return add(context->const_, build(context->const_));
}

ast::DeclId Builder::add_decl(antlr4::ParserRuleContext* context, ast::DeclNode node,
                              std::vector<ast::Annotation> annotations) {
  return file_.decls.add({span_of(context), {}, std::move(annotations), std::move(node)});
}

/// The `///` lines that end on the line before `start`, without slashes, the first space and the last ones.
std::vector<std::string> Builder::documentation_before(const antlr4::Token* start) const {
  const SourceFile& source = tokens_.source();
  std::vector<std::string> lines;
  std::uint32_t next = span_of(start).begin;
  const auto after =
      std::ranges::lower_bound(file_.comments, next, {}, [](const ast::Comment& c) { return c.span.begin; });
  for (auto comment = after; comment != file_.comments.begin();) {
    --comment;
    if (comment->kind != ast::Comment::Kind::documentation) break;
    const Span between{source.id(), comment->span.end, next};
    const std::string_view gap = source.text_of(between);
    if (gap.find_first_not_of(" \t\r\n\f") != std::string_view::npos || std::ranges::count(gap, '\n') != 1)
      break;
    std::string_view text = source.text_of(comment->span).substr(3);
    if (text.starts_with(' ')) text.remove_prefix(1);
    lines.emplace_back(text.substr(0, text.find_last_not_of(" \t\r\f") + 1));
    next = comment->span.begin;
  }
  std::ranges::reverse(lines);
  return lines;
}

ast::KernelDecl Builder::build(P::KernelDeclContext* context) {
  ast::KernelDecl kernel;
  kernel.name = name_of(context->name);
  kernel.generics = build(context->generics);
  kernel.parameters = build(context->params);
  kernel.clauses = build_clauses(context->clauses);
  kernel.body = build(context->body);
  return kernel;
}

ast::FnDecl Builder::build(P::FnDeclContext* context, bool is_const) {
  ast::FnDecl fn;
  fn.is_const = is_const;
  fn.name = name_of(context->name);
  fn.generics = build(context->generics);
  fn.axes = names_of(context->axes);
  fn.parameters = build(context->params);
  fn.result = build_optional(context->result);
  fn.body = build(context->body);
  return fn;
}

ast::GraphDecl Builder::build(P::GraphDeclContext* context) {
  ast::GraphDecl graph;
  graph.name = name_of(context->name);
  graph.generics = build(context->generics);
  graph.parameters = build(context->params);
  graph.result = build_optional(context->result);
  require_word(context->on, "on");
  if (context->mesh != nullptr) graph.mesh = name_of(context->mesh);
  graph.clauses = build_clauses(context->clauses);
  graph.body = build(context->body);
  return graph;
}

ast::MeshDecl Builder::build(P::MeshDeclContext* context) {
  return {name_of(context->name), build(context->axes)};
}

ast::InstanceDecl Builder::build(P::InstanceDeclContext* context) {
  return {name_of(context->kernel), build(context->generics), name_of(context->name)};
}

ast::ImportDecl Builder::build(P::ImportDeclContext* context) {
  require_word(context->from, "from");
  return {names_of(context->names), unquoted(context->path), span_of(context->path)};
}

ast::ExternFnDecl Builder::build(P::ExternFnDeclContext* context) {
  require_word(context->from, "from");
  ast::ExternFnDecl fn;
  fn.name = name_of(context->name);
  fn.parameters = build(context->params);
  fn.result = build_optional(context->result);
  fn.header = unquoted(context->header);
  fn.header_span = span_of(context->header);
  return fn;
}

ast::DeclNode Builder::build(P::ConstDeclContext* context) {
  if (context->fn != nullptr) return build(context->fn, true);
  return ast::ConstDecl{name_of(context->name), build_optional(context->constType), build(context->value)};
}

std::vector<ast::GenericParameter> Builder::build(P::GenericParametersContext* context) {
  std::vector<ast::GenericParameter> generics;
  if (context == nullptr) return generics;
  for (P::GenericParameterContext* item : context->items) generics.push_back(build(item));
  return generics;
}

ast::GenericParameter Builder::build(P::GenericParameterContext* context) {
  ast::GenericParameter parameter;
  parameter.span = span_of(context);
  parameter.name = name_of(context->name);
  const std::string_view kind = tokens_.text_of(context->kind);
  if (kind == "fn") {
    parameter.kind = ast::GenericParameter::Kind::function;
  } else if (kind == "int") {
    parameter.kind = ast::GenericParameter::Kind::integer;
  } else if (kind != "type") {
    sink_.report(Diag::unknown_generic_kind, span_of(context->kind), kind)
        .note("the kinds are `type`, `int` and `fn`");
  }
  if (context->bound != nullptr) parameter.bound = name_of(context->bound);
  if (context->defaultValue != nullptr) parameter.default_value = build(context->defaultValue);
  return parameter;
}

std::vector<ast::Parameter> Builder::build(P::ParametersContext* context) {
  std::vector<ast::Parameter> parameters;
  for (P::ParameterContext* item : context->items) {
    if (!item->exception) parameters.push_back(build(item));
  }
  return parameters;
}

ast::Parameter Builder::build(P::ParameterContext* context) {
  ast::Parameter parameter;
  parameter.span = span_of(context);
  parameter.direction = direction_of(context->direction);
  parameter.name = name_of(context->name);
  parameter.type = build(context->parameterType);
  parameter.nullable = context->nullable != nullptr;
  for (P::PropertyContext* property : context->properties) parameter.properties.push_back(build(property));
  parameter.initial = build_optional(context->initial);
  return parameter;
}

ast::Property Builder::build(P::PropertyContext* context) {
  ast::Property property{span_of(context), name_of(context->name), {}};
  for (P::ExpressionContext* value : context->values) property.values.push_back(build(value));
  return property;
}

std::vector<ast::Clause> Builder::build_clauses(const std::vector<P::ClauseContext*>& contexts) {
  std::vector<ast::Clause> clauses;
  for (P::ClauseContext* context : contexts) {
    if (!context->exception) clauses.push_back(build(context));
  }
  return clauses;
}

ast::Clause Builder::build(P::ClauseContext* context) {
  const Span span = span_of(context);
  if (context->kind->getType() == P::PRECISION) return {span, ast::PrecisionClause{build(context->args)}};
  if (context->kind->getType() == P::VERIFY) return {span, ast::VerifyClause{build(context->args)}};
  ast::WhereClause where;
  for (P::ExpressionContext* condition : context->conditions) where.conditions.push_back(build(condition));
  return {span, std::move(where)};
}

}  // namespace tessera::antlr
