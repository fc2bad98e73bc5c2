// SPDX-License-Identifier: Apache-2.0
// Runs the generated lexer and prepares its tokens for the parser: comments are set apart, lexical slips reported and
// mended, and the few tokens retyped that would otherwise need more than one token of lookahead.
#include <algorithm>
#include <string_view>

#include "TesseraLexer.h"
#include "base/utf8.h"
#include "frontend/antlr/byte_stream.h"
#include "frontend/antlr/token_list.h"

namespace tessera::antlr {

namespace {

using antlr4::CommonToken;
using TokenPtr = TokenList::TokenPtr;

/// Characters that look like something the language has; the token is read as meant.
struct LookAlike {
  std::string_view character;
  std::string_view ascii;
  std::size_t token;
};
constexpr LookAlike kLookAlikes[] = {
    {"≤", "<=", TesseraLexer::LESS_EQUAL}, {"≥", ">=", TesseraLexer::GREATER_EQUAL},
    {"≠", "!=", TesseraLexer::NOT_EQUAL},  {"×", "*", TesseraLexer::STAR},
    {"·", "*", TesseraLexer::STAR},        {"−", "-", TesseraLexer::MINUS},
    {"–", "-", TesseraLexer::MINUS},       {"÷", "/", TesseraLexer::SLASH},
    {"→", "->", TesseraLexer::ARROW},      {"…", "..", TesseraLexer::DOT_DOT},
    {"∞", "inf", TesseraLexer::INF},
};

bool is_keyword(std::size_t type) { return type >= TesseraLexer::KERNEL && type <= TesseraLexer::INF; }
bool is_closing(std::size_t type) {
  return type == TesseraLexer::CLOSE_PAREN || type == TesseraLexer::CLOSE_BRACKET ||
         type == TesseraLexer::CLOSE_BRACE || type == TesseraLexer::GREATER;
}
bool is_number(std::size_t type) { return type == TesseraLexer::INTEGER || type == TesseraLexer::FLOAT; }
bool is_comment(std::size_t type) {
  return type == TesseraLexer::DOCUMENTATION || type == TesseraLexer::LINE_COMMENT ||
         type == TesseraLexer::BLOCK_COMMENT;
}
bool adjacent(const antlr4::Token& left, const antlr4::Token& right) {
  return left.getStopIndex() + 1 == right.getStartIndex();
}

/// What C puts behind a literal for its type.
bool is_suffix(std::string_view letters) {
  constexpr std::string_view kSuffixes[] = {"f",  "F",  "u",   "U",   "l",   "L",  "h", "H",
                                            "ul", "UL", "ull", "ULL", "uLL", "ll", "LL"};
  return std::ranges::find(kSuffixes, letters) != std::end(kSuffixes);
}

class TokenFilter {
 public:
  TokenFilter(const SourceFile& source, DiagnosticSink& sink, std::vector<ast::Comment>& comments)
      : source_(source), sink_(sink), comments_(comments) {}

  TokenList filter(std::vector<TokenPtr> raw, std::size_t end) {
    kept_.reserve(raw.size() + 1);
    for (std::size_t i = 0; i < raw.size();) i = take(raw, i);
    // What follows a comment that never ends is not the end of the file.
    if (end < source_.text().size()) dropped_ = true;
    auto eof = std::make_unique<CommonToken>(antlr4::Token::EOF);
    // Whatever is missing at the end is missing behind the last token.
    const std::size_t place = kept_.empty() ? end : kept_.back()->getStopIndex() + 1;
    eof->setStartIndex(place);
    eof->setStopIndex(place);
    keep(std::move(eof));
    retype();
    return {source_, std::move(kept_), std::move(after_error_)};
  }

 private:
  Span span(const antlr4::Token& first, const antlr4::Token& last) const {
    return {source_.id(), static_cast<std::uint32_t>(first.getStartIndex()),
            static_cast<std::uint32_t>(last.getStopIndex() + 1)};
  }
  std::string_view text(const antlr4::Token& token) const { return source_.text_of(span(token, token)); }

  void keep(TokenPtr token) {
    if (dropped_) after_error_.insert(kept_.size());
    dropped_ = false;
    kept_.push_back(std::move(token));
  }
  void keep_as(TokenPtr token, std::size_t type) {
    static_cast<CommonToken&>(*token).setType(type);
    keep(std::move(token));
  }

  /// Handles the token at `i` and returns the position of the next one to handle.
  std::size_t take(std::vector<TokenPtr>& raw, std::size_t i) {
    const antlr4::Token& token = *raw[i];
    switch (token.getType()) {
      case TesseraLexer::DOCUMENTATION: return comment(token, ast::Comment::Kind::documentation), i + 1;
      case TesseraLexer::LINE_COMMENT: return comment(token, ast::Comment::Kind::line), i + 1;
      case TesseraLexer::BLOCK_COMMENT: return comment(token, ast::Comment::Kind::block), i + 1;
      case TesseraLexer::UNKNOWN_CHARACTER: return unknown_character(raw, i);
      case TesseraLexer::MALFORMED_NUMBER: return malformed_number(std::move(raw[i])), i + 1;
      case TesseraLexer::UNTERMINATED_STRING:
        sink_.report(Diag::unterminated_string, span(token, token)).help("end it with `\"`");
        // It may have swallowed anything: neither it nor what comes next is worth another message.
        after_error_.insert(kept_.size());
        keep_as(std::move(raw[i]), TesseraLexer::STRING);
        dropped_ = true;
        return i + 1;
      case TesseraLexer::DOT: return dot(raw, i);
      case TesseraLexer::COMMA: return comma(raw, i);
      case TesseraLexer::NAME: return name(raw, i);
      default: return keep(std::move(raw[i])), i + 1;
    }
  }

  void comment(const antlr4::Token& token, ast::Comment::Kind kind) {
    comments_.push_back({span(token, token), kind});
  }

  /// Bytes that start no token: one whole character, and with it a run of such characters that touch.
  std::size_t unknown_character(std::vector<TokenPtr>& raw, std::size_t i) {
    const std::size_t begin = raw[i]->getStartIndex();
    const std::size_t length = std::max<std::size_t>(utf8_sequence_length(source_.text(), begin), 1);
    const std::size_t next = std::min(i + length, raw.size());
    const Span where = span(*raw[i], *raw[next - 1]);
    const std::string_view character = source_.text_of(where);
    if (character == "#" && statement_ends()) return line_of_other_languages(raw, i, where);
    if (character == "\r") return lone_carriage_return(where), next;
    auto diagnostic = sink_.report(Diag::unknown_character, where, character);
    for (const LookAlike& row : kLookAlikes) {
      if (row.character != character) continue;
      diagnostic.fix(where, std::string(row.ascii), fmt::format("write `{}`", row.ascii));
      static_cast<CommonToken&>(*raw[i]).setStopIndex(begin + length - 1);
      return keep_as(std::move(raw[i]), row.token), next;
    }
    if (length > 1)
      diagnostic.note("names are made of ASCII letters, digits and `_`; comments may hold any text");
    dropped_ = true;
    return next;
  }

  /// Nothing else is lost by it, so what is around it is parsed.
  void lone_carriage_return(Span where) {
    sink_.report(Diag::unknown_character, where, "\\r")
        .fix(where, "\n", "lines end with a line feed")
        .note("a carriage return alone ends no line");
  }

  /// Whether what was kept so far could end here, so that `#` begins no operand.
  bool statement_ends() const {
    if (kept_.empty()) return true;
    const std::size_t last = kept_.back()->getType();
    return last == TesseraLexer::SEMICOLON || last == TesseraLexer::COMMA ||
           last == TesseraLexer::OPEN_BRACE || last == TesseraLexer::CLOSE_BRACE;
  }

  /// `# a comment` and `#pragma`: the rest of the line is passed over.
  std::size_t line_of_other_languages(std::vector<TokenPtr>& raw, std::size_t i, Span where) {
    sink_.report(Diag::unknown_character, where, "#")
        .fix(where, "//", "comments begin with `//`")
        .note("there is no preprocessor");
    const std::size_t end = std::min(source_.text().find('\n', where.begin), source_.text().size());
    while (i < raw.size() && raw[i]->getStartIndex() < end) ++i;
    return i;
  }

  void malformed_number(TokenPtr token) {
    const Span where = span(*token, *token);
    const std::string_view number = text(*token);
    auto diagnostic = sink_.report(Diag::malformed_number, where, number);
    const std::size_t length = number.find_first_of("fFuUlLhH_");
    const bool hexadecimal = number.starts_with("0x");
    if (!hexadecimal && length != std::string_view::npos && is_suffix(number.substr(length))) {
      diagnostic.note("a literal has no suffix: it takes the type of the other operand")
          .fix(where, std::string(number.substr(0, length)), "drop the suffix");
    } else if (number.find('_') != std::string_view::npos) {
      std::string digits(number);
      std::erase(digits, '_');
      diagnostic.fix(where, digits, "write the digits without `_`");
    } else if (number.starts_with("0b") && number.find_first_not_of("01", 2) == std::string_view::npos) {
      diagnostic.help("numbers are decimal, or hexadecimal as `0x1F`");
    }
    keep_as(std::move(token), TesseraLexer::INTEGER);
  }

  /// `.5` and `5.`, which are read as numbers once reported.
  std::size_t dot(std::vector<TokenPtr>& raw, std::size_t i) {
    const bool touches_previous = !kept_.empty() && adjacent(*kept_.back(), *raw[i]);
    const bool touches_next = i + 1 < raw.size() && adjacent(*raw[i], *raw[i + 1]);
    if (touches_previous && kept_.back()->getType() == TesseraLexer::INTEGER) {
      const Span where = span(*kept_.back(), *raw[i]);
      // C writes `1.f`; the suffix goes with the point.
      const bool suffix = touches_next && (text(*raw[i + 1]) == "f" || text(*raw[i + 1]) == "F");
      const Span whole = suffix ? span(*kept_.back(), *raw[i + 1]) : where;
      sink_.report(Diag::bare_decimal_point, whole)
          .fix(whole, std::string(source_.text_of(where)) + "0", "write the digit");
      return i + (suffix ? 2 : 1);
    }
    const bool after_operand = touches_previous && (kept_.back()->getType() == TesseraLexer::NAME ||
                                                    is_closing(kept_.back()->getType()));
    if (!after_operand && touches_next && is_number(raw[i + 1]->getType())) {
      const Span where = span(*raw[i], *raw[i + 1]);
      sink_.report(Diag::bare_decimal_point, where)
          .fix(where, "0" + std::string(source_.text_of(where)), "write the digit");
      return keep_as(std::move(raw[i + 1]), TesseraLexer::FLOAT), i + 2;
    }
    return keep(std::move(raw[i])), i + 1;
  }

  /// The suffix of `1e-5f`, which the lexer takes for a name.
  std::size_t name(std::vector<TokenPtr>& raw, std::size_t i) {
    const bool suffix = !kept_.empty() && is_number(kept_.back()->getType()) &&
                        adjacent(*kept_.back(), *raw[i]) && is_suffix(text(*raw[i]));
    if (!suffix) return keep(std::move(raw[i])), i + 1;
    const Span whole = span(*kept_.back(), *raw[i]);
    sink_.report(Diag::malformed_number, whole, source_.text_of(whole))
        .note("a literal has no suffix: it takes the type of the other operand")
        .fix(whole, std::string(text(*kept_.back())), "drop the suffix");
    return i + 1;
  }

  /// A comma before a closing bracket says nothing.
  std::size_t comma(std::vector<TokenPtr>& raw, std::size_t i) {
    std::size_t next = i + 1;
    while (next < raw.size() && is_comment(raw[next]->getType())) ++next;
    const bool after_item = !kept_.empty() && kept_.back()->getType() != TesseraLexer::COMMA &&
                            kept_.back()->getType() != TesseraLexer::OPEN_PAREN &&
                            kept_.back()->getType() != TesseraLexer::OPEN_BRACKET;
    if (!after_item || next == raw.size() || !is_closing(raw[next]->getType())) keep(std::move(raw[i]));
    return i + 1;
  }

  /// Any word may follow `@`; `name < name =` opens generic arguments.
  void retype() {
    for (std::size_t i = 0; i + 1 < kept_.size(); ++i) {
      const std::size_t type = kept_[i]->getType();
      auto& next = static_cast<CommonToken&>(*kept_[i + 1]);
      if (type == TesseraLexer::AT && is_keyword(next.getType())) next.setType(TesseraLexer::NAME);
      if (type == TesseraLexer::LESS && i > 0 && kept_[i - 1]->getType() == TesseraLexer::NAME &&
          next.getType() == TesseraLexer::NAME && kept_[i + 2]->getType() == TesseraLexer::ASSIGN) {
        static_cast<CommonToken&>(*kept_[i]).setType(TesseraLexer::GENERIC_OPEN);
      }
    }
  }

  const SourceFile& source_;
  DiagnosticSink& sink_;
  std::vector<ast::Comment>& comments_;
  std::vector<TokenPtr> kept_;
  std::set<std::size_t> after_error_;
  bool dropped_ = false;
};

}  // namespace

TokenList lex(const SourceFile& source, ScannedText text, DiagnosticSink& sink,
              std::vector<ast::Comment>& comments) {
  ByteStream bytes(source.text(), text.begin, text.end);
  TesseraLexer lexer(&bytes);
  lexer.removeErrorListeners();
  return TokenFilter(source, sink, comments).filter(lexer.getAllTokens(), text.end);
}

}  // namespace tessera::antlr
