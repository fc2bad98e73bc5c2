// SPDX-License-Identifier: Apache-2.0
// Tokens of the IR's text form.
#include "sema/ir/text_lexer.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>

namespace tessera::ir {

namespace {

/// No text that `print` writes numbers values so high; what does would only ask for memory.
constexpr uint32_t kMaximumValueNumber = 1u << 24;

bool is_digit(char c) { return c >= '0' && c <= '9'; }
bool is_letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_'; }

size_t skip_digits(std::string_view text, size_t position) {
  while (position < text.size() && is_digit(text[position])) ++position;
  return position;
}

/// The end of a name with an optional number behind it: `k`, `k.3`, `.3`.
size_t end_of_name(std::string_view text, size_t position) {
  while (position < text.size() && (is_letter(text[position]) || is_digit(text[position]))) ++position;
  if (position + 1 < text.size() && text[position] == '.' && is_digit(text[position + 1])) {
    position = skip_digits(text, position + 1);
  }
  return position;
}

/// The end of a decimal number without its sign: `12`, `1.5`, `1e-05`.
size_t end_of_number(std::string_view text, size_t position) {
  position = skip_digits(text, position);
  if (position + 1 < text.size() && text[position] == '.' && is_digit(text[position + 1])) {
    position = skip_digits(text, position + 1);
  }
  if (position < text.size() && text[position] == 'e') {
    size_t digits = position + 1;
    if (digits < text.size() && (text[digits] == '-' || text[digits] == '+')) ++digits;
    if (digits < text.size() && is_digit(text[digits])) position = skip_digits(text, digits);
  }
  return position;
}

size_t end_of_text(std::string_view text, size_t position) {
  for (++position; position < text.size() && text[position] != '\n'; ++position) {
    if (text[position] == '"') return position + 1;
    if (text[position] == '\\') ++position;
  }
  return std::string_view::npos;
}

bool is_two_character_sign(std::string_view two) {
  return two == ".." || two == "==" || two == "!=" || two == "<=" || two == ">=";
}

}  // namespace

Lexer::Lexer(const SourceFile& source, DiagnosticSink& sink) : source_(source), sink_(sink) { advance(); }

bool Lexer::is(std::string_view spelling) const {
  const bool may_be = token_.kind == Token::Kind::sign || token_.kind == Token::Kind::name;
  return may_be && token_.spelling == spelling;
}

Token Lexer::next() {
  const Token token = token_;
  if (!at_end()) advance();
  return token;
}

bool Lexer::accept(std::string_view spelling) {
  if (!is(spelling)) return false;
  advance();
  return true;
}

void Lexer::expect(std::string_view spelling) {
  if (!accept(spelling)) fail_expected(fmt::format("`{}`", spelling));
}

std::string Lexer::name(std::string_view what) {
  if (token_.kind == Token::Kind::name) return std::string(next().spelling);
  fail_expected(what);
  return "";
}

int64_t Lexer::integer() {
  const Span begin = token_.span;
  std::string text = accept("-") ? "-" : "";
  if (token_.kind != Token::Kind::number) {
    fail_expected("an integer");
    return 0;
  }
  text += next().spelling;
  int64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size()) {
    fail(begin, fmt::format("`{}` is no 64-bit integer", text));
  }
  return value;
}

int64_t Lexer::magnitude() {
  const Token token = next();
  const std::string_view text = token.spelling;
  uint64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size() || value > uint64_t{1} << 63) {
    fail(token.span, fmt::format("`{}` is no 64-bit integer", text));
    return 0;
  }
  return static_cast<int64_t>(value);
}

double Lexer::real() {
  const Span begin = token_.span;
  std::string text = accept("-") ? "-" : "";
  if (token_.kind != Token::Kind::number && !is("inf") && !is("nan")) {
    fail_expected("a number");
    return 0;
  }
  text += next().spelling;
  double value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size())
    fail(begin, fmt::format("`{}` is no f64 number", text));
  return value;
}

std::string Lexer::text() {
  if (token_.kind != Token::Kind::text) {
    fail_expected("a quoted text");
    return "";
  }
  const Token token = next();
  const std::string_view inner = token.spelling.substr(1, token.spelling.size() - 2);
  std::string result;
  for (size_t i = 0; i < inner.size(); ++i) {
    if (inner[i] != '\\') {
      result += inner[i];
    } else if (inner[++i] == 'n') {
      result += '\n';
    } else if (inner[i] == 'x') {
      unsigned byte = 0;
      const std::string_view digits = inner.substr(i + 1, 2);
      const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), byte, 16);
      if (error != std::errc() || end != digits.data() + 2)
        fail(token.span, "`\\x` is not followed by two digits");
      result += static_cast<char>(byte);
      i += 2;
    } else {
      result += inner[i];
    }
  }
  return result;
}

uint32_t Lexer::value_number() {
  if (token_.kind != Token::Kind::value) {
    fail_expected("a value such as `%3`");
    return 0;
  }
  const Token token = next();
  const std::string_view digits = token.spelling.substr(1);
  uint32_t number = 0;
  const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), number);
  if (error != std::errc() || end != digits.data() + digits.size() || number > kMaximumValueNumber) {
    fail(token.span, fmt::format("`{}` is no value number", token.spelling));
    return 0;
  }
  return number;
}

void Lexer::fail(Span span, std::string message) {
  if (failed_) return;
  failed_ = true;
  sink_.report(Diag::ir_text_malformed, span, message);
  position_ = source_.text().size();
  token_ = {};
}

void Lexer::fail_expected(std::string_view what) {
  const std::string found = at_end() ? "the end of the file" : fmt::format("`{}`", token_.spelling);
  fail(token_.span, fmt::format("expected {}, found {}", what, found));
}

size_t Lexer::skip_blank(size_t position) const {
  const std::string& text = source_.text();
  while (position < text.size()) {
    const char c = text[position];
    if (c == ' ' || c == '\n' || c == '\t' || c == '\r') {
      ++position;
    } else if (text.compare(position, 2, "//") == 0) {
      position = std::min(text.find('\n', position), text.size());
    } else {
      break;
    }
  }
  return position;
}

/// The token that begins at `begin`; of kind `end` if none does.
Token Lexer::scan(size_t begin) const {
  const std::string_view text = source_.text();
  Token token;
  size_t end = begin + 1;
  const bool numbered = begin + 1 < text.size() && is_digit(text[begin + 1]);
  if (is_letter(text[begin]) || (text[begin] == '.' && numbered)) {
    token.kind = Token::Kind::name;
    end = end_of_name(text, begin);
  } else if (is_digit(text[begin])) {
    token.kind = Token::Kind::number;
    end = end_of_number(text, begin);
  } else if (text[begin] == '%' && numbered) {
    token.kind = Token::Kind::value;
    end = skip_digits(text, begin + 1);
  } else if (text[begin] == '"') {
    token.kind = Token::Kind::text;
    end = end_of_text(text, begin);
    if (end == std::string_view::npos) return {};
  } else {
    token.kind = Token::Kind::sign;
    if (is_two_character_sign(text.substr(begin, 2))) ++end;
  }
  token.spelling = text.substr(begin, end - begin);
  token.span = {source_.id(), static_cast<uint32_t>(begin), static_cast<uint32_t>(end)};
  return token;
}

void Lexer::advance() {
  const size_t begin = skip_blank(position_);
  const auto place = static_cast<uint32_t>(begin);
  if (begin >= source_.text().size()) {
    token_ = {Token::Kind::end, {}, {source_.id(), place, place}};
    return;
  }
  token_ = scan(begin);
  if (at_end()) {
    token_.span = {source_.id(), place, place + 1};
    fail(token_.span, "a text has no closing quote on its line");
    return;
  }
  position_ = begin + token_.spelling.size();
}

}  // namespace tessera::ir
