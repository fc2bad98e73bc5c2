// SPDX-License-Identifier: Apache-2.0
// One linear pass over the bytes of a file; see scan_limits.h.
#include "frontend/scan_limits.h"

#include <fmt/format.h>

#include <array>
#include <string_view>

#include "base/limits.h"
#include "base/utf8.h"

namespace tessera {

namespace {

constexpr std::string_view kByteOrderMark = "\xEF\xBB\xBF";
/// A binary file would otherwise fill the report with its bytes.
constexpr int kMaxBadBytes = 5;

bool is_word(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
}
bool is_space(char c) { return c == ' ' || c == '\t' || c == '\n' || c == '\r' || c == '\f'; }

class Scanner {
 public:
  Scanner(const SourceFile& source, DiagnosticSink& sink)
      : text_(source.text()), file_(source.id()), sink_(sink) {}

  std::optional<ScannedText> scan() {
    if (text_.size() > limits::kFileBytes) {
      sink_.report(Diag::file_too_large, {file_, 0, 0}, limits::kFileBytes);
      return std::nullopt;
    }
    if (!check_bytes()) return std::nullopt;
    const std::size_t begin = text_.starts_with(kByteOrderMark) ? kByteOrderMark.size() : 0;
    position_ = begin;
    std::size_t end = text_.size();
    while (position_ < end && !stopped_) {
      if (!step()) end = position_;
    }
    if (stopped_) return std::nullopt;
    return ScannedText{static_cast<std::uint32_t>(begin), static_cast<std::uint32_t>(end)};
  }

 private:
  Span span(std::size_t begin, std::size_t end) const {
    return {file_, static_cast<std::uint32_t>(begin), static_cast<std::uint32_t>(end)};
  }

  bool check_bytes() {
    int bad = 0;
    for (std::size_t i = 0; i < text_.size() && bad < kMaxBadBytes;) {
      const std::size_t length = utf8_sequence_length(text_, i);
      const auto byte = static_cast<unsigned char>(text_[i]);
      if (length == 0) {
        sink_.report(Diag::invalid_utf8, span(i, i + 1), fmt::format("{:02X}", byte))
            .note("source files are UTF-8 text");
        ++bad;
      } else if ((byte < 0x20 && !is_space(text_[i])) || byte == 0x7f) {
        sink_.report(Diag::control_character, span(i, i + 1), fmt::format("{:02X}", byte));
        ++bad;
      }
      i += length == 0 ? 1 : length;
    }
    return bad == 0;
  }

  /// Passes one token, comment or space; false where the readable text ends.
  bool step() {
    const char c = text_[position_];
    const std::string_view rest = text_.substr(position_);
    if (is_space(c)) {
      ++position_;
    } else if (rest.starts_with("//")) {
      skip_line();
    } else if (rest.starts_with("/*")) {
      return skip_past(rest.substr(2), "*/", 2, Diag::unterminated_comment);
    } else if (rest.starts_with("\"\"\"")) {
      count_token();
      return skip_past(rest.substr(3), "\"\"\"", 3, Diag::unterminated_text);
    } else if (c == '"') {
      count_token();
      skip_string();
    } else if (is_word(c)) {
      count_token();
      word();
    } else {
      count_token();
      bracket(c);
      ++position_;
    }
    return true;
  }

  void skip_line() {
    while (position_ < text_.size() && text_[position_] != '\n' && text_[position_] != '\r') ++position_;
  }

  void skip_string() {
    for (++position_; position_ < text_.size(); ++position_) {
      const char c = text_[position_];
      if (c == '\n' || c == '\r') return;  // the lexer reports it
      if (c == '"') {
        ++position_;
        return;
      }
    }
  }

  bool skip_past(std::string_view rest, std::string_view closer, std::size_t opener_size, Diag kind) {
    const std::size_t found = rest.find(closer);
    if (found == std::string_view::npos) {
      const Span opener = span(position_, position_ + opener_size);
      if (kind == Diag::unterminated_comment) {
        sink_.report(Diag::unterminated_comment, opener).help("end it with `*/`");
      } else {
        sink_.report(Diag::unterminated_text, opener).help("end it with `\"\"\"`");
      }
      return false;
    }
    position_ += opener_size + found + closer.size();
    return true;
  }

  void word() {
    const std::size_t begin = position_;
    while (position_ < text_.size() && is_word(text_[position_])) ++position_;
    const std::size_t length = position_ - begin;
    if (length <= limits::kNameLength) return;
    sink_.report(Diag::name_too_long, span(begin, position_), length, limits::kNameLength);
    stopped_ = true;
  }

  void bracket(char c) {
    if (c == '(' || c == '[' || c == '{') {
      ++depth_;
    }
    if (depth_ > limits::kNestingDepth) {
      sink_.report(Diag::nesting_too_deep, span(position_, position_ + 1), limits::kNestingDepth);
      stopped_ = true;
      return;
    }
    if ((c == ')' || c == ']' || c == '}') && depth_ > 0) --depth_;
    if (c == '(' || c == '[' || c == '{' || c == ';') commas_[depth_] = 0;
    if (c == ',' && ++commas_[depth_] >= limits::kListLength) {
      sink_.report(Diag::list_too_long, span(position_, position_ + 1), limits::kListLength);
      stopped_ = true;
    }
  }

  void count_token() {
    if (++tokens_ <= limits::kTokens) return;
    sink_.report(Diag::too_many_tokens, span(position_, position_ + 1), limits::kTokens);
    stopped_ = true;
  }

  std::string_view text_;
  FileId file_;
  DiagnosticSink& sink_;
  std::size_t position_ = 0;
  std::size_t tokens_ = 0;
  std::size_t depth_ = 0;
  std::array<std::size_t, limits::kNestingDepth + 1> commas_{};  // of the list open at each depth
  bool stopped_ = false;
};

}  // namespace

std::optional<ScannedText> scan_limits(const SourceFile& source, DiagnosticSink& sink) {
  return Scanner(source, sink).scan();
}

}  // namespace tessera
