// SPDX-License-Identifier: Apache-2.0
// The JSON form of a diagnostic, for editors and build tools.
#include <nlohmann/json.hpp>

#include "base/diagnostic_printer.h"

namespace tessera {

namespace {

using Json = nlohmann::ordered_json;

Json span_json(Span span, const SourceManager& sources) {
  if (!span.valid()) return nullptr;
  const SourceFile& file = sources.file(span.file);
  const LineColumn begin = file.line_column(span.begin);
  const LineColumn end = file.line_column(span.end);
  return {{"file", file.path()},  {"line", begin.line},       {"column", begin.column},
          {"end_line", end.line}, {"end_column", end.column}, {"byte_begin", span.begin},
          {"byte_end", span.end}};
}

}  // namespace

std::string render_json(const Diagnostic& diagnostic, const SourceManager& sources) {
  const DiagInfo& row = info(diagnostic.kind);
  Json object = {{"code", row.code},
                 {"slug", slug_of(diagnostic.kind)},
                 {"severity", spelling(row.severity)},
                 {"rule", row.rule},
                 {"message", diagnostic.message},
                 {"span", span_json(diagnostic.span, sources)},
                 {"labels", Json::array()},
                 {"notes", Json::array()},
                 {"suggestion", nullptr}};
  for (const Label& label : diagnostic.labels) {
    object["labels"].push_back({{"span", span_json(label.span, sources)}, {"text", label.text}});
  }
  for (const Note& note : diagnostic.notes) {
    object["notes"].push_back({{"kind", note.kind == Note::Kind::help ? "help" : "note"},
                               {"span", span_json(note.span, sources)},
                               {"text", note.text}});
  }
  if (const auto& suggestion = diagnostic.suggestion) {
    object["suggestion"] = {{"span", span_json(suggestion->span, sources)},
                            {"replacement", suggestion->replacement},
                            {"text", suggestion->text}};
  }
  object["rendered"] = render_text(diagnostic, sources, false);
  // Paths and excerpts may hold any bytes; JSON holds UTF-8 only, so what is not is replaced.
  return object.dump(-1, ' ', false, Json::error_handler_t::replace) + "\n";
}

}  // namespace tessera
