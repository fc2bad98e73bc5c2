// SPDX-License-Identifier: Apache-2.0
// Tokens of the IR's text form, handed out one at a time with room for one mistake.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "base/diagnostics.h"
#include "base/source.h"

namespace tessera::ir {

struct Token {
  enum class Kind { name, number, text, value, sign, end };
  Kind kind = Kind::end;
  std::string_view
      spelling;  // as in the file; a sign is one of `..`, `==`, `!=`, `<=`, `>=` or one character
  Span span;
};

/// Reads tokens. The first mistake goes to the sink; after it only the end is left, so that callers need not
/// ask.
class Lexer {
 public:
  Lexer(const SourceFile& source, DiagnosticSink& sink);

  const Token& peek() const { return token_; }
  bool at_end() const { return token_.kind == Token::Kind::end; }
  bool failed() const { return failed_; }
  /// True when the next token is this sign or this word.
  bool is(std::string_view spelling) const;

  Token next();
  /// Consumes the next token if it is this sign or word.
  bool accept(std::string_view spelling);
  void expect(std::string_view spelling);

  /// A name, or "" after a mistake. `what` says what is expected: "the name of an axis".
  std::string name(std::string_view what);
  /// An integer with an optional minus sign; 0 after a mistake.
  int64_t integer();
  /// The number that is next, without a sign: what a minus before it makes the smallest integer is that already.
  int64_t magnitude();
  /// A floating number, `inf` and `nan` included; 0 after a mistake.
  double real();
  /// A quoted text with its escapes undone.
  std::string text();
  /// The number behind `%`.
  uint32_t value_number();

  void fail(Span span, std::string message);
  /// "expected X, found Y" at the next token.
  void fail_expected(std::string_view what);

 private:
  void advance();
  size_t skip_blank(size_t position) const;
  Token scan(size_t begin) const;

  const SourceFile& source_;
  DiagnosticSink& sink_;
  size_t position_ = 0;
  Token token_;
  bool failed_ = false;
};

}  // namespace tessera::ir
