// SPDX-License-Identifier: Apache-2.0
// Operands: literals, names, parentheses, and the calls, indices and members behind them.
#include "base/check.h"
#include "base/dtype.h"
#include "frontend/antlr/builder.h"

namespace tessera::antlr {

namespace {

using P = TesseraParser;

ast::UnaryOp unary_op(std::size_t token) {
  switch (token) {
    case P::MINUS: return ast::UnaryOp::negate;
    case P::NOT: return ast::UnaryOp::logical_not;
    case P::TILDE: return ast::UnaryOp::bitwise_not;
    default: unreachable("the grammar admits unary operators only");
  }
}

}  // namespace

ast::ExprId Builder::build(P::OperandContext* context) {
  ast::ExprId expr = build_suffixes(build_primary(context), context->suffixes);
  for (auto sign = context->unary.rbegin(); sign != context->unary.rend(); ++sign) {
    const Span op_span = span_of(*sign);
    const Span span = merge(op_span, file_.exprs[expr].span);
    expr = add_expr(span, ast::Unary{unary_op((*sign)->getType()), op_span, expr}, {expr});
  }
  return expr;
}

ast::ExprId Builder::build_atom(const antlr4::Token* token) {
  const Span span = span_of(token);
  switch (token->getType()) {
    case P::INTEGER: return add_expr(span, ast::IntegerLiteral{text_of(token)});
    case P::FLOAT: return add_expr(span, ast::FloatLiteral{text_of(token)});
    case P::TRUE: return add_expr(span, ast::BoolLiteral{true});
    case P::FALSE: return add_expr(span, ast::BoolLiteral{false});
    case P::INF: return add_expr(span, ast::InfLiteral{});
    default: return add_expr(span, ast::NameRef{text_of(token)});
  }
}

ast::ExprId Builder::build_primary(P::OperandContext* context) {
  if (context->atom != nullptr) {
    if (context->atom->getType() == P::WHERE &&
        (context->suffixes.empty() || context->suffixes.front()->call == nullptr)) {
      const antlr4::Token* next = tokens_.get(context->atom->getTokenIndex() + 1);
      sink_.report(Diag::expected_token, span_of(next), "`(` after `where`",
                   fmt::format("`{}`", tokens_.text_of(next)));
    }
    return build_atom(context->atom);
  }
  std::vector<ast::ExprId> items;
  items.reserve(context->items.size());
  for (P::ExpressionContext* item : context->items) items.push_back(build(item));
  const Span span =
      merge(span_of(context->paren != nullptr ? context->paren : context->bracket), span_of(context->close));
  if (context->paren != nullptr && items.size() == 1) {
    file_.exprs[items.front()].parenthesized = true;
    file_.exprs[items.front()].span = span;
    return items.front();
  }
  const auto depth = [this](ast::ExprId id) { return depth_of(id); };
  if (context->paren != nullptr) return add_expr(span, ast::Tuple{items}, {}, items, depth);
  return add_expr(span, ast::ArrayLiteral{items}, {}, items, depth);
}

ast::ExprId Builder::build_suffixes(ast::ExprId base, const std::vector<P::SuffixContext*>& suffixes) {
  for (std::size_t i = 0; i < suffixes.size(); ++i) {
    const auto next_is_call = [&] { return i + 1 < suffixes.size() && suffixes[i + 1]->call != nullptr; };
    P::SuffixContext* suffix = suffixes[i];
    std::vector<ast::GenericArgument> generics;
    if (suffix->generics != nullptr) {
      generics = build(suffix->generics);
      const bool axes_follow = i + 1 < suffixes.size() && suffixes[i + 1]->open != nullptr;
      const bool call_follows =
          next_is_call() || (axes_follow && i + 2 < suffixes.size() && suffixes[i + 2]->call != nullptr);
      if (!call_follows) {
        sink_.report(Diag::generics_without_call, span_of(suffix))
            .help("write the arguments: `dot<T = f16>(a, b)`");
        continue;
      }
      suffix = suffixes[++i];
    }
    if (suffix->call != nullptr) {
      base = build_call(base, std::move(generics), nullptr, suffix);
    } else if (suffix->open != nullptr && next_is_call()) {
      base = build_call(base, std::move(generics), suffix, suffixes[i + 1]);
      ++i;
    } else if (suffix->open != nullptr) {
      base = build_index(base, suffix);
    } else {
      const Span span = merge(file_.exprs[base].span, span_of(suffix->member));
      base = add_expr(span, ast::Member{base, name_of(suffix->member)}, {base});
    }
  }
  return base;
}

ast::ExprId Builder::build_call(ast::ExprId callee, std::vector<ast::GenericArgument> generics,
                                P::SuffixContext* axes, P::SuffixContext* call) {
  const Span span = merge(file_.exprs[callee].span, span_of(call));
  refuse_c_style_cast(callee, span_of(call));
  ast::Call node{callee, std::move(generics), std::nullopt, {}};
  if (axes != nullptr) node.axes = build_axes(axes);
  node.arguments = build(call->call);
  const std::vector<ast::Argument> arguments = node.arguments;
  return add_expr(span, std::move(node), callee, arguments,
                  [this](const ast::Argument& a) { return depth_of(a.value); });
}

/// `(int)(a + b)`, which reads as a call.
void Builder::refuse_c_style_cast(ast::ExprId callee, Span arguments) {
  const ast::Expr& expr = file_.exprs[callee];
  const auto* name = std::get_if<ast::NameRef>(&expr.node);
  const auto type = name != nullptr ? type_of_other_languages(name->name) : std::nullopt;
  if (!expr.parenthesized || !type) return;
  const std::string operand(tokens_.source().text_of(arguments));
  sink_.report(Diag::c_style_cast, expr.span, name->name)
      .fix(merge(expr.span, arguments), fmt::format("({} as {})", operand, *type),
           "a conversion stands behind its operand");
}

std::vector<ast::Name> Builder::build_axes(P::SuffixContext* context) {
  std::vector<ast::Name> axes;
  for (P::IndexElementContext* element : context->elements) {
    const antlr4::Token* only = element->start == element->stop ? element->start : nullptr;
    if (only == nullptr || only->getType() != P::NAME) {
      auto report = sink_.report(Diag::axis_is_not_a_name, span_of(element));
      if (only != nullptr && only->getType() == P::INTEGER) {
        report.help("axes have names and no numbers: in `sum[C](x[r, :])` the axis of `:` is `C`");
      } else {
        report.help("as in `sum[k](x)`; bind a range with `let` to name it");
      }
    } else {
      axes.push_back(name_of(only));
    }
  }
  return axes;
}

ast::ExprId Builder::build_index(ast::ExprId base, P::SuffixContext* context) {
  const Span span = merge(file_.exprs[base].span, span_of(context));
  std::vector<ast::IndexElement> elements;
  std::uint32_t depth = depth_of(base);
  for (P::IndexElementContext* element : context->elements) {
    elements.push_back(build(element));
    const auto& node = elements.back().node;
    if (const auto* value = std::get_if<ast::ExprId>(&node)) depth = std::max(depth, depth_of(*value));
    if (const auto* pick = std::get_if<ast::PickIndex>(&node)) depth = std::max(depth, depth_of(pick->value));
    if (const auto* slice = std::get_if<ast::SliceIndex>(&node)) {
      depth = std::max({depth, depth_of(slice->lo), depth_of(slice->hi)});
    }
  }
  return add_expr_of_depth(span, ast::Index{base, std::move(elements)}, depth + 1);
}

ast::IndexElement Builder::build(P::IndexElementContext* context) {
  const Span span = span_of(context);
  if (context->whole != nullptr) return {span, ast::WholeIndex{}};
  const ast::ExprId first = build(context->first);
  if (context->slice != nullptr) return {span, ast::SliceIndex{first, build(context->end)}};
  if (context->pick == nullptr) return {span, first};
  const ast::Expr& axis = file_.exprs[first];
  const auto* name = std::get_if<ast::NameRef>(&axis.node);
  if (name == nullptr || axis.parenthesized) {
    sink_.report(Diag::argument_name_expected, axis.span).note("`t[c = 3]` picks a coordinate of the axis c");
    return {span, ast::WholeIndex{}};
  }
  ast::Name axis_name{name->name, axis.span};
  return {span, ast::PickIndex{std::move(axis_name), build(context->value)}};
}

}  // namespace tessera::antlr
