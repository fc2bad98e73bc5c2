// SPDX-License-Identifier: Apache-2.0
// See foreign_slips.h. The parser has stopped at a token; what came before it tells what was meant.
#include "frontend/antlr/foreign_slips.h"

#include "TesseraParser.h"
#include "base/dtype.h"

namespace tessera::antlr {

namespace {

using P = TesseraParser;

class ForeignSlip {
 public:
  ForeignSlip(const TokenList& tokens, const antlr4::Token* offending, DiagnosticSink& sink)
      : tokens_(tokens),
        sink_(sink),
        at_(offending->getTokenIndex()),
        type_(offending->getType()),
        span_(tokens.span_of(offending)) {}

  bool report() {
    return at_ > 0 && (conditional() || increment() || power() || comparison() || word_operator() ||
                       scope_operator() || bound_by_colon() || slice() || conversion() || text());
  }

 private:
  std::size_t type(std::size_t index) const { return tokens_.get(index)->getType(); }
  /// The type of the token so many places before the offending one; the end of the file where there is none.
  std::size_t before(std::size_t count) const {
    return count <= at_ ? type(at_ - count) : std::size_t{antlr4::Token::EOF};
  }
  std::size_t after() const { return type_ == antlr4::Token::EOF ? type_ : type(at_ + 1); }
  Span span(std::size_t first, std::size_t last) const {
    return merge(tokens_.span_of(tokens_.get(first)), tokens_.span_of(tokens_.get(last)));
  }
  std::string_view text(std::size_t index) const { return tokens_.text_of(tokens_.get(index)); }
  bool touches_previous() const { return touch(tokens_.get(at_ - 1), tokens_.get(at_)); }
  bool touches_next() const { return touch(tokens_.get(at_), tokens_.get(at_ + 1)); }

  /// `y = if c { a } else { b }`, `a if c else b`; `? :` is reported by the parser's own rules.
  bool conditional() {
    const std::size_t previous = before(1);
    const bool begins_statement =
        previous == P::OPEN_BRACE || previous == P::CLOSE_BRACE || previous == P::SEMICOLON;
    if (type_ != P::IF || begins_statement || after() == P::COLON || starts_line(tokens_, tokens_.get(at_)))
      return false;
    sink_.report(Diag::foreign_operator, span_, "`if` inside an expression")
        .help("write `where(condition, a, b)`");
    return true;
  }

  /// `n++` and `n--`; `++n` and `--n` begin a statement and are found there.
  bool increment() {
    const bool plus = type_ == P::PLUS && before(1) == P::PLUS && touches_previous();
    const bool minus = before(1) == P::MINUS && before(2) == P::MINUS &&
                       touch(tokens_.get(at_ - 2), tokens_.get(at_ - 1)) &&
                       (type_ == P::SEMICOLON || type_ == P::CLOSE_PAREN || type_ == P::OPEN_BRACE);
    if (!plus && !minus) return false;
    const std::size_t sign = plus ? at_ - 1 : at_ - 2;
    const Span operator_span = span(sign, sign + 1);
    auto report = sink_.report(Diag::foreign_operator, operator_span,
                               fmt::format("`{}`", tokens_.source().text_of(operator_span)));
    const std::size_t previous = sign > 1 && type(sign - 1) == P::NAME ? type(sign - 2) : std::size_t{P::DOT};
    if (previous == P::SEMICOLON || previous == P::OPEN_BRACE || previous == P::CLOSE_BRACE) {
      report.fix(span(sign - 1, sign + 1), fmt::format("{} {}= 1", text(sign - 1), plus ? "+" : "-"),
                 "assign the sum");
    } else {
      report.help("assign the sum in a statement of its own, such as `n {}= 1;`", plus ? "+" : "-");
    }
    return true;
  }

  /// `a ** b`.
  bool power() {
    if (type_ != P::STAR || before(1) != P::STAR || !touches_previous()) return false;
    sink_.report(Diag::foreign_operator, span(at_ - 1, at_), "`**`")
        .help("write `pow(a, b)`, and `a * a` for a square");
    return true;
  }

  /// `a === b`, `a <> b`.
  bool comparison() {
    const bool strict = type_ == P::ASSIGN && (before(1) == P::EQUAL || before(1) == P::NOT_EQUAL);
    const bool unequal = type_ == P::GREATER && before(1) == P::LESS;
    if ((!strict && !unequal) || !touches_previous()) return false;
    const Span whole = span(at_ - 1, at_);
    const std::string meant = before(1) == P::EQUAL ? "==" : "!=";
    sink_.report(Diag::foreign_operator, whole, fmt::format("`{}`", tokens_.source().text_of(whole)))
        .fix(whole, meant, fmt::format("write `{}`", meant));
    return true;
  }

  /// `a and b`, `a or b`, `not a`.
  bool word_operator() {
    const bool negation = before(1) == P::NAME && text(at_ - 1) == "not";
    const std::size_t index = negation ? at_ - 1 : at_;
    if (type(index) != P::NAME) return false;
    const std::string_view word = text(index);
    const std::string_view meant = word == "and" ? "&&" : word == "or" ? "||" : word == "not" ? "!" : "";
    if (meant.empty()) return false;
    const Span place = span(index, index);
    const Span with_space{place.file, place.begin, negation ? span_.begin : place.end};
    sink_.report(Diag::foreign_operator, place, fmt::format("`{}`", word))
        .fix(with_space, std::string(meant), fmt::format("write `{}`", meant));
    return true;
  }

  /// `std::max(a, b)`.
  bool scope_operator() {
    const bool scope = type_ == P::COLON && after() == P::COLON && touches_next() && before(1) == P::NAME;
    if (!scope) return false;
    const Span prefix = span(at_ - 1, at_ + 1);
    sink_.report(Diag::foreign_operator, prefix, "`::`")
        .fix(prefix, "", "functions of the library have no prefix");
    return true;
  }

  /// `v := a`.
  bool bound_by_colon() {
    const bool binds = type_ == P::COLON && after() == P::ASSIGN && touches_next() && before(1) == P::NAME;
    if (!binds) return false;
    sink_.report(Diag::foreign_operator, span(at_, at_ + 1), "`:=`")
        .fix(span(at_ - 1, at_ + 1), fmt::format("let {} =", text(at_ - 1)), "a value is bound by `let`");
    return true;
  }

  /// `x[1:3]`, `x[1:]`, `x[:3]`.
  bool slice() {
    const antlr4::Token* opener = innermost_opener(tokens_, tokens_.get(at_));
    const bool bound = type_ == P::INTEGER || type_ == P::NAME || type_ == P::MINUS || type_ == P::OPEN_PAREN;
    const bool colon = type_ == P::COLON || (before(1) == P::COLON && bound);
    if (!colon || opener == nullptr || opener->getType() != P::OPEN_BRACKET) return false;
    sink_.report(Diag::foreign_operator, type_ == P::COLON ? span_ : span(at_ - 1, at_ - 1), "slice `a:b`")
        .help("name a range and index by it: `let w in C[a .. b];`, then `x[r, w]`");
    return true;
  }

  /// `(float)x[i]`.
  bool conversion() {
    const bool parenthesized =
        at_ >= 3 && before(1) == P::CLOSE_PAREN && before(2) == P::NAME && before(3) == P::OPEN_PAREN;
    if (!parenthesized || (type_ != P::NAME && type_ != P::INTEGER && type_ != P::FLOAT)) return false;
    const auto element = type_of_other_languages(text(at_ - 2));
    if (!element) return false;
    const std::size_t last = end_of_operand();
    const std::string_view operand = tokens_.source().text_of(span(at_, last));
    sink_.report(Diag::c_style_cast, span(at_ - 3, at_ - 1), text(at_ - 2))
        .fix(span(at_ - 3, last), fmt::format("({} as {})", operand, *element),
             "a conversion stands behind its operand");
    return true;
  }

  /// The last token of the name or number at fault with the indices, arguments and members behind it.
  std::size_t end_of_operand() const {
    std::size_t last = at_;
    while (true) {
      const std::size_t next = type(last + 1);
      if (next == P::OPEN_BRACKET || next == P::OPEN_PAREN) {
        const std::optional<std::size_t> end = end_of_group(last + 1);
        if (!end) return last;
        last = *end;
      } else if (next == P::DOT && type(last + 2) == P::NAME) {
        last += 2;
      } else {
        return last;
      }
    }
  }

  std::optional<std::size_t> end_of_group(std::size_t opener) const {
    int depth = 0;
    for (std::size_t i = opener; type(i) != antlr4::Token::EOF; ++i) {
      if (type(i) == P::OPEN_BRACKET || type(i) == P::OPEN_PAREN) ++depth;
      if ((type(i) == P::CLOSE_BRACKET || type(i) == P::CLOSE_PAREN) && --depth == 0) return i;
    }
    return std::nullopt;
  }

  /// `printf("%f", x)`.
  bool text() {
    const antlr4::Token* opener = innermost_opener(tokens_, tokens_.get(at_));
    if (type_ != P::STRING || opener == nullptr || opener->getType() != P::OPEN_PAREN) return false;
    sink_.report(Diag::expected_expression, span_, "a text")
        .help("a kernel computes numbers and prints nothing; `tesserac run` shows what it stores");
    return true;
  }

  const TokenList& tokens_;
  DiagnosticSink& sink_;
  std::size_t at_;
  std::size_t type_;
  Span span_;
};

}  // namespace

bool report_foreign_slip(const TokenList& tokens, const antlr4::Token* offending, DiagnosticSink& sink) {
  return ForeignSlip(tokens, offending, sink).report();
}

void report_increment(const TokenList& tokens, std::size_t sign, DiagnosticSink& sink) {
  const antlr4::Token* operand = tokens.get(sign + 2);
  const Span operator_span = merge(tokens.span_of(tokens.get(sign)), tokens.span_of(tokens.get(sign + 1)));
  auto report = sink.report(Diag::foreign_operator, operator_span,
                            fmt::format("`{}`", tokens.source().text_of(operator_span)));
  if (operand->getType() != P::NAME) return;
  const bool plus = tokens.get(sign)->getType() == P::PLUS;
  report.fix(merge(operator_span, tokens.span_of(operand)),
             fmt::format("{} {}= 1", tokens.text_of(operand), plus ? "+" : "-"), "assign the sum");
}

const antlr4::Token* innermost_opener(const TokenList& tokens, const antlr4::Token* token) {
  int depth = 0;
  for (std::size_t i = token->getTokenIndex(); i-- > 0;) {
    const std::size_t type = tokens.get(i)->getType();
    if (type == P::CLOSE_PAREN || type == P::CLOSE_BRACKET || type == P::CLOSE_BRACE) ++depth;
    const bool opens = type == P::OPEN_PAREN || type == P::OPEN_BRACKET || type == P::OPEN_BRACE;
    if (opens && depth-- == 0) return tokens.get(i);
  }
  return nullptr;
}

bool starts_line(const TokenList& tokens, const antlr4::Token* token) {
  if (token->getTokenIndex() == 0) return true;
  const Span previous = tokens.span_of(tokens.get(token->getTokenIndex() - 1));
  const Span here = tokens.span_of(token);
  return tokens.source().text().substr(previous.end, here.begin - previous.end).find('\n') !=
         std::string::npos;
}

bool touch(const antlr4::Token* left, const antlr4::Token* right) {
  return left->getStopIndex() + 1 == right->getStartIndex();
}

}  // namespace tessera::antlr
