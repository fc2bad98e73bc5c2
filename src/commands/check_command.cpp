// SPDX-License-Identifier: Apache-2.0
// `tesserac check`: every mistake of one or more files, and nothing written.
#include <CLI/CLI.hpp>
#include <memory>

#include "commands/pipeline.h"

namespace tessera::commands {

namespace {

struct CheckOptions {
  CommonOptions common;
  std::vector<std::string> files;
};

ExitCode check_files(const CheckOptions& options) {
  Session session(options.common);
  for (const std::string& path : options.files) {
    const auto module = load_module(session, path);
    if (module) session.timed("plan", [&] { emit::check_plans(*module, {}, session.sink); });
  }
  return session.finish();
}

}  // namespace

Action define_check(CLI::App& app) {
  const auto options = std::make_shared<CheckOptions>();
  app.add_option("FILE", options->files, "sources; `-` is standard input")->required()->option_text("FILE…");
  add_common_flags(app, options->common);
  return [options] { return check_files(*options); };
}

}  // namespace tessera::commands
