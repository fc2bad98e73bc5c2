// SPDX-License-Identifier: Apache-2.0
// Makes the syntax tree from the parser's contexts. What the grammar leaves open (the ladder of operators, words such as
// `on`, where an `as` may stand) is settled and reported here.
#pragma once

#include <vector>

#include "TesseraParser.h"
#include "base/diagnostics.h"
#include "frontend/antlr/token_list.h"
#include "frontend/ast.h"

namespace tessera::antlr {

/// One `build` per rule of the grammar, spread over build_{decl,type,stmt,range,expr}.cpp. A context in which parsing
/// failed is left out of the tree: it is reported, and the tree is dropped in the end.
class Builder {
 public:
  using P = TesseraParser;

  Builder(const TokenList& tokens, DiagnosticSink& sink, ast::File& file)
      : tokens_(tokens), sink_(sink), file_(file) {}

  /// Fills the file with the declarations of the parse.
  void build_file(P::FileContext* context);

 private:
  // build_decl.cpp
  ast::DeclId build(P::DeclarationContext* context);
  ast::DeclId add_decl(antlr4::ParserRuleContext* context, ast::DeclNode node,
                       std::vector<ast::Annotation> annotations = {});
  ast::KernelDecl build(P::KernelDeclContext* context);
  ast::FnDecl build(P::FnDeclContext* context, bool is_const = false);
  ast::GraphDecl build(P::GraphDeclContext* context);
  ast::MeshDecl build(P::MeshDeclContext* context);
  ast::InstanceDecl build(P::InstanceDeclContext* context);
  ast::ImportDecl build(P::ImportDeclContext* context);
  ast::ExternFnDecl build(P::ExternFnDeclContext* context);
  ast::DeclNode build(P::ConstDeclContext* context);
  std::vector<ast::GenericParameter> build(P::GenericParametersContext* context);
  ast::GenericParameter build(P::GenericParameterContext* context);
  std::vector<ast::Parameter> build(P::ParametersContext* context);
  ast::Parameter build(P::ParameterContext* context);
  ast::Property build(P::PropertyContext* context);
  std::vector<ast::Clause> build_clauses(const std::vector<P::ClauseContext*>& contexts);
  ast::Clause build(P::ClauseContext* context);
  std::vector<std::string> documentation_before(const antlr4::Token* start) const;

  // build_type.cpp
  ast::TypeId build(P::TypeContext* context);
  ast::TypeId build_optional(P::TypeContext* context) { return context ? build(context) : ast::TypeId(); }
  ast::Dimension build(P::DimensionContext* context);

  // build_stmt.cpp
  ast::Block build(P::BlockContext* context);
  ast::StmtId build(P::StatementContext* context);
  ast::StmtNode build_node(P::StatementContext* context);
  ast::StmtNode build(P::LetStmtContext* context);
  ast::StmtNode build(P::AssignStmtContext* context);
  ast::StmtNode build(P::IfStmtContext* context);
  ast::StmtNode build(P::InlineCudaStmtContext* context);
  ast::StmtNode build(P::ChannelStmtContext* context);
  ast::AssignOp build(P::AssignOperatorContext* context, P::ExpressionContext* target);
  ast::Buffer build(P::BufferContext* context);
  std::vector<ast::Annotation> build(const std::vector<P::AnnotationContext*>& contexts);
  ast::Annotation build(P::AnnotationContext* context);

  // build_range.cpp
  std::vector<ast::Range> build(const std::vector<P::RangeContext*>& contexts);
  ast::Range build(P::RangeContext* context);
  ast::Range build_range(Span span, const antlr4::Token* name, P::DomainContext* domain, P::StepContext* step,
                         P::ExpressionContext* relation);
  ast::StaticBinding build(P::StaticBindingContext* context);
  ast::Domain build(P::DomainContext* context);
  ast::Step build(P::StepContext* context);
  void require_tight(ast::ExprId expr);

  // build_expr.cpp
  ast::ExprId build(P::ExpressionContext* context);
  ast::ExprId build_optional(P::ExpressionContext* context) {
    return context ? build(context) : ast::ExprId();
  }
  ast::ExprId build(P::GenericValueContext* context);
  std::vector<ast::GenericArgument> build(P::GenericArgumentsContext* context);
  std::vector<ast::Argument> build(P::ArgumentsContext* context);
  ast::Argument build(P::ArgumentContext* context);

  // build_operand.cpp
  ast::ExprId build(P::OperandContext* context);
  ast::ExprId build_primary(P::OperandContext* context);
  ast::ExprId build_suffixes(ast::ExprId base, const std::vector<P::SuffixContext*>& suffixes);
  ast::ExprId build_call(ast::ExprId callee, std::vector<ast::GenericArgument> generics,
                         P::SuffixContext* axes, P::SuffixContext* call);
  ast::ExprId build_index(ast::ExprId base, P::SuffixContext* context);
  ast::IndexElement build(P::IndexElementContext* context);
  std::vector<ast::Name> build_axes(P::SuffixContext* context);
  void refuse_c_style_cast(ast::ExprId callee, Span arguments);
  ast::ExprId build_atom(const antlr4::Token* token);

  /// Applies the ladder of R23 to one flat sequence of operands and operators.
  class Ladder;

  /// Adds a node that is one operation above the deepest of its parts, within `limits::kExpressionDepth`.
  ast::ExprId add_expr(Span span, ast::ExprNode node, std::initializer_list<ast::ExprId> parts = {});
  template <typename Parts, typename ExprOf>
  ast::ExprId add_expr(Span span, ast::ExprNode node, ast::ExprId base, const Parts& parts, ExprOf expr_of);
  std::uint32_t depth_of(ast::ExprId id) const { return id.valid() ? depths_[id.index()] : 0; }
  ast::ExprId add_expr_of_depth(Span span, ast::ExprNode node, std::uint32_t depth);

  Span span_of(const antlr4::Token* token) const { return tokens_.span_of(token); }
  Span span_of(const antlr4::ParserRuleContext* context) const;
  std::string text_of(const antlr4::Token* token) const { return std::string(tokens_.text_of(token)); }
  ast::Name name_of(const antlr4::Token* token) const { return {text_of(token), span_of(token)}; }
  std::vector<ast::Name> names_of(const std::vector<antlr4::Token*>& tokens) const;
  /// The text between the quotes of a string or text token.
  std::string unquoted(const antlr4::Token* token) const;
  /// Reports a contextual word that is not the one that must stand here.
  void require_word(const antlr4::Token* token, std::string_view word);

  const TokenList& tokens_;
  DiagnosticSink& sink_;
  ast::File& file_;
  std::vector<std::uint32_t> depths_;  ///< of each expression: operations on the longest path to a leaf
  bool too_deep_reported_ = false;
};

template <typename Parts, typename ExprOf>
ast::ExprId Builder::add_expr(Span span, ast::ExprNode node, ast::ExprId base, const Parts& parts,
                              ExprOf expr_of) {
  std::uint32_t depth = depth_of(base);
  for (const auto& part : parts) depth = std::max(depth, expr_of(part));
  return add_expr_of_depth(span, std::move(node), depth + 1);
}

}  // namespace tessera::antlr
