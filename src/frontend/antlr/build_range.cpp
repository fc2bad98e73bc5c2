// SPDX-License-Identifier: Apache-2.0
// Ranges (R5): `name in domain by step where relation`.
#include "base/check.h"
#include "frontend/antlr/builder.h"

namespace tessera::antlr {

std::vector<ast::Range> Builder::build(const std::vector<P::RangeContext*>& contexts) {
  std::vector<ast::Range> ranges;
  ranges.reserve(contexts.size());
  for (P::RangeContext* context : contexts) ranges.push_back(build(context));
  return ranges;
}

ast::Range Builder::build(P::RangeContext* context) {
  return build_range(span_of(context), context->name, context->in, context->stepOf, context->relation);
}

ast::Range Builder::build_range(Span span, const antlr4::Token* name, P::DomainContext* domain,
                                P::StepContext* step, P::ExpressionContext* relation) {
  ast::Range range;
  range.span = span;
  range.name = name_of(name);
  range.domain = build(domain);
  if (step != nullptr) range.step = build(step);
  range.relation = build_optional(relation);
  return range;
}

ast::StaticBinding Builder::build(P::StaticBindingContext* context) {
  return {span_of(context), names_of(context->names), context->tuple != nullptr, build(context->in)};
}

ast::Domain Builder::build(P::DomainContext* context) {
  const Span span = span_of(context);
  const ast::ExprId first = build(context->first);
  require_tight(first);
  if (context->end != nullptr) {
    const ast::ExprId end = build(context->end);
    require_tight(end);
    return {span, ast::BoundsDomain{first, end}};
  }
  const ast::Expr& expr = file_.exprs[first];
  const auto* index = std::get_if<ast::Index>(&expr.node);
  if (index != nullptr && index->elements.size() == 1 && !expr.parenthesized) {
    const auto* slice = std::get_if<ast::SliceIndex>(&index->elements.front().node);
    const ast::Expr& base = file_.exprs[index->base];
    const auto* dimension = std::get_if<ast::NameRef>(&base.node);
    if (slice != nullptr && dimension != nullptr) {
      return {span, ast::PartDomain{{dimension->name, base.span}, slice->lo, slice->hi}};
    }
  }
  return {span, ast::WholeDomain{first}};
}

ast::Step Builder::build(P::StepContext* context) {
  if (context->automatic != nullptr) return ast::AutoStep{span_of(context->automatic)};
  const ast::ExprId value = build(context->value);
  require_tight(value);
  return value;
}

/// Bounds and steps are expressions of level `|`: what binds weaker reads as part of something else.
void Builder::require_tight(ast::ExprId id) {
  const ast::Expr& expr = file_.exprs[id];
  if (expr.parenthesized) return;
  const auto refuse = [&](std::string_view op) {
    const std::string text(tokens_.source().text_of(expr.span));
    sink_.report(Diag::weak_operator_in_range, expr.span, op)
        .fix(expr.span, fmt::format("({})", text), "add them");
  };
  if (const auto* binary = std::get_if<ast::Binary>(&expr.node)) {
    if (ast::precedence(binary->op) < ast::precedence(ast::BinaryOp::bit_or)) refuse(spelling(binary->op));
  } else if (std::holds_alternative<ast::Membership>(expr.node)) {
    refuse("in");
  }
}

}  // namespace tessera::antlr
