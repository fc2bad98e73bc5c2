// SPDX-License-Identifier: Apache-2.0
// `tesserac fmt`: the canonical layout of files, in place.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <memory>

#include "commands/pipeline.h"
#include "driver/files.h"
#include "frontend/format.h"

namespace tessera::commands {

namespace {

struct FmtOptions {
  CommonOptions common;
  std::vector<std::string> files;
  bool check = false;
  bool to_stdout = false;
};

/// What is to be done with one file once its layout is known. False if `--check` found a difference.
bool apply(const std::string& path, const std::string& before, const std::string& after,
           const FmtOptions& options, DiagnosticSink& sink) {
  if (options.check) {
    if (before != after) print(path + "\n");
    return before == after;
  }
  if (options.to_stdout || path == "-") {
    print(after);
  } else if (const auto error = driver::replace_file(path, after)) {
    sink.report(Diag::file_not_written, {}, error->path, error->reason);
  }
  return true;
}

ExitCode format_files(const FmtOptions& options) {
  Session session(options.common);
  bool all_formatted = true;
  for (const std::string& path : options.files) {
    const auto file = session.load(path);
    if (!file) continue;
    const auto tree = parse_source(session, *file);
    if (!tree) continue;
    const SourceFile& source = session.sources.file(*file);
    const std::string text = session.timed("format", [&] { return format(*tree, source); });
    all_formatted &= apply(path, source.text(), text, options, session.sink);
  }
  const ExitCode code = session.finish();
  return code == ExitCode::ok && !all_formatted ? ExitCode::diagnosed : code;
}

}  // namespace

Action define_fmt(CLI::App& app) {
  const auto options = std::make_shared<FmtOptions>();
  app.add_option("FILE", options->files, "sources to rewrite; `-` formats standard input to standard output")
      ->required()
      ->option_text("FILE…");
  const auto check =
      app.add_flag("--check", options->check, "change nothing; name the files that would change, exit 1");
  app.add_flag("--stdout", options->to_stdout, "print the result instead of rewriting the file")
      ->excludes(check);
  add_common_flags(app, options->common);
  return [options] { return format_files(*options); };
}

}  // namespace tessera::commands
