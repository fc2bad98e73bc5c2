// SPDX-License-Identifier: Apache-2.0
// Turns the parser's failures into registered diagnostics, and finds the place to go on from.
#pragma once

#include <DefaultErrorStrategy.h>

#include <map>
#include <string>

#include "base/diagnostics.h"
#include "frontend/antlr/token_list.h"

namespace tessera::antlr {

/// Panic mode with few resting places: a mistake ends the statement, parameter, clause or declaration it stands in,
/// one message is reported for it, and parsing goes on after it. Only a `;` missing at the end of a line, and the `)` of
/// a parameter list, are read as if they were there, and a broken head is left at the `{` of its body.
class SyntaxErrorStrategy : public antlr4::DefaultErrorStrategy {
 public:
  SyntaxErrorStrategy(TokenList& tokens, DiagnosticSink& sink) : tokens_(tokens), sink_(sink) {}

  void reportError(antlr4::Parser* parser, const antlr4::RecognitionException& error) override;
  void recover(antlr4::Parser* parser, std::exception_ptr error) override;
  antlr4::Token* recoverInline(antlr4::Parser* parser) override;
  void sync(antlr4::Parser* parser) override;

 private:
  void report(antlr4::Parser* parser, const antlr4::Token* offending);
  bool semicolon_was_forgotten();
  /// Passes what cannot start an item of the block or file that the parser is in.
  void sync_block(antlr4::Parser* parser);
  void sync_file(antlr4::Parser* parser);

  TokenList& tokens_;
  DiagnosticSink& sink_;
  /// Braces that stand open in a block because the head of their statement was given up; see skip_statement.
  std::map<antlr4::RuleContext*, int> orphaned_braces_;
  const antlr4::Token* last_reported_ = nullptr;
  antlr4::CommonToken missing_{antlr4::Token::INVALID_TYPE};  ///< stands for a token that was not written
};

}  // namespace tessera::antlr
