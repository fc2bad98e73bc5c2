// SPDX-License-Identifier: Apache-2.0
// See promises.h.
#include "promises.h"

#include <fmt/format.h>

#include <optional>
#include <string_view>
#include <utility>

#include "base/diagnostic_printer.h"
#include "emit/emit.h"
#include "frontend/dump.h"
#include "frontend/format.h"
#include "frontend/parse.h"
#include "sema/check.h"
#include "sema/ir/text.h"
#include "sema/ir/verifier.h"

namespace tessera::fuzz {

namespace {

void require(bool condition, std::string_view promise, std::string_view text, std::string_view other = {}) {
  if (condition) return;
  throw Broken(fmt::format("{}\n---- text\n{}\n---- other\n{}\n----\n", promise, text, other));
}

/// One text and what the steps made of it.
struct Reading {
  explicit Reading(std::string text) : id(sources.add("fuzzed.tsr", std::move(text))) {}

  const SourceFile& source() const { return sources.file(id); }
  const std::string& text() const { return source().text(); }

  SourceManager sources;
  FileId id;
  DiagnosticSink sink;
  std::optional<ast::File> tree;
};

void require_place(const Reading& reading, Span span, const Diagnostic& diagnostic) {
  const bool inside = span.file == reading.id && span.begin <= span.end && span.end <= reading.text().size();
  require(inside, "a diagnostic stands inside the file", reading.text(), diagnostic.message);
}

/// Every message has its place, and showing it works for whatever bytes the file holds.
void require_places(const Reading& reading, Forms forms) {
  for (const Diagnostic& diagnostic : reading.sink.sorted()) {
    require_place(reading, diagnostic.span, diagnostic);
    for (const Label& label : diagnostic.labels) require_place(reading, label.span, diagnostic);
    for (const Note& note : diagnostic.notes) {
      if (note.span.valid()) require_place(reading, note.span, diagnostic);
    }
    if (diagnostic.suggestion) require_place(reading, diagnostic.suggestion->span, diagnostic);
  }
  using enum DiagnosticsFormat;
  for (const DiagnosticsFormat form : {text, brief, json}) {
    if (forms == Forms::brief && form != brief) continue;
    const bool shown = !render_all(reading.sink, reading.sources, form, false).empty();
    require(shown || !reading.sink.has_errors(), "errors are shown", reading.text());
  }
}

void parse_into(Reading& reading) {
  reading.tree = parse(reading.source(), reading.sink);
  require(reading.tree.has_value() != reading.sink.has_errors(), "a tree exactly if there is no syntax error",
          reading.text());
}

/// The formatted text of a tree, which says the same and is formatted.
std::string require_format(const Reading& reading) {
  std::string once = format(*reading.tree, reading.source());
  Reading again(once);
  parse_into(again);
  require(again.tree.has_value(), "formatted text is accepted", reading.text(), once);
  require(dump(*again.tree) == dump(*reading.tree), "formatting keeps the tree", reading.text(), once);
  require(again.tree->comments.size() == reading.tree->comments.size(), "formatting keeps comments",
          reading.text(), once);
  require(format(*again.tree, again.source()) == once, "formatting twice is formatting once", reading.text(),
          once);
  return once;
}

std::string require_sound(const Reading& reading, const ir::Module& module) {
  for (const ir::Kernel& kernel : module.kernels) {
    const auto broken = ir::verify(kernel);
    if (!broken.empty()) require(false, "the IR is sound", reading.text(), broken.front());
  }
  const std::string printed = ir::print(module);
  SourceManager sources;
  DiagnosticSink sink;
  const auto read = ir::parse(sources.file(sources.add("fuzzed.ir", printed)), sink);
  require(read.has_value(), "printed IR can be read", reading.text(), printed);
  require(ir::print(*read) == printed, "IR read back is the same", reading.text(), printed);
  return printed;
}

/// The IR of the formatted text is that of the text.
void require_same_meaning(const std::string& formatted, const std::string& printed) {
  Reading reading(formatted);
  parse_into(reading);
  const auto module = check(*reading.tree, reading.sink);
  require(module.has_value(), "a program stays accepted when it is formatted", formatted);
  require(ir::print(*module) == printed, "formatting keeps the meaning", formatted, printed);
}

/// Whether code was made: exactly if planning said nothing against it.
bool require_code(const Reading& reading, const ir::Module& module) {
  emit::Options options;
  options.file_stem = "fuzzed";
  options.source_name = "fuzzed.tsr";
  DiagnosticSink planning;
  emit::check_plans(module, options, planning);
  DiagnosticSink emitting;
  const auto emission = emit::emit(module, options, reading.sources, emitting);
  require(emission.has_value() != emitting.has_errors(), "code exactly if there is no error", reading.text());
  require(planning.has_errors() == emitting.has_errors(), "`check` and the compiler say the same",
          reading.text());
  if (!emission) return false;
  for (const emit::GeneratedFile& file : emission->cuda) {
    require(!file.text.empty() && file.text.back() == '\n', "generated files end with a line",
            reading.text());
  }
  return true;
}

}  // namespace

bool is_chosen(std::string_view text, std::uint64_t question, std::uint64_t count) {
  std::uint64_t hash = 0xcbf29ce484222325 + question;  // FNV-1a
  for (const char c : text) hash = (hash ^ static_cast<unsigned char>(c)) * 0x100000001b3;
  return (hash >> 32) % count == 0;
}

Outcome require_promises(std::string text, Reach reach, Forms forms) {
  Outcome outcome;
  Reading reading(std::move(text));
  parse_into(reading);
  outcome.parsed = reading.tree.has_value();
  std::optional<ir::Module> module;
  std::string formatted;
  if (outcome.parsed) {
    formatted = require_format(reading);
    if (reach != Reach::syntax) {
      module = check(*reading.tree, reading.sink);
      require(module.has_value() != reading.sink.has_errors(), "IR exactly if there is no error",
              reading.text());
    }
  }
  outcome.checked = module.has_value();
  if (outcome.checked) {
    require_same_meaning(formatted, require_sound(reading, *module));
    if (reach == Reach::code) {
      emit::check_plans(*module, {}, reading.sink);
      outcome.emitted = require_code(reading, *module);
    }
  }
  require_places(reading, forms);
  return outcome;
}

}  // namespace tessera::fuzz
