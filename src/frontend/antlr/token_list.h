// SPDX-License-Identifier: Apache-2.0
// The tokens of one file as the parser reads them: lexed, mended where a slip is reported already, without comments.
#pragma once

#include <CommonToken.h>
#include <TokenSource.h>
#include <TokenStream.h>

#include <memory>
#include <set>
#include <string>
#include <vector>

#include "base/diagnostics.h"
#include "base/source.h"
#include "frontend/ast.h"
#include "frontend/scan_limits.h"

namespace tessera::antlr {

/// A token stream over a vector. The last token is the end of the file.
class TokenList : public antlr4::TokenStream {
 public:
  using TokenPtr = std::unique_ptr<antlr4::Token>;

  TokenList(const SourceFile& source, std::vector<TokenPtr> tokens, std::set<std::size_t> after_error);

  antlr4::Token* LT(ssize_t k) override;
  antlr4::Token* get(std::size_t index) const override { return tokens_[index].get(); }
  antlr4::TokenSource* getTokenSource() const override { return nullptr; }
  std::string getText(const antlr4::misc::Interval& interval) override;
  std::string getText() override { return source_.text(); }
  std::string getText(antlr4::RuleContext* context) override;
  std::string getText(antlr4::Token* start, antlr4::Token* stop) override;

  void consume() override;
  std::size_t LA(ssize_t k) override;
  ssize_t mark() override { return 0; }
  void release(ssize_t) override {}
  std::size_t index() override { return position_; }
  void seek(std::size_t index) override { position_ = index; }
  std::size_t size() override { return tokens_.size(); }
  std::string getSourceName() const override { return {}; }

  /// Where the token stands; the end of the file is an empty span.
  Span span_of(const antlr4::Token* token) const;
  /// The token as written.
  std::string_view text_of(const antlr4::Token* token) const { return source_.text_of(span_of(token)); }
  /// Whether bytes right before the token were reported and dropped, so that an error here says nothing new.
  bool follows_error(const antlr4::Token* token) const {
    return after_error_.contains(token->getTokenIndex());
  }
  const SourceFile& source() const { return source_; }

 private:
  const SourceFile& source_;
  std::vector<TokenPtr> tokens_;
  std::set<std::size_t> after_error_;
  std::size_t position_ = 0;
};

/// Lexes the text, reports what is no token, and appends the comments to `comments`.
TokenList lex(const SourceFile& source, ScannedText text, DiagnosticSink& sink,
              std::vector<ast::Comment>& comments);

}  // namespace tessera::antlr
