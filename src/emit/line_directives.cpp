// SPDX-License-Identifier: Apache-2.0
#include "emit/line_directives.h"

#include <fmt/format.h>

namespace tessera::emit {

namespace {

std::string directive_of(size_t line, const std::string& literal) {
  return fmt::format("#line {} {}\n", line, literal);
}

const lowered::Block* body_of(const lowered::Statement& statement) {
  if (const auto* branch = std::get_if<lowered::If>(&statement.node)) return &branch->then;
  if (const auto* loop = std::get_if<lowered::For>(&statement.node)) return &loop->body;
  if (const auto* lambda = std::get_if<lowered::Lambda>(&statement.node)) return &lambda->body;
  return nullptr;
}

}  // namespace

// Compilers read the name as a string literal; whatever they could take for the end of it is an octal escape.
std::string LineDirectives::literal(std::string_view path) {
  std::string result = "\"";
  for (const char c : path) {
    const auto byte = static_cast<unsigned char>(c);
    if (c == '"' || c == '\\') {
      result += {'\\', c};
    } else if (byte < 0x20 || byte == 0x7f) {
      result += fmt::format("\\{:03o}", byte);
    } else {
      result += c;
    }
  }
  return result + "\"";
}

int LineDirectives::first_line(const lowered::Statement& statement) const {
  if (const int line = line_of_(statement.span); line > 0) return line;
  const lowered::Block* body = body_of(statement);
  if (!body) return 0;
  for (const lowered::Statement& inner : *body)
    if (const int line = first_line(inner); line > 0) return line;
  return 0;
}

std::string LineDirectives::directive(int line) const {
  return directive_of(static_cast<size_t>(line), source_);
}

std::string LineDirectives::return_to_generated(std::string_view text, const std::string& path) {
  std::string result;
  size_t line = 0;
  while (!text.empty()) {
    const size_t length = std::min(text.find('\n'), text.size() - 1) + 1;
    ++line;
    const std::string_view current = text.substr(0, length);
    result += current == kReturn ? directive_of(line + 1, literal(path)) : std::string(current);
    text.remove_prefix(length);
  }
  return result;
}

}  // namespace tessera::emit
