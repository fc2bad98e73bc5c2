// SPDX-License-Identifier: Apache-2.0
// The register's look-ups, the builder's lines and the sink; see diagnostics.h.
#include "base/diagnostics.h"

#include <algorithm>
#include <cctype>
#include <tuple>

#include "base/check.h"

namespace tessera {

namespace {

/// The rows are enumerated in the order of their codes, so that lists and explanations come out sorted and a
/// code that is used twice does not compile.
constexpr bool codes_ascend() {
  for (std::size_t i = 1; i < std::size(detail::kDiagnostics); ++i) {
    if (!(detail::kDiagnostics[i - 1].code < detail::kDiagnostics[i].code)) return false;
  }
  return true;
}
static_assert(codes_ascend(), "the codes of base/diagnostics/*.def ascend, each used once");

bool equal_ignoring_case(std::string_view a, std::string_view b) {
  return std::ranges::equal(
      a, b, [](unsigned char x, unsigned char y) { return std::toupper(x) == std::toupper(y); });
}

}  // namespace

std::string_view spelling(Severity severity) {
  switch (severity) {
    case Severity::error: return "error";
    case Severity::warning: return "warning";
    case Severity::remark: return "remark";
  }
  unreachable("a severity has a spelling");
}

std::span<const DiagInfo> all_diagnostics() { return detail::kDiagnostics; }

std::string slug_of(Diag kind) {
  std::string slug(info(kind).slug);
  std::ranges::replace(slug, '_', '-');
  return slug;
}

std::optional<Diag> diagnostic_from_name(std::string_view code_or_slug) {
  for (const DiagInfo& row : all_diagnostics()) {
    if (equal_ignoring_case(code_or_slug, row.code) || code_or_slug == slug_of(row.kind)) return row.kind;
  }
  return std::nullopt;
}

DiagnosticBuilder::~DiagnosticBuilder() {
  if (sink_ != nullptr) sink_->add(std::move(diagnostic_));
}

DiagnosticBuilder& DiagnosticBuilder::add_note(Note::Kind kind, Span span, std::string text) {
  diagnostic_.notes.push_back({kind, span, std::move(text)});
  return *this;
}

DiagnosticBuilder& DiagnosticBuilder::fix(Span span, std::string replacement, std::string text) {
  if (!diagnostic_.suggestion)
    diagnostic_.suggestion = Suggestion{span, std::move(replacement), std::move(text)};
  return *this;
}

void DiagnosticSink::add(Diagnostic diagnostic) {
  const auto same = [&](const Diagnostic& other) {
    return other.kind == diagnostic.kind && other.span == diagnostic.span &&
           other.message == diagnostic.message;
  };
  if (diagnostic.severity() == Severity::error) ++errors_raised_;
  if (std::ranges::any_of(diagnostics_, same)) return;
  if (diagnostic.severity() == Severity::error && ++error_count_ > error_limit_) {
    ++dropped_errors_;
    return;
  }
  if (diagnostic.severity() == Severity::warning) ++warning_count_;
  diagnostics_.push_back(std::move(diagnostic));
}

std::vector<Diagnostic> DiagnosticSink::sorted() const {
  std::vector<Diagnostic> result = diagnostics_;
  const auto place = [](const Diagnostic& d) { return std::tuple(d.span.file, d.span.begin); };
  std::ranges::stable_sort(result, {}, place);
  return result;
}

}  // namespace tessera
