// SPDX-License-Identifier: Apache-2.0
// `#line` between the source and the generated file.
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <utility>

#include "emit/lowered.h"

namespace tessera::emit {

class LineDirectives {
 public:
  /// Stands where lines are those of the generated file again, until `return_to_generated` has counted them.
  static constexpr std::string_view kReturn = "#line generated\n";

  /// `line_of` is the line of a span, 0 when it has none.
  LineDirectives(const std::string& source, std::function<int(Span)> line_of)
      : source_(literal(source)), line_of_(std::move(line_of)) {}

  /// The source line of a statement, or of the first one inside it that has a line; 0 when none has.
  int first_line(const lowered::Statement& statement) const;
  /// `#line 12 "softmax.tsr"`
  std::string directive(int line) const;

  /// Puts lines of their own in place of every kReturn of a finished file.
  static std::string return_to_generated(std::string_view text, const std::string& path);

 private:
  static std::string literal(std::string_view path);

  std::string source_;
  std::function<int(Span)> line_of_;
};

}  // namespace tessera::emit
