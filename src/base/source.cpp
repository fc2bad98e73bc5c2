// SPDX-License-Identifier: Apache-2.0
// Lines and columns of source text; see source.h.
#include "base/source.h"

#include <algorithm>
#include <utility>

#include "base/check.h"
#include "base/utf8.h"

namespace tessera {

Span merge(Span a, Span b) {
  if (!a.valid()) return b;
  if (!b.valid()) return a;
  TESSERA_CHECK(a.file == b.file, "a span lies in one file");
  return {a.file, std::min(a.begin, b.begin), std::max(a.end, b.end)};
}

SourceFile::SourceFile(FileId id, std::string path, std::string text)
    : id_(id), path_(std::move(path)), text_(std::move(text)) {}

const std::vector<std::uint32_t>& SourceFile::line_starts() const {
  if (line_starts_.empty()) {
    line_starts_.push_back(0);
    for (std::size_t i = 0; i + 1 < text_.size(); ++i) {
      if (text_[i] == '\n') line_starts_.push_back(static_cast<std::uint32_t>(i + 1));
    }
  }
  return line_starts_;
}

LineColumn SourceFile::line_column(std::uint32_t offset) const {
  offset = std::min<std::uint32_t>(offset, static_cast<std::uint32_t>(text_.size()));
  const auto& starts = line_starts();
  const auto next = std::upper_bound(starts.begin(), starts.end(), offset);
  const std::uint32_t start = *(next - 1);
  const auto column = utf8_length(std::string_view(text_).substr(start, offset - start)) + 1;
  return {static_cast<std::uint32_t>(next - starts.begin()), static_cast<std::uint32_t>(column)};
}

std::uint32_t SourceFile::line_count() const { return static_cast<std::uint32_t>(line_starts().size()); }

std::uint32_t SourceFile::line_begin(std::uint32_t line) const {
  TESSERA_CHECK(line >= 1 && line <= line_count(), "a line number is inside its file");
  return line_starts()[line - 1];
}

std::string_view SourceFile::line_text(std::uint32_t line) const {
  const std::uint32_t begin = line_begin(line);
  const std::size_t newline = text_.find('\n', begin);
  std::string_view result =
      std::string_view(text_).substr(begin, newline == std::string::npos ? newline : newline - begin);
  if (result.ends_with('\r')) result.remove_suffix(1);
  return result;
}

std::string_view SourceFile::text_of(Span span) const {
  TESSERA_CHECK(span.file == id_ && span.begin <= span.end && span.end <= text_.size(),
                "a span lies in its file");
  return std::string_view(text_).substr(span.begin, span.size());
}

FileId SourceManager::add(std::string path, std::string text) {
  const FileId id{static_cast<std::uint32_t>(files_.size())};
  files_.emplace_back(id, std::move(path), std::move(text));
  return id;
}

const SourceFile& SourceManager::file(FileId id) const {
  TESSERA_CHECK(id.valid() && id.index < files_.size(), "a file id is from this source manager");
  return files_[id.index];
}

}  // namespace tessera
