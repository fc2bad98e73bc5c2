// SPDX-License-Identifier: Apache-2.0
// The text forms of a diagnostic: source excerpts with carets below them, and the one-line form.
#include "base/diagnostic_printer.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <map>
#include <string_view>

#include "base/utf8.h"

namespace tessera {

namespace {

constexpr std::size_t kTabWidth = 4;
/// Excerpts of longer lines would drown the message; what is marked beyond this column is cut.
constexpr std::size_t kMaxExcerptColumns = 160;

enum class Style { error, warning, remark, frame, emphasis, help };

const char* escape(Style style) {
  switch (style) {
    case Style::error: return "\033[1;31m";
    case Style::warning: return "\033[1;33m";
    case Style::remark: return "\033[1;36m";
    case Style::frame: return "\033[1;34m";
    case Style::emphasis: return "\033[1m";
    case Style::help: return "\033[1;32m";
  }
  return "";
}

Style severity_style(Severity severity) {
  switch (severity) {
    case Severity::error: return Style::error;
    case Severity::warning: return Style::warning;
    case Severity::remark: return Style::remark;
  }
  return Style::error;
}

/// A part of one source line that gets carets (the primary place) or dashes, in display columns from 0.
struct Mark {
  std::size_t begin = 0;
  std::size_t end = 1;
  bool primary = false;
  std::string text;
};

/// A source line as shown: tabs expanded, control characters and broken UTF-8 replaced.
struct ExcerptLine {
  std::string shown;
  std::vector<std::size_t> column_of_byte;  ///< display column of each byte, and of the end
};

ExcerptLine make_excerpt_line(std::string_view line) {
  ExcerptLine result;
  std::size_t column = 0;
  for (std::size_t position = 0; position < line.size();) {
    const std::size_t length = utf8_sequence_length(line, position);
    const std::size_t taken = std::max<std::size_t>(length, 1);
    for (std::size_t i = 0; i < taken; ++i) result.column_of_byte.push_back(column);
    const auto byte = static_cast<unsigned char>(line[position]);
    if (byte == '\t') {
      const std::size_t width = kTabWidth - column % kTabWidth;
      result.shown.append(width, ' ');
      column += width;
    } else {
      const bool printable = length > 1 || (length == 1 && byte >= 0x20 && byte != 0x7f);
      result.shown += printable ? std::string(line.substr(position, taken)) : "\uFFFD";
      ++column;
    }
    position += taken;
  }
  result.column_of_byte.push_back(column);
  return result;
}

/// Writes the excerpts of one diagnostic or note.
class ExcerptWriter {
 public:
  ExcerptWriter(const SourceManager& sources, bool color) : sources_(sources), color_(color) {}

  std::string take() { return std::move(out_); }

  std::string paint(Style style, std::string_view text) const {
    return color_ ? fmt::format("{}{}\033[0m", escape(style), text) : std::string(text);
  }

  void line(std::string_view text) {
    out_ += text;
    out_ += '\n';
  }

  /// The place and the marked lines of every file that the labels name, the primary file first.
  void excerpt(Span primary, const std::vector<Label>& labels, Style style) {
    std::map<FileId, std::map<std::uint32_t, std::vector<Mark>>> others;
    std::map<std::uint32_t, std::vector<Mark>> own;
    std::string at_primary;
    for (const Label& label : labels) {
      if (label.span == primary) {
        at_primary += (at_primary.empty() ? "" : "; ") + label.text;
      } else {
        add_mark(label.span.file == primary.file ? own : others[label.span.file], label, false);
      }
    }
    add_mark(own, {primary, at_primary}, true);
    gutter_ = gutter_width(own, others);
    file_excerpt(primary, own, "-->", style);
    for (const auto& [file, lines] : others) {
      const std::uint32_t first = sources_.file(file).line_begin(lines.begin()->first);
      file_excerpt({file, first, first}, lines, ":::", style);
    }
  }

  std::size_t gutter() const { return gutter_; }

 private:
  using MarkedLines = std::map<std::uint32_t, std::vector<Mark>>;

  /// A span of several lines is marked to the end of its first one.
  void add_mark(MarkedLines& lines, const Label& label, bool primary) {
    const SourceFile& file = sources_.file(label.span.file);
    const std::uint32_t number = file.line_column(label.span.begin).line;
    const std::string_view text = file.line_text(number);
    const ExcerptLine shown = make_excerpt_line(text);
    const std::uint32_t start = file.line_begin(number);
    const auto column = [&](std::uint32_t offset) {
      return shown.column_of_byte[std::min<std::size_t>(offset - start, text.size())];
    };
    Mark mark{column(label.span.begin), column(std::max(label.span.end, label.span.begin)), primary,
              label.text};
    mark.end = std::max(mark.end, mark.begin + 1);
    lines[number].push_back(std::move(mark));
  }

  static std::size_t gutter_width(const MarkedLines& own, const std::map<FileId, MarkedLines>& others) {
    std::uint32_t last = own.rbegin()->first;
    for (const auto& [file, lines] : others) last = std::max(last, lines.rbegin()->first);
    return std::to_string(last).size();
  }

  void file_excerpt(Span place, const MarkedLines& lines, std::string_view arrow, Style style) {
    const SourceFile& file = sources_.file(place.file);
    const LineColumn at = file.line_column(place.begin);
    const std::string margin(gutter_, ' ');
    line(fmt::format("{}{} {}:{}:{}", margin, paint(Style::frame, arrow), file.path(), at.line, at.column));
    line(margin + paint(Style::frame, " |"));
    std::uint32_t previous = 0;
    for (const auto& [number, marks] : lines) {
      if (previous != 0 && number == previous + 2) source_line(file, number - 1);
      if (previous != 0 && number > previous + 2) line(paint(Style::frame, "..."));
      source_line(file, number);
      marks_below(marks, style);
      previous = number;
    }
  }

  void source_line(const SourceFile& file, std::uint32_t number) {
    const ExcerptLine shown = make_excerpt_line(file.line_text(number));
    std::string text = cut(shown.shown);
    const std::string head = paint(Style::frame, fmt::format("{:>{}} |", number, gutter_));
    line(text.empty() ? head : head + " " + text);
  }

  static std::string cut(const std::string& text) {
    if (utf8_length(text) <= kMaxExcerptColumns) return text;
    std::size_t position = 0;
    for (std::size_t column = 0; column < kMaxExcerptColumns; ++column) {
      position += std::max<std::size_t>(utf8_sequence_length(text, position), 1);
    }
    return text.substr(0, position) + "…";
  }

  /// One line with all carets and dashes and the text of the rightmost mark, then the other texts, each below
  /// its own mark, from right to left.
  void marks_below(std::vector<Mark> marks, Style style) {
    for (Mark& mark : marks) {
      mark.begin = std::min(mark.begin, kMaxExcerptColumns);
      mark.end = std::clamp(mark.end, mark.begin + 1, kMaxExcerptColumns + 1);
    }
    std::ranges::stable_sort(marks, {}, [](const Mark& mark) { return mark.begin; });
    std::size_t width = 0;
    for (const Mark& mark : marks) width = std::max(width, mark.end);
    std::vector<const Mark*> owner(width, nullptr);
    for (const Mark& mark : marks) {
      for (std::size_t column = mark.begin; column < mark.end; ++column) {
        if (owner[column] == nullptr || mark.primary) owner[column] = &mark;
      }
    }
    const Mark& last = marks.back();
    const bool last_ends_line = last.end == width;
    std::string row = underline(owner, style);
    if (last_ends_line && !last.text.empty()) row += " " + paint(mark_style(last, style), last.text);
    margin_line(row);
    if (last_ends_line) marks.pop_back();
    std::erase_if(marks, [](const Mark& mark) { return mark.text.empty(); });
    for (; !marks.empty(); marks.pop_back()) text_below(marks, style);
  }

  static Style mark_style(const Mark& mark, Style style) { return mark.primary ? style : Style::frame; }

  std::string underline(const std::vector<const Mark*>& owner, Style style) const {
    std::string row;
    for (std::size_t column = 0; column < owner.size();) {
      std::size_t end = column;
      while (end < owner.size() && owner[end] == owner[column]) ++end;
      const Mark* mark = owner[column];
      const std::string piece(end - column, mark == nullptr ? ' ' : mark->primary ? '^' : '-');
      row += mark == nullptr ? piece : paint(mark_style(*mark, style), piece);
      column = end;
    }
    return row;
  }

  void text_below(const std::vector<Mark>& marks, Style style) {
    std::string row;
    std::size_t column = 0;
    const auto put = [&](const Mark& mark, std::string_view text) {
      if (mark.begin < column) return;
      row.append(mark.begin - column, ' ');
      row += paint(mark_style(mark, style), text);
      column = mark.begin + 1;
    };
    for (const Mark& mark : marks) {
      if (&mark != &marks.back()) put(mark, "|");
    }
    const Mark& last = marks.back();
    if (last.begin < column) {  // two marks begin together: the text takes the bar's place
      text_below_at_same_column(marks, style);
      return;
    }
    put(last, last.text);
    margin_line(row);
  }

  void text_below_at_same_column(const std::vector<Mark>& marks, Style style) {
    const Mark& last = marks.back();
    margin_line(std::string(last.begin, ' ') + paint(mark_style(last, style), last.text));
  }

  void margin_line(std::string_view row) {
    line(fmt::format("{}{} {}", std::string(gutter_, ' '), paint(Style::frame, " |"), row));
  }

  const SourceManager& sources_;
  bool color_;
  std::size_t gutter_ = 1;
  std::string out_;
};

/// The line after the suggested change, with `~` below what is new; nothing where the change spans lines.
void write_suggestion(ExcerptWriter& writer, const Suggestion& suggestion, const SourceManager& sources) {
  writer.line(fmt::format("{}: {}", writer.paint(Style::help, "help"), suggestion.text));
  const SourceFile& file = sources.file(suggestion.span.file);
  const std::uint32_t number = file.line_column(suggestion.span.begin).line;
  const std::string_view text = file.line_text(number);
  const std::uint32_t begin = suggestion.span.begin - file.line_begin(number);
  const std::uint32_t end = suggestion.span.end - file.line_begin(number);
  if (end > text.size() || suggestion.replacement.find('\n') != std::string::npos) return;

  const std::string before(text.substr(0, begin));
  const ExcerptLine changed =
      make_excerpt_line(before + suggestion.replacement + std::string(text.substr(end)));
  const std::size_t first = changed.column_of_byte[before.size()];
  const std::size_t last = changed.column_of_byte[before.size() + suggestion.replacement.size()];
  const std::string margin = std::string(writer.gutter(), ' ') + writer.paint(Style::frame, " |");
  writer.line(margin);
  writer.line(fmt::format(
      "{} {}", writer.paint(Style::frame, fmt::format("{:>{}} |", number, writer.gutter())), changed.shown));
  if (first == last) return;
  writer.line(fmt::format("{} {}{}", margin, std::string(first, ' '),
                          writer.paint(Style::help, std::string(last - first, '~'))));
}

}  // namespace

bool use_color(ColorChoice choice, int file_descriptor) {
  if (choice != ColorChoice::automatic) return choice == ColorChoice::always;
  const char* no_color = std::getenv("NO_COLOR");
  if (no_color != nullptr && *no_color != '\0') return false;
  const char* terminal = std::getenv("TERM");
  if (terminal != nullptr && std::string_view(terminal) == "dumb") return false;
  return isatty(file_descriptor) == 1;
}

std::string render_text(const Diagnostic& diagnostic, const SourceManager& sources, bool color) {
  ExcerptWriter writer(sources, color);
  const Severity severity = diagnostic.severity();
  writer.line(fmt::format("{}{}",
                          writer.paint(severity_style(severity),
                                       fmt::format("{}[{}]", spelling(severity), info(diagnostic.kind).code)),
                          writer.paint(Style::emphasis, ": " + diagnostic.message)));
  if (diagnostic.span.valid()) writer.excerpt(diagnostic.span, diagnostic.labels, severity_style(severity));
  const std::size_t gutter = writer.gutter();
  for (const Note& note : diagnostic.notes) {
    const bool is_help = note.kind == Note::Kind::help;
    const std::string word = writer.paint(is_help ? Style::help : Style::emphasis, is_help ? "help" : "note");
    if (note.span.valid()) {
      writer.line(fmt::format("{}: {}", word, note.text));
      writer.excerpt(note.span, {}, Style::remark);
    } else {
      writer.line(fmt::format("{}{} {}: {}", std::string(gutter, ' '), writer.paint(Style::frame, " ="), word,
                              note.text));
    }
  }
  if (diagnostic.suggestion) write_suggestion(writer, *diagnostic.suggestion, sources);
  return writer.take();
}

std::string render_brief(const Diagnostic& diagnostic, const SourceManager& sources) {
  const DiagInfo& row = info(diagnostic.kind);
  std::string place;
  if (diagnostic.span.valid()) {
    const SourceFile& file = sources.file(diagnostic.span.file);
    const LineColumn at = file.line_column(diagnostic.span.begin);
    place = fmt::format("{}:{}:{}: ", file.path(), at.line, at.column);
  }
  return fmt::format("{}{}[{}]: {}\n", place, spelling(row.severity), row.code, diagnostic.message);
}

std::string render_all(const DiagnosticSink& sink, const SourceManager& sources, DiagnosticsFormat format,
                       bool color) {
  std::string out;
  const std::vector<Diagnostic> diagnostics = sink.sorted();
  for (const Diagnostic& diagnostic : diagnostics) {
    switch (format) {
      case DiagnosticsFormat::text: out += render_text(diagnostic, sources, color) + "\n"; break;
      case DiagnosticsFormat::brief: out += render_brief(diagnostic, sources); break;
      case DiagnosticsFormat::json: out += render_json(diagnostic, sources); break;
    }
  }
  if (format != DiagnosticsFormat::text || (sink.error_count() == 0 && sink.warning_count() == 0)) return out;
  const auto count = [](std::size_t n, std::string_view word) {
    return fmt::format("{} {}{}", n, word, n == 1 ? "" : "s");
  };
  std::string summary;
  if (sink.has_errors()) summary = count(sink.error_count(), "error");
  if (sink.warning_count() > 0)
    summary += (summary.empty() ? "" : ", ") + count(sink.warning_count(), "warning");
  if (sink.dropped_errors() > 0) summary += fmt::format(" ({} not shown)", sink.dropped_errors());
  const auto first_error = std::ranges::find(diagnostics, Severity::error, &Diagnostic::severity);
  if (first_error != diagnostics.end()) {
    summary +=
        fmt::format("; `tesserac --explain {}` says more about the first", info(first_error->kind).code);
  }
  return out + summary + "\n";
}

}  // namespace tessera
