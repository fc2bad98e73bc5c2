// SPDX-License-Identifier: Apache-2.0
// What all parts of the builder share: spans, names, and the limit on the depth of expressions.
#include "frontend/antlr/builder.h"

#include <algorithm>

#include "base/limits.h"

namespace tessera::antlr {

void Builder::build_file(P::FileContext* context) {
  for (P::DeclarationContext* declaration : context->declarations) {
    if (declaration->exception) continue;
    file_.declarations.push_back(build(declaration));
  }
}

Span Builder::span_of(const antlr4::ParserRuleContext* context) const {
  return merge(span_of(context->start), span_of(context->stop));
}

std::vector<ast::Name> Builder::names_of(const std::vector<antlr4::Token*>& tokens) const {
  std::vector<ast::Name> names;
  names.reserve(tokens.size());
  for (const antlr4::Token* token : tokens) names.push_back(name_of(token));
  return names;
}

std::string Builder::unquoted(const antlr4::Token* token) const {
  std::string_view text = tokens_.text_of(token);
  const std::size_t quotes = text.starts_with("\"\"\"") ? 3 : 1;
  text.remove_prefix(std::min(quotes, text.size()));
  if (text.ends_with('"')) text.remove_suffix(quotes);  // an unterminated string has no closing quote
  return std::string(text);
}

void Builder::require_word(const antlr4::Token* token, std::string_view word) {
  if (token == nullptr || tokens_.text_of(token) == word) return;
  sink_.report(Diag::expected_word, span_of(token), word, tokens_.text_of(token))
      .fix(span_of(token), std::string(word), "write it here");
}

ast::ExprId Builder::add_expr(Span span, ast::ExprNode node, std::initializer_list<ast::ExprId> parts) {
  std::uint32_t depth = 0;
  for (const ast::ExprId part : parts) depth = std::max(depth, depth_of(part));
  return add_expr_of_depth(span, std::move(node), depth + 1);
}

ast::ExprId Builder::add_expr_of_depth(Span span, ast::ExprNode node, std::uint32_t depth) {
  if (depth > limits::kExpressionDepth && !too_deep_reported_) {
    // Once is enough: everything around it is too deep as well.
    too_deep_reported_ = true;
    sink_.report(Diag::expression_too_deep, span, limits::kExpressionDepth)
        .help("bind parts of it with `let`, or use a loop");
  }
  depths_.push_back(depth);
  return file_.exprs.add({span, std::move(node), false});
}

}  // namespace tessera::antlr
