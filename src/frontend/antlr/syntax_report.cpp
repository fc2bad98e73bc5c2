// SPDX-License-Identifier: Apache-2.0
// The wording of syntax errors: what was expected, after what, and the slips that people make who know other languages.
#include "frontend/antlr/syntax_report.h"

#include <ParserRuleContext.h>
#include <atn/ATN.h>
#include <atn/ATNState.h>

#include <algorithm>
#include <optional>

#include "TesseraParser.h"
#include "base/dtype.h"
#include "frontend/antlr/foreign_slips.h"
#include "frontend/antlr/loop_slips.h"

namespace tessera::antlr {

namespace {

using P = TesseraParser;

bool is_keyword(std::size_t type) { return type >= P::KERNEL && type <= P::INF; }

/// How a message calls the token it met.
std::string found(const TokenList& tokens, const antlr4::Token* token) {
  if (token->getType() == antlr4::Token::EOF) return "the end of the file";
  const std::string_view text = tokens.text_of(token);
  constexpr std::size_t kMaxShown = 40;
  if (token->getType() == P::TEXT || text.size() > kMaxShown) return "this";
  return fmt::format("`{}`", text);
}

/// An empty place right after the token, where something is missing.
Span place_after(const TokenList& tokens, const antlr4::Token* token) {
  const Span span = tokens.span_of(token);
  return {span.file, span.end, span.end};
}

/// What a `;` would have ended, by the rule that waits for it.
std::string_view ended_by_semicolon(const antlr4::ParserRuleContext* context) {
  switch (context->getRuleIndex()) {
    case P::RuleAssignStmt: {
      const auto* assignment = dynamic_cast<const P::AssignStmtContext*>(context);
      return assignment->op != nullptr ? "the assignment" : "the expression";
    }
    case P::RuleLetStmt: return "the `let`";
    case P::RuleVarStmt: return "the `var`";
    case P::RuleTempStmt: return "the `temp`";
    case P::RuleSharedStmt: return "the `shared` buffer";
    case P::RuleChannelStmt: return "the buffer";
    case P::RuleReturnStmt: return "the `return`";
    case P::RuleConstDecl: return "the `const`";
    case P::RuleInlineCudaStmt: return "the inline code";
    case P::RuleImportDecl: return "the `import`";
    case P::RuleInstanceDecl: return "the `instance`";
    case P::RuleMeshDecl: return "the `mesh`";
    case P::RuleExternFnDecl: return "the `extern` function";
    default: return "this";
  }
}

/// Reports one error; a class only to share what all of its cases look at.
class Reporter {
 public:
  Reporter(antlr4::Parser& parser, const TokenList& tokens, const antlr4::Token* offending,
           DiagnosticSink& sink)
      : tokens_(tokens),
        sink_(sink),
        context_(parser.getContext()),
        token_(offending),
        type_(offending->getType()),
        rule_(context_->getRuleIndex()),
        span_(tokens.span_of(offending)) {
    const auto* state = parser.getATN().states[parser.getState()];
    for (const ssize_t wanted :
         parser.getATN().nextTokens(const_cast<antlr4::atn::ATNState*>(state)).toList()) {
      expected_.push_back(static_cast<std::size_t>(wanted));
    }
    vocabulary_ = &parser.getVocabulary();
  }

  bool compares() const {
    return type_ == P::EQUAL || type_ == P::NOT_EQUAL || type_ == P::LESS || type_ == P::LESS_EQUAL ||
           type_ == P::GREATER || type_ == P::GREATER_EQUAL;
  }

  void report() {
    if (tokens_.follows_error(token_) || is_refused_name() || common_slip() ||
        report_foreign_slip(tokens_, token_, sink_))
      return;
    if (waits_for(P::SEMICOLON)) {
      sink_.report(Diag::expected_semicolon, span_, ended_by_semicolon(context_)).label(span_, "found this");
    } else if (const auto opener = unclosed_opener(); opener && !waits_for_name()) {
      report_closing(*opener);
    } else if (rule_ == P::RuleType && !waits_for_one_token()) {
      sink_.report(Diag::expected_type, span_, found(tokens_, token_))
          .note("types are names like `f32` and `bf16[M, K]`");
    } else if (waits_for_name()) {
      report_name();
    } else if (in_expression()) {
      auto report = sink_.report(Diag::expected_expression, span_, found(tokens_, token_));
      if (type_ == P::PLUS) report.fix(span_, "", "a number has no sign `+`");
    } else {
      auto report = sink_.report(Diag::expected_token, span_, expected_text(), found(tokens_, token_));
      if (rule_ == P::RuleParameter && waits_for(P::COLON)) {
        report.help("a parameter states its type: `{}: f32`", tokens_.text_of(previous()));
      } else if (rule_ == P::RuleBlock && type_ == P::ARROW) {
        report.help("a kernel returns nothing: its results are `out` parameters");
      } else if (type_ == P::SHIFT_LEFT && waits_for(P::OPEN_PAREN)) {
        report.help(
            "a kernel is not launched by sizes: the plan chooses them, and `@warps(8)` asks for more");
      } else if (rule_ == P::RuleRange && waits_for(P::IN) && compares()) {
        report.help("a comma begins another range; conditions are joined by `&&`");
      } else if (waits_for_body())
        report.help("a body stands in braces: `{{ … }}`");
    }
  }

 private:
  const antlr4::Token* previous() const {
    return tokens_.get(token_->getTokenIndex() - (token_->getTokenIndex() > 0));
  }
  const antlr4::Token* next() const {
    return tokens_.get(std::min(token_->getTokenIndex() + 1, last_index()));
  }
  std::size_t last_index() const { return const_cast<TokenList&>(tokens_).size() - 1; }

  bool waits_for_one_token() const { return expected_.size() == 1; }
  bool waits_for(std::size_t type) const { return waits_for_one_token() && expected_.front() == type; }
  bool waits_for_name() const {
    const bool keyword_parameter =
        rule_ == P::RuleParameters && is_keyword(type_) && next()->getType() == P::COLON;
    return waits_for(P::NAME) || keyword_parameter || rule_ == P::RuleGenericParameter ||
           rule_ == P::RuleStaticBinding ||
           (rule_ == P::RuleParameter && previous()->getType() != P::COLON && !waits_for(P::COLON)) ||
           (rule_ == P::RuleLetStmt && previous()->getType() == P::LET);
  }
  bool in_expression() const {
    switch (rule_) {
      case P::RuleOperand:
      case P::RuleExpression:
      case P::RuleOperation:
      case P::RuleGenericValue:
      case P::RuleSetElement:
      case P::RuleIndexElement:
      case P::RuleSuffix:
      case P::RuleStep:
      case P::RuleDimension:
      case P::RuleArgument: return !waits_for_one_token();
      default: return false;
    }
  }

  /// Whether a loop or a branch lacks the `{` of its body.
  bool waits_for_body() const {
    const auto* parent = dynamic_cast<antlr4::ParserRuleContext*>(context_->parent);
    if (rule_ != P::RuleBlock || !waits_for(P::OPEN_BRACE) || parent == nullptr) return false;
    switch (parent->getRuleIndex()) {
      case P::RuleGridStmt:
      case P::RuleForStmt:
      case P::RuleStaticForStmt:
      case P::RuleIfStmt:
      case P::RuleElseBranch: return true;
      default: return false;
    }
  }

  std::string expected_text() const {
    if (waits_for_one_token()) {
      switch (expected_.front()) {
        case P::STRING: return "a path in quotes";
        case P::TEXT: return "`\"\"\"` with the code";
        case P::NAME: return "a name";
        default: break;
      }
      const std::string spelled = vocabulary_->getLiteralName(expected_.front());
      if (spelled.size() > 2) return fmt::format("`{}`", spelled.substr(1, spelled.size() - 2));
    }
    switch (rule_) {
      case P::RuleAssignOperator: return "an assignment";
      case P::RuleLetStmt: return "`in`, `:` or `=`";
      case P::RuleConstDecl: return "a name or `fn`";
      case P::RuleDeclaration: return "`kernel`, `fn` or `graph` after the annotation";
      default: return "something else";
    }
  }

  /// A use of the name that was refused where it was declared: `let var = …;`.
  bool is_refused_name() const {
    const bool in_arguments = rule_ == P::RuleArguments || rule_ == P::RuleArgument || rule_ == P::RuleSuffix;
    if (!is_keyword(type_) || (!in_arguments && !in_expression())) return false;
    const std::vector<Diagnostic> before = sink_.sorted();
    return std::ranges::any_of(before, [this](const Diagnostic& diagnostic) {
      return diagnostic.kind == Diag::keyword_as_name && diagnostic.span.file == tokens_.source().id() &&
             tokens_.source().text_of(diagnostic.span) == tokens_.text_of(token_);
    });
  }

  // ---- brackets

  /// The opening bracket that the awaited closing one would match, found by walking back.
  std::optional<const antlr4::Token*> unclosed_opener() const {
    if (!waits_for_one_token()) return std::nullopt;
    const std::size_t closer = expected_.front();
    const std::size_t opener = closer == P::CLOSE_PAREN     ? std::size_t{P::OPEN_PAREN}
                               : closer == P::CLOSE_BRACKET ? std::size_t{P::OPEN_BRACKET}
                               : closer == P::CLOSE_BRACE   ? std::size_t{P::OPEN_BRACE}
                                                            : std::size_t{0};
    if (opener == 0) return std::nullopt;
    int depth = 0;
    for (std::size_t i = token_->getTokenIndex(); i-- > 0;) {
      const std::size_t type = tokens_.get(i)->getType();
      if (type == closer) ++depth;
      if (type == opener && depth-- == 0) return tokens_.get(i);
    }
    return std::nullopt;
  }

  void report_closing(const antlr4::Token* opener) {
    const bool starts_parameter = type_ == P::IN || type_ == P::OUT || type_ == P::INOUT || type_ == P::NAME;
    if (rule_ == P::RuleParameters && starts_parameter) {
      const Span place = place_after(tokens_, previous());
      sink_.report(Diag::expected_token, span_, "`,` or `)`", found(tokens_, token_))
          .fix(place, ",", "a comma stands between parameters");
      return;
    }
    sink_.report(Diag::expected_closing, span_, expected_text().substr(1, 1), found(tokens_, token_))
        .label(tokens_.span_of(opener), "to close this `{}`", tokens_.text_of(opener));
  }

  void report_name() {
    if (is_keyword(type_)) {
      sink_.report(Diag::keyword_as_name, span_, tokens_.text_of(token_)).help("choose another name");
    } else {
      auto report = sink_.report(Diag::expected_name, span_, found(tokens_, token_));
      if (rule_ == P::RuleGenericParameter) {
        report.help("a generic parameter is `type T = f32`, `int G = 4` or `fn act = identity`");
      }
    }
  }

  // ---- common slips

  bool common_slip() {
    return conditional_operator() || while_loop() ||
           report_loop_slip({*context_, expected_, tokens_, token_}, sink_) || variable_without_type() ||
           assignment_in_condition() || c_style_parameter() || c_style_declaration() || c_style_constant() ||
           generic_without_kind() || unnamed_generic_argument() || unknown_compound_assignment();
  }

  bool conditional_operator() {
    if (type_ != P::QUESTION || rule_ == P::RuleParameter) return false;
    sink_.report(Diag::conditional_operator, span_).help("write `where(condition, a, b)`");
    return true;
  }

  bool while_loop() {
    const antlr4::Token* start = context_->getStart();
    if (rule_ != P::RuleAssignStmt || tokens_.text_of(start) != "while") return false;
    sink_.report(Diag::while_loop, tokens_.span_of(start))
        .help("a `for` over a range, whose bounds may be data, takes its place");
    return true;
  }

  /// `var a = x[i];`
  bool variable_without_type() {
    if (rule_ != P::RuleVarStmt || type_ != P::ASSIGN || !waits_for(P::COLON)) return false;
    sink_.report(Diag::expected_token, span_, expected_text(), found(tokens_, token_))
        .help(
            "a `var` states its type and axes, as in `var a: f32[i] = …`; a `let` takes them from its value");
    return true;
  }

  bool assignment_in_condition() {
    if (type_ != P::ASSIGN) return false;
    const auto* parent = dynamic_cast<antlr4::ParserRuleContext*>(context_->parent);
    const auto* outer = rule_ == P::RuleBlock && parent != nullptr ? parent : context_;
    switch (outer->getRuleIndex()) {
      case P::RuleIfStmt:
      case P::RuleElseBranch:
      case P::RuleClause:
      case P::RuleRange:
      case P::RuleForStmt:
      case P::RuleGridStmt: break;
      case P::RuleKernelDecl:
        if (dynamic_cast<const P::KernelDeclContext*>(outer)->clauses.empty()) return false;
        break;
      case P::RuleGraphDecl:
        if (dynamic_cast<const P::GraphDeclContext*>(outer)->clauses.empty()) return false;
        break;
      default: return false;
    }
    sink_.report(Diag::assignment_in_condition, span_).fix(span_, "==", "compare with `==`");
    return true;
  }

  /// `float* x` or `const float x` in a parameter list.
  bool c_style_parameter() {
    if (rule_ != P::RuleParameter || !waits_for(P::COLON) || (type_ != P::NAME && type_ != P::STAR))
      return false;
    const antlr4::Token* type = previous();
    const antlr4::Token* name = type_ == P::STAR ? next() : token_;
    if (name->getType() != P::NAME) return false;
    const std::string_view first = tokens_.text_of(type);
    if (type_ != P::STAR && !type_of_other_languages(first)) return false;
    const Span whole = merge(tokens_.span_of(type), tokens_.span_of(name));
    auto diagnostic = sink_.report(Diag::c_style_parameter, whole, tokens_.source().text_of(whole));
    if (type_ != P::STAR) {
      diagnostic.fix(whole, fmt::format("{}: {}", tokens_.text_of(name), *type_of_other_languages(first)),
                     "the name comes first");
    } else {
      diagnostic.help("the name comes first, and a tensor names its dimensions: `{}: f32[N]`",
                      tokens_.text_of(name));
    }
    return true;
  }

  /// `float x;`, where the word after the type reads as the `max` of `max=`.
  bool c_style_declaration() {
    if (rule_ != P::RuleAssignOperator || previous()->getType() != P::NAME ||
        previous()->getTokenIndex() == 0)
      return false;
    const antlr4::Token* type = tokens_.get(previous()->getTokenIndex() - 1);
    if (type->getType() != P::NAME) return false;
    const Span whole = merge(tokens_.span_of(type), tokens_.span_of(previous()));
    const auto element = type_of_other_languages(tokens_.text_of(type));
    if (!element) return false;
    auto report = sink_.report(Diag::c_style_declaration, whole, tokens_.source().text_of(whole));
    const std::string declared = fmt::format("var {}: {}", tokens_.text_of(previous()), *element);
    if (type_ == P::SEMICOLON) {
      report.fix(whole, declared + " = 0", "the name comes first, and a `var` has an initial value")
          .note("the axes of a `var` stand in its type: `{}[i]`", *element);
    } else {
      report.fix(whole, declared, "the name comes first");
    }
    return true;
  }

  /// `const float v = x[i];`
  bool c_style_constant() {
    if (rule_ != P::RuleConstDecl || type_ != P::NAME ||
        !type_of_other_languages(tokens_.text_of(previous())))
      return false;
    const Span whole = merge(tokens_.span_of(previous()), span_);
    const Span from_const = merge(tokens_.span_of(context_->getStart()), span_);
    sink_.report(Diag::c_style_declaration, whole, tokens_.source().text_of(whole))
        .fix(from_const, fmt::format("let {}", tokens_.text_of(token_)), "a value is bound by `let`");
    return true;
  }

  /// `kernel k<G = 4>` for `kernel k<int G = 4>`.
  bool generic_without_kind() {
    if (type_ != P::GENERIC_OPEN ||
        (rule_ != P::RuleParameters && rule_ != P::RuleKernelDecl && rule_ != P::RuleFnDecl)) {
      return false;
    }
    sink_
        .report(Diag::expected_token, tokens_.span_of(next()), "`type`, `int` or `fn`",
                found(tokens_, next()))
        .note("a generic parameter is declared as `<type T = f32>`, `<int G = 4>` or `<fn act = identity>`");
    return true;
  }

  /// `instance k<relu> as k_relu;`
  bool unnamed_generic_argument() {
    const bool in_use =
        rule_ == P::RuleInstanceDecl || rule_ == P::RuleGenericArgument || rule_ == P::RuleChannelStmt;
    if (!in_use || (type_ != P::LESS && !waits_for(P::ASSIGN))) return false;
    sink_
        .report(Diag::unnamed_generic_argument,
                type_ == P::LESS ? tokens_.span_of(next()) : tokens_.span_of(previous()))
        .help("name it, as in `instance linear<act = relu> as linear_relu;`");
    return true;
  }

  /// `a %= b`, `a <<= b`.
  bool unknown_compound_assignment() {
    const std::size_t before = previous()->getType();
    const bool comparison = before == P::EQUAL || before == P::NOT_EQUAL;
    if (rule_ != P::RuleOperand || type_ != P::ASSIGN || token_->getTokenIndex() == 0 || comparison)
      return false;
    const Span whole = merge(tokens_.span_of(previous()), span_);
    if (whole.size() != tokens_.span_of(previous()).size() + 1) return false;
    sink_.report(Diag::unknown_assignment, whole, tokens_.source().text_of(whole))
        .note("assignments are `=`, `+=`, `-=`, `*=`, `/=`, `max=`, `min=`, `|=` and `&=`");
    return true;
  }

  const TokenList& tokens_;
  DiagnosticSink& sink_;
  antlr4::ParserRuleContext* context_;
  const antlr4::Token* token_;
  std::size_t type_;
  std::size_t rule_;
  Span span_;
  std::vector<std::size_t> expected_;
  const antlr4::dfa::Vocabulary* vocabulary_ = nullptr;
};

}  // namespace

void report_syntax_error(antlr4::Parser& parser, const TokenList& tokens, const antlr4::Token* offending,
                         DiagnosticSink& sink) {
  Reporter(parser, tokens, offending, sink).report();
}

void report_missing_semicolon(antlr4::Parser& parser, const TokenList& tokens, DiagnosticSink& sink) {
  const antlr4::Token* last = const_cast<TokenList&>(tokens).LT(-1);
  const Span place = place_after(tokens, last);
  sink.report(Diag::expected_semicolon, place, ended_by_semicolon(parser.getContext()))
      .fix(place, ";", "write it here");
}

void report_not_a_statement(const TokenList& tokens, const antlr4::Token* offending, DiagnosticSink& sink) {
  if (tokens.follows_error(offending)) return;
  const Span span = tokens.span_of(offending);
  const std::size_t type = offending->getType();
  if (type == P::AT) {
    sink.report(Diag::annotation_before_statement, span)
        .note(
            "inside a body an annotation stands last: before the `{{` of a loop or role, or before the `;`");
  } else if (type == P::CLOSE_PAREN || type == P::CLOSE_BRACKET) {
    sink.report(Diag::unmatched_closing, span, tokens.text_of(offending));
  } else if (type == P::PLUS && tokens.get(offending->getTokenIndex() + 1)->getType() == P::PLUS) {
    report_increment(tokens, offending->getTokenIndex(), sink);
  } else if (type == P::AUTO) {
    sink.report(Diag::expected_statement, span, found(tokens, offending))
        .fix(span, "let", "a value is bound by `let`");
  } else {
    sink.report(Diag::expected_statement, span, found(tokens, offending));
  }
}

void report_not_a_declaration(const TokenList& tokens, const antlr4::Token* offending, DiagnosticSink& sink) {
  if (tokens.follows_error(offending)) return;
  const Span span = tokens.span_of(offending);
  const std::size_t type = offending->getType();
  if (type == P::CLOSE_PAREN || type == P::CLOSE_BRACKET || type == P::CLOSE_BRACE) {
    sink.report(Diag::unmatched_closing, span, tokens.text_of(offending));
  } else {
    auto report = sink.report(Diag::expected_declaration, span, found(tokens, offending));
    if (type == P::NAME)
      report.help("a kernel is `kernel name(in x: f32[N], out y: f32[N]) {{ grid i in N by auto {{ … }} }}`");
    report.note(
        "a file holds `kernel`, `fn`, `graph`, `mesh`, `instance`, `import`, `extern fn` and `const`");
  }
}

}  // namespace tessera::antlr
