// SPDX-License-Identifier: Apache-2.0
// Writes the lines of a formatted file and puts the comments and blank lines of the source back between them.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "base/source.h"
#include "frontend/ast.h"

namespace tessera {

/// Comments come back in the order of the source, each exactly once: on lines of their own before the item that they
/// stood before, or behind the item whose line they shared.
class CommentWriter {
 public:
  CommentWriter(const ast::File& file, const SourceFile& source)
      : comments_(file.comments), text_(source.text()) {}

  /// Writes what stands before an item that begins at `begin`: its comments, and a blank line if there was one.
  /// Comments before `hoist_end` that are inside the item come before it too.
  void lead(std::uint32_t begin, std::size_t indentation, std::uint32_t hoist_end = 0);
  /// Appends the comment that shares the line of the item that ends at `end`, or that stood inside of it.
  void trail(std::uint32_t end);
  /// Writes every comment that begins before `end` on a line of its own.
  void flush(std::uint32_t end, std::size_t indentation);

  void line(std::size_t indentation, std::string_view text);
  /// The next item is the first of its block: no blank line before it.
  void begin_block() { at_block_start_ = true; }
  bool has_comments(Span span) const;

  std::string take() { return std::move(out_); }

 private:
  bool blank_line_before(std::uint32_t offset) const;
  std::string_view comment_text(const ast::Comment& comment) const;
  void blank_line_if_before(std::uint32_t offset);

  const std::vector<ast::Comment>& comments_;
  std::string_view text_;
  std::size_t next_ = 0;
  bool at_block_start_ = true;
  std::string out_;
};

}  // namespace tessera
