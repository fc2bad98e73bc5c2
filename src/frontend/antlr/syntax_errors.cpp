// SPDX-License-Identifier: Apache-2.0
// Recovery from syntax errors; see syntax_errors.h. The wording is in syntax_report.cpp.
#include "frontend/antlr/syntax_errors.h"

#include <InputMismatchException.h>
#include <Parser.h>
#include <ParserRuleContext.h>
#include <atn/ATN.h>
#include <atn/ATNState.h>

#include "TesseraParser.h"
#include "frontend/antlr/foreign_slips.h"
#include "frontend/antlr/syntax_report.h"

namespace tessera::antlr {

namespace {

using P = TesseraParser;

/// Begins a declaration, and cannot stand inside a body.
bool begins_file_level(std::size_t type) {
  return type == P::KERNEL || type == P::GRAPH || type == P::MESH || type == P::INSTANCE ||
         type == P::IMPORT || type == P::EXTERN;
}
bool begins_declaration(std::size_t type) {
  return begins_file_level(type) || type == P::FN || type == P::CONST || type == P::AT;
}
/// Stands at the start of a statement and nowhere else.
bool is_statement_keyword(std::size_t type) {
  return type == P::GRID || type == P::FOR || type == P::STATIC || type == P::LET || type == P::VAR ||
         type == P::TEMP || type == P::SHARED || type == P::CHANNEL || type == P::ROLE || type == P::RETURN ||
         type == P::INLINE || type == P::CONST;
}
bool begins_statement(std::size_t type) {
  switch (type) {
    case P::IF:
    case P::FN:
    case P::MINUS:
    case P::NOT:
    case P::TILDE:
    case P::INTEGER:
    case P::FLOAT:
    case P::TRUE:
    case P::FALSE:
    case P::INF:
    case P::NAME:
    case P::WHERE:
    case P::OPEN_PAREN:
    case P::OPEN_BRACKET: return true;
    default: return is_statement_keyword(type);
  }
}
/// A statement whose `{ … }` holds statements.
bool has_body(std::size_t first) {
  return first == P::GRID || first == P::FOR || first == P::STATIC || first == P::IF || first == P::ROLE;
}
bool opens(std::size_t type) {
  return type == P::OPEN_PAREN || type == P::OPEN_BRACKET || type == P::OPEN_BRACE;
}
bool closes(std::size_t type) {
  return type == P::CLOSE_PAREN || type == P::CLOSE_BRACKET || type == P::CLOSE_BRACE;
}

/// Passes a bracketed group whose opening bracket is next.
void skip_group(TokenList& tokens) {
  int depth = 0;
  do {
    const std::size_t type = tokens.LA(1);
    if (type == antlr4::Token::EOF) return;
    depth += opens(type) ? 1 : closes(type) ? -1 : 0;
    tokens.consume();
  } while (depth > 0);
}

/// Passes the branches behind a `{ … }` in the middle of an expression, and the `;` behind them.
void skip_branches(TokenList& tokens) {
  bool any = false;
  while (tokens.LA(1) == P::ELSE) {
    any = true;
    tokens.consume();
    while (tokens.LA(1) != P::OPEN_BRACE && tokens.LA(1) != P::SEMICOLON && tokens.LA(1) != P::CLOSE_BRACE &&
           tokens.LA(1) != antlr4::Token::EOF) {
      tokens.consume();
    }
    if (tokens.LA(1) == P::OPEN_BRACE) skip_group(tokens);
  }
  if (any && tokens.LA(1) == P::SEMICOLON) tokens.consume();
}

/// Passes the rest of a statement that began with a token of type `first`: through its `;`, or up to what begins or
/// ends something else. True if it stopped inside the `{` of the statement's body, so that the statements there are
/// still checked.
bool skip_statement(TokenList& tokens, std::size_t first, std::size_t start_index) {
  while (true) {
    const std::size_t type = tokens.LA(1);
    if (type == antlr4::Token::EOF || type == P::CLOSE_BRACE || begins_file_level(type)) return false;
    if (is_statement_keyword(type) && tokens.index() > start_index) return false;
    // The head of a loop of C has `;` between its parentheses.
    const bool c_head = type == P::OPEN_PAREN && has_body(first) && tokens.index() == start_index + 1;
    if (c_head) {
      skip_group(tokens);
      continue;
    }
    const bool set = type == P::OPEN_BRACE && tokens.index() > 0 && tokens.LA(-1) == P::IN;
    if (type == P::OPEN_BRACE && !set) {
      if (has_body(first)) {
        tokens.consume();
        return true;
      }
      skip_group(tokens);
      skip_branches(tokens);
      return false;
    }
    if (set) {
      skip_group(tokens);
      continue;
    }
    tokens.consume();
    // The head of a loop may hold `;` without parentheses as well.
    const bool inside_head = has_body(first) && !starts_line(tokens, tokens.LT(1));
    if (type == P::SEMICOLON && !inside_head) return false;
  }
}

/// Passes the rest of a declaration: through its `;` or its body, or up to the next declaration.
void skip_declaration(TokenList& tokens, std::size_t start_index) {
  while (true) {
    const std::size_t type = tokens.LA(1);
    if (type == antlr4::Token::EOF) return;
    const bool moved = tokens.index() > start_index;
    if (moved && begins_file_level(type)) return;
    if (moved && begins_declaration(type) && starts_line(tokens, tokens.LT(1))) return;
    if (type == P::OPEN_BRACE) {
      const bool set = tokens.index() > 0 && tokens.LA(-1) == P::IN;
      skip_group(tokens);
      if (set) continue;
      return;
    }
    tokens.consume();
    if (type == P::SEMICOLON || type == P::CLOSE_BRACE) return;
  }
}

/// Stops at the `,` or `)` that ends a parameter, or where the list has visibly ended.
void skip_parameter(TokenList& tokens) {
  while (true) {
    const std::size_t type = tokens.LA(1);
    if (type == antlr4::Token::EOF || type == P::COMMA || type == P::CLOSE_PAREN || type == P::CLOSE_BRACE ||
        type == P::OPEN_BRACE || type == P::SEMICOLON || begins_file_level(type)) {
      return;
    }
    if (opens(type)) {
      skip_group(tokens);
    } else {
      tokens.consume();
    }
  }
}

/// Stops at the next clause or the body.
void skip_clause(TokenList& tokens) {
  while (true) {
    const std::size_t type = tokens.LA(1);
    if (type == antlr4::Token::EOF || type == P::WHERE || type == P::PRECISION || type == P::VERIFY ||
        type == P::SEMICOLON || type == P::CLOSE_BRACE || begins_file_level(type)) {
      return;
    }
    if (type == P::OPEN_BRACE && tokens.LA(-1) != P::IN) return;
    if (opens(type)) {
      skip_group(tokens);
    } else {
      tokens.consume();
    }
  }
}

/// Stops at the `{` of a body whose head is broken; false if the head ends without one.
bool skip_to_body(TokenList& tokens) {
  while (true) {
    const std::size_t type = tokens.LA(1);
    if (type == antlr4::Token::EOF || type == P::SEMICOLON || type == P::CLOSE_BRACE ||
        begins_file_level(type) || is_statement_keyword(type)) {
      return false;
    }
    const bool set = type == P::OPEN_BRACE && tokens.LA(-1) == P::IN;
    if (type == P::OPEN_BRACE && !set) return true;
    if (set) {
      skip_group(tokens);
    } else {
      tokens.consume();
    }
  }
}

antlr4::RuleContext* enclosing_block(antlr4::RuleContext* context) {
  while (context != nullptr && context->getRuleIndex() != P::RuleBlock) {
    context = dynamic_cast<antlr4::RuleContext*>(context->parent);
  }
  return context;
}

}  // namespace

void SyntaxErrorStrategy::reportError(antlr4::Parser* parser, const antlr4::RecognitionException& error) {
  if (inErrorRecoveryMode(parser)) return;
  beginErrorCondition(parser);
  report(parser, error.getOffendingToken());
}

/// One token is at fault once, however many rules it disappoints.
void SyntaxErrorStrategy::report(antlr4::Parser* parser, const antlr4::Token* offending) {
  if (offending == last_reported_) return;
  last_reported_ = offending;
  report_syntax_error(*parser, tokens_, offending, sink_);
}

void SyntaxErrorStrategy::recover(antlr4::Parser* parser, std::exception_ptr error) {
  antlr4::ParserRuleContext* context = parser->getContext();
  const antlr4::Token* start = context->getStart();
  switch (context->getRuleIndex()) {
    case P::RuleStatement:
      // A keyword used as a name begins nothing.
      if (is_statement_keyword(tokens_.LA(1)) && !starts_line(tokens_, tokens_.LT(1))) tokens_.consume();
      if (skip_statement(tokens_, start->getType(), start->getTokenIndex()))
        ++orphaned_braces_[enclosing_block(context)];
      break;
    case P::RuleDeclaration: skip_declaration(tokens_, start->getTokenIndex()); break;
    case P::RuleParameter: skip_parameter(tokens_); break;
    case P::RuleClause: skip_clause(tokens_); break;
    case P::RuleFile: return;
    default: std::rethrow_exception(error);
  }
  endErrorCondition(parser);
}

antlr4::Token* SyntaxErrorStrategy::recoverInline(antlr4::Parser* parser) {
  const auto& expected = parser->getATN().nextTokens(parser->getATN().states[parser->getState()]);
  const auto waits_for = [&](std::size_t type) { return expected.size() == 1 && expected.contains(type); };
  if (!inErrorRecoveryMode(parser)) {
    if (waits_for(P::SEMICOLON) && semicolon_was_forgotten()) {
      report_missing_semicolon(*parser, tokens_, sink_);
      return &missing_;
    }
    const bool list_ends =
        waits_for(P::CLOSE_PAREN) && parser->getRuleContext()->getRuleIndex() == P::RuleParameters;
    if (waits_for(P::OPEN_BRACE) || list_ends) {
      report(parser, tokens_.LT(1));
      if (list_ends) return &missing_;
      if (skip_to_body(tokens_)) {
        tokens_.consume();
        return tokens_.LT(-1);
      }
      beginErrorCondition(parser);
    }
  }
  throw antlr4::InputMismatchException(parser);
}

/// Whether what comes next can begin something new, so that only the `;` is missing.
bool SyntaxErrorStrategy::semicolon_was_forgotten() {
  const antlr4::Token* next = tokens_.LT(1);
  const std::size_t type = next->getType();
  if (type == P::OPEN_BRACE || tokens_.follows_error(next)) return false;
  return type == P::CLOSE_BRACE || type == antlr4::Token::EOF || is_statement_keyword(type) ||
         starts_line(tokens_, next);
}

void SyntaxErrorStrategy::sync(antlr4::Parser* parser) {
  // The generated code asks at every loop and choice; only the two loops that can pass over rubbish matter.
  const std::size_t rule = parser->getRuleContext()->getRuleIndex();
  if (rule == P::RuleBlock) sync_block(parser);
  if (rule == P::RuleFile) sync_file(parser);
}

void SyntaxErrorStrategy::sync_block(antlr4::Parser* parser) {
  while (true) {
    const antlr4::Token* next = tokens_.LT(1);
    const std::size_t type = next->getType();
    if (type == P::CLOSE_BRACE) {
      const auto orphans = orphaned_braces_.find(parser->getRuleContext());
      if (orphans == orphaned_braces_.end() || orphans->second == 0) return;
      --orphans->second;
      tokens_.consume();
      // The branches that belong to a condition that was given up.
      if (tokens_.LA(1) == P::ELSE && tokens_.LA(2) == P::OPEN_BRACE) {
        tokens_.consume();
        tokens_.consume();
        ++orphans->second;
      } else if (tokens_.LA(1) == P::ELSE) {
        tokens_.consume();
      }
      continue;
    }
    if (type == antlr4::Token::EOF || begins_statement(type) || begins_file_level(type)) return;
    if (!inErrorRecoveryMode(parser)) report_not_a_statement(tokens_, next, sink_);
    tokens_.consume();
    // What was at fault is one token or, if it is an annotation, the whole of it; then a statement may follow.
    if (type == P::AT) {
      tokens_.consume();
      if (tokens_.LA(1) == P::OPEN_PAREN) skip_group(tokens_);
    } else if (type == P::OPEN_BRACE || (type == P::ELSE && tokens_.LA(1) == P::OPEN_BRACE)) {
      if (type == P::ELSE) tokens_.consume();
      ++orphaned_braces_[parser->getRuleContext()];
    } else if (type != P::ELSE && type != P::SEMICOLON && !closes(type)) {
      skip_statement(tokens_, type, next->getTokenIndex());
    }
  }
}

void SyntaxErrorStrategy::sync_file(antlr4::Parser* parser) {
  while (true) {
    const antlr4::Token* next = tokens_.LT(1);
    if (next->getType() == antlr4::Token::EOF || begins_declaration(next->getType())) return;
    if (!inErrorRecoveryMode(parser)) report_not_a_declaration(tokens_, next, sink_);
    const std::size_t start = next->getTokenIndex();
    if (closes(next->getType()) || next->getType() == P::SEMICOLON) {
      tokens_.consume();
    } else {
      skip_declaration(tokens_, start);
    }
  }
}

}  // namespace tessera::antlr
