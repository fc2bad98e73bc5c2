// SPDX-License-Identifier: Apache-2.0
// See comment_writer.h.
#include "frontend/comment_writer.h"

#include <algorithm>

namespace tessera {

bool CommentWriter::blank_line_before(std::uint32_t offset) const {
  const std::size_t last = text_.substr(0, offset).find_last_not_of(" \t\r\n\f");
  const std::size_t begin = last == std::string_view::npos ? 0 : last + 1;
  return std::ranges::count(text_.substr(begin, offset - begin), '\n') >= 2;
}

std::string_view CommentWriter::comment_text(const ast::Comment& comment) const {
  const std::string_view text = text_.substr(comment.span.begin, comment.span.size());
  return text.substr(0, text.find_last_not_of(" \t\r\f") + 1);
}

void CommentWriter::blank_line_if_before(std::uint32_t offset) {
  if (!at_block_start_ && blank_line_before(offset)) out_ += '\n';
  at_block_start_ = false;
}

void CommentWriter::line(std::size_t indentation, std::string_view text) {
  out_ += std::string(indentation, ' ');
  out_ += text;
  out_ += '\n';
}

void CommentWriter::flush(std::uint32_t end, std::size_t indentation) {
  for (; next_ < comments_.size() && comments_[next_].span.begin < end; ++next_) {
    blank_line_if_before(comments_[next_].span.begin);
    line(indentation, comment_text(comments_[next_]));
  }
}

void CommentWriter::lead(std::uint32_t begin, std::size_t indentation, std::uint32_t hoist_end) {
  flush(begin, indentation);
  blank_line_if_before(begin);
  for (; next_ < comments_.size() && comments_[next_].span.begin < hoist_end; ++next_) {
    line(indentation, comment_text(comments_[next_]));
  }
}

void CommentWriter::trail(std::uint32_t end) {
  for (; next_ < comments_.size(); ++next_) {
    const ast::Comment& comment = comments_[next_];
    if (comment.span.begin >= end) {
      const std::string_view gap = text_.substr(end, comment.span.begin - end);
      if (gap.find_first_not_of(" \t,;)") != std::string_view::npos) return;
    }
    const std::string_view text = comment_text(comment);
    out_.pop_back();
    out_ += "  ";
    out_ += text;
    out_ += '\n';
    end = std::max(end, comment.span.end);
    // Nothing can follow on the line.
    if (comment.kind != ast::Comment::Kind::block || text.find('\n') != std::string_view::npos) {
      ++next_;
      return;
    }
  }
}

bool CommentWriter::has_comments(Span span) const {
  const auto first =
      std::ranges::lower_bound(comments_, span.begin, {}, [](const ast::Comment& c) { return c.span.begin; });
  return first != comments_.end() && first->span.begin < span.end;
}

}  // namespace tessera
