// SPDX-License-Identifier: Apache-2.0
// Diagnostics: a register of every message (diagnostics/*.def), the builder that reports one, and the sink that
// collects them. Printing is apart, in diagnostic_printer.h.
//
//   sink.report(Diag::axis_left_over, store.span, axis.name)
//       .label(axis.span, "`{}` comes from here", axis.name)
//       .note("a store writes exactly the axes of its target")
//       .fix(value.span, "sum[c](x)", "reduce it");
#pragma once

#include <fmt/format.h>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include "base/source.h"

namespace tessera {

enum class Severity : std::uint8_t { error, warning, remark };

/// "error", "warning" or "remark".
std::string_view spelling(Severity severity);

/// Every registered diagnostic, named by its slug with `_` for `-`.
enum class Diag : std::uint16_t {
#define TESSERA_DIAGNOSTIC(code, slug, severity, rule, format) slug,
#include "base/diagnostics/all.def"
};

/// One row of the register.
struct DiagInfo {
  Diag kind;
  std::string_view code;  ///< "T0312"
  std::string_view slug;  ///< as in the register, with `_`; `slug_of` spells it with `-`
  Severity severity;
  std::string_view rule;    ///< the rule of the language it enforces ("R8"), or empty
  std::string_view format;  ///< the message, with `{}` for each argument
};

namespace detail {

inline constexpr DiagInfo kDiagnostics[] = {
#define TESSERA_DIAGNOSTIC(code, slug, severity, rule, format) \
  {Diag::slug, #code, #slug, Severity::severity, rule, format},
#include "base/diagnostics/all.def"
};

/// Number of `{}` in a message format; `{{` and `}}` are literal braces.
constexpr std::size_t placeholder_count(std::string_view format) {
  std::size_t count = 0;
  for (std::size_t i = 0; i + 1 < format.size(); ++i) {
    if (format[i] != '{') continue;
    if (format[i + 1] == '{') {
      ++i;
    } else {
      ++count;
    }
  }
  return count;
}

/// A diagnostic together with the number of arguments at the place that reports it. A wrong number does not
/// compile.
template <typename... Args>
class CheckedDiag {
 public:
  consteval CheckedDiag(Diag kind) : kind_(kind) {  // NOLINT: converts on purpose, as fmt::format_string does
    if (placeholder_count(kDiagnostics[static_cast<std::size_t>(kind)].format) != sizeof...(Args)) {
      throw "the number of arguments differs from the number of {} in the diagnostic's row";
    }
  }
  constexpr Diag kind() const { return kind_; }

 private:
  Diag kind_;
};

}  // namespace detail

/// The row of a diagnostic.
constexpr const DiagInfo& info(Diag kind) { return detail::kDiagnostics[static_cast<std::size_t>(kind)]; }
/// All rows, in the order of the codes.
std::span<const DiagInfo> all_diagnostics();
/// The diagnostic with that code ("T0312", any case) or slug ("axis-left-over").
std::optional<Diag> diagnostic_from_name(std::string_view code_or_slug);
/// The slug as users see it: "axis-left-over".
std::string slug_of(Diag kind);

/// A remark at a place; on the primary span itself it is printed behind the carets.
struct Label {
  Span span;
  std::string text;
};

/// A line after the source excerpt; with a valid span it shows that place as well.
struct Note {
  enum class Kind : std::uint8_t { note, help };
  Kind kind = Kind::note;
  Span span;
  std::string text;
};

/// A change that would mend the mistake: replace the bytes of `span` by `replacement`.
struct Suggestion {
  Span span;
  std::string replacement;
  std::string text;
};

/// One complete message.
struct Diagnostic {
  Diag kind{};
  Span span;  ///< the narrow place at fault; not valid if there is none (a missing file)
  std::string message;
  std::vector<Label> labels;
  std::vector<Note> notes;
  std::optional<Suggestion> suggestion;

  Severity severity() const { return info(kind).severity; }
};

class DiagnosticSink;

/// Adds places and remarks to a diagnostic and hands it to the sink when it goes out of scope.
class DiagnosticBuilder {
 public:
  DiagnosticBuilder(DiagnosticSink& sink, Diagnostic diagnostic)
      : sink_(&sink), diagnostic_(std::move(diagnostic)) {}
  DiagnosticBuilder(DiagnosticBuilder&& other) noexcept
      : sink_(std::exchange(other.sink_, nullptr)), diagnostic_(std::move(other.diagnostic_)) {}
  DiagnosticBuilder(const DiagnosticBuilder&) = delete;
  DiagnosticBuilder& operator=(const DiagnosticBuilder&) = delete;
  DiagnosticBuilder& operator=(DiagnosticBuilder&&) = delete;
  ~DiagnosticBuilder();

  /// A secondary place, or a remark at the primary one. A span that is not valid is left out.
  template <typename... Args>
  DiagnosticBuilder& label(Span span, fmt::format_string<Args...> format, Args&&... args) {
    if (span.valid()) diagnostic_.labels.push_back({span, fmt::format(format, std::forward<Args>(args)...)});
    return *this;
  }
  /// A line that explains the rule.
  template <typename... Args>
  DiagnosticBuilder& note(fmt::format_string<Args...> format, Args&&... args) {
    return add_note(Note::Kind::note, {}, fmt::format(format, std::forward<Args>(args)...));
  }
  /// A line that explains, with an excerpt of its own.
  template <typename... Args>
  DiagnosticBuilder& note_at(Span span, fmt::format_string<Args...> format, Args&&... args) {
    return add_note(Note::Kind::note, span, fmt::format(format, std::forward<Args>(args)...));
  }
  /// A line that says what to do.
  template <typename... Args>
  DiagnosticBuilder& help(fmt::format_string<Args...> format, Args&&... args) {
    return add_note(Note::Kind::help, {}, fmt::format(format, std::forward<Args>(args)...));
  }
  /// The one suggested change; the first one given stays.
  DiagnosticBuilder& fix(Span span, std::string replacement, std::string text);

 private:
  DiagnosticBuilder& add_note(Note::Kind kind, Span span, std::string text);

  DiagnosticSink* sink_;
  Diagnostic diagnostic_;
};

/// Collects diagnostics; knows nothing of how they are shown. Not thread-safe.
class DiagnosticSink {
 public:
  /// Errors beyond this many are counted and not kept, since a reader mends the first ones first.
  static constexpr std::size_t kDefaultErrorLimit = 50;

  explicit DiagnosticSink(std::size_t error_limit = kDefaultErrorLimit) : error_limit_(error_limit) {}

  /// Starts a diagnostic at `span`. It is reported when the returned builder goes out of scope, so the call may
  /// stand alone as a statement. The number of arguments is checked when the caller is compiled.
  template <typename... Args>
  DiagnosticBuilder report(detail::CheckedDiag<std::type_identity_t<Args>...> diag, Span span,
                           Args&&... args) {
    return {*this,
            Diagnostic{diag.kind(),
                       span,
                       fmt::format(fmt::runtime(info(diag.kind()).format), std::forward<Args>(args)...),
                       {},
                       {},
                       {}}};
  }
  /// Takes a finished diagnostic. An exact repetition (same kind, place and message) is dropped.
  void add(Diagnostic diagnostic);

  /// What was reported, sorted by file and place; what shares a place keeps the order of reporting.
  std::vector<Diagnostic> sorted() const;

  /// Number of errors reported, also those beyond the limit.
  std::size_t error_count() const { return error_count_; }
  std::size_t warning_count() const { return warning_count_; }
  bool has_errors() const { return error_count_ > 0; }
  /// Number of errors raised, repetitions included: whether a step found one is asked by comparing this before and
  /// after, since the same mistake is found again in every instance of a kernel and shown once.
  std::size_t errors_raised() const { return errors_raised_; }
  /// Errors that were counted but not kept because of the limit.
  std::size_t dropped_errors() const { return dropped_errors_; }

 private:
  std::size_t error_limit_;
  std::size_t error_count_ = 0;
  std::size_t errors_raised_ = 0;
  std::size_t warning_count_ = 0;
  std::size_t dropped_errors_ = 0;
  std::vector<Diagnostic> diagnostics_;
};

}  // namespace tessera
