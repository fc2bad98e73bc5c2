// SPDX-License-Identifier: Apache-2.0
// Source text: files, byte spans in them, and lines and columns worked out on demand.
#pragma once

#include <compare>
#include <cstdint>
#include <deque>
#include <limits>
#include <string>
#include <string_view>
#include <vector>

namespace tessera {

/// Names a file of a `SourceManager`. A default-constructed one names none.
struct FileId {
  std::uint32_t index = std::numeric_limits<std::uint32_t>::max();

  constexpr bool valid() const { return index != std::numeric_limits<std::uint32_t>::max(); }
  friend constexpr auto operator<=>(FileId, FileId) = default;
};

/// The bytes `[begin, end)` of a file. A default-constructed span means "no place".
struct Span {
  FileId file;
  std::uint32_t begin = 0;
  std::uint32_t end = 0;

  constexpr bool valid() const { return file.valid(); }
  constexpr std::uint32_t size() const { return end - begin; }
  constexpr bool contains(Span other) const {
    return file == other.file && begin <= other.begin && other.end <= end;
  }
  friend constexpr auto operator<=>(const Span&, const Span&) = default;
};

/// The smallest span that covers both; if one is not valid, the other one.
Span merge(Span a, Span b);

/// A place as people count: both from 1, the column in characters (Unicode code points), a tab being one.
struct LineColumn {
  std::uint32_t line = 1;
  std::uint32_t column = 1;
  friend constexpr auto operator<=>(const LineColumn&, const LineColumn&) = default;
};

/// One file's text, exactly as read, and its path as the user wrote it.
class SourceFile {
 public:
  SourceFile(FileId id, std::string path, std::string text);

  FileId id() const { return id_; }
  const std::string& path() const { return path_; }
  const std::string& text() const { return text_; }

  /// Line and column of a byte offset; an offset past the end means the end.
  LineColumn line_column(std::uint32_t offset) const;
  /// Number of lines; a final newline does not start another one, and an empty file has one line.
  std::uint32_t line_count() const;
  /// Text of a line (from 1) without its line break.
  std::string_view line_text(std::uint32_t line) const;
  /// Byte offset of a line's first byte (lines from 1).
  std::uint32_t line_begin(std::uint32_t line) const;
  /// The text of a span of this file.
  std::string_view text_of(Span span) const;

 private:
  const std::vector<std::uint32_t>& line_starts() const;

  FileId id_;
  std::string path_;
  std::string text_;
  mutable std::vector<std::uint32_t> line_starts_;  // built at the first question: most files are never asked
};

/// Owns the files of one run. References to files stay valid while files are added.
class SourceManager {
 public:
  /// Adds a file whose text is already at hand.
  FileId add(std::string path, std::string text);
  const SourceFile& file(FileId id) const;
  const std::deque<SourceFile>& files() const { return files_; }

 private:
  std::deque<SourceFile> files_;
};

}  // namespace tessera
