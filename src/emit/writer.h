// SPDX-License-Identifier: Apache-2.0
// Lines and indentation of generated text, and nothing else.
#pragma once

#include <string>
#include <string_view>

namespace tessera::emit {

class Writer {
 public:
  static constexpr size_t kColumns = 110;

  /// One line at the current indentation; a line that is too long is broken after an operator or a comma.
  /// `remark` is put behind it as a comment.
  void line(std::string_view text, std::string_view remark = {});
  void blank() { text_ += '\n'; }
  /// Text that carries its own line breaks, taken as it is.
  void raw(std::string_view text) { text_ += text; }
  void indent() { ++depth_; }
  void outdent() { --depth_; }
  /// Whether long lines stay whole, so that a line of text is a line of the file.
  void keep_whole(bool whole) { whole_ = whole; }
  const std::string& text() const { return text_; }

 private:
  std::string text_;
  int depth_ = 0;
  bool whole_ = false;
};

}  // namespace tessera::emit
