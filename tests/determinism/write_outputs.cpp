// SPDX-License-Identifier: Apache-2.0
// Writes everything that the compiler makes of the project's programs to standard output: whoever builds it with
// another compiler must get the same bytes.
#include <cstdio>
#include <string>

#include "base/diagnostic_printer.h"
#include "emit/emit.h"
#include "frontend/dump.h"
#include "frontend/format.h"
#include "frontend/parse.h"
#include "fuzz_frontend/programs.h"
#include "sema/check.h"
#include "sema/ir/text.h"

using namespace tessera;

namespace {

void write(const std::string& name, const std::string& text) {
  std::printf("==== %s, %zu bytes\n", name.c_str(), text.size());
  std::fwrite(text.data(), 1, text.size(), stdout);
}

void write_emission(const std::string& name, const emit::Emission& emission) {
  write(name + ": header", emission.header.text);
  for (const emit::GeneratedFile& file : emission.cuda) write(name + ": " + file.name, file.text);
  write(name + ": dispatcher", emission.dispatcher.text);
  write(name + ": plan", emission.plan);
  write(name + ": report", emission.report);
}

void write_steps(const fuzz::SeedProgram& program, SourceManager& sources, DiagnosticSink& sink) {
  const SourceFile& source = sources.file(sources.add(program.name, program.text));
  const auto tree = parse(source, sink);
  if (!tree) return;
  write(program.name + ": tree", dump(*tree));
  write(program.name + ": formatted", format(*tree, source));
  const auto module = check(*tree, sink);
  if (!module) return;
  write(program.name + ": ir", ir::print(*module));
  emit::Options options;
  options.file_stem = "program";
  options.source_name = "program.tsr";
  options.report = true;
  const auto emission = emit::emit(*module, options, sources, sink);
  if (emission) write_emission(program.name, *emission);
}

}  // namespace

int main() {
  for (const fuzz::SeedProgram& program : fuzz::programs_below({"bench", "examples", "tests"})) {
    SourceManager sources;
    DiagnosticSink sink;
    write_steps(program, sources, sink);
    for (const auto form : {DiagnosticsFormat::text, DiagnosticsFormat::json}) {
      write(program.name + ": diagnostics", render_all(sink, sources, form, false));
    }
  }
  return 0;
}
