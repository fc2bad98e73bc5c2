// SPDX-License-Identifier: Apache-2.0
// Tools on demand; see toolbox.h.
#include "commands/toolbox.h"

#include <CLI/CLI.hpp>

namespace tessera::commands {

void add_tool_flags(CLI::App& app, ToolOptions& options) {
  const std::string group = "Tools";
  app.add_option("--nvcc", options.nvcc,
                 "the nvcc to use; default: $TESSERA_NVCC, PATH, $CUDA_HOME, /usr/local/cuda")
      ->option_text("PATH")
      ->group(group);
  app.add_option("--host-compiler", options.host_compiler,
                 "the C++ compiler to use; default: $TESSERA_CXX, g++")
      ->option_text("PATH")
      ->group(group);
  app.add_option("--cache-dir", options.cache_folder,
                 "where compiled code is kept; default: $TESSERA_CACHE_DIR, the user's cache folder")
      ->option_text("DIR")
      ->group(group);
  app.add_flag("--no-cache", options.no_cache, "neither read nor write the cache")->group(group);
}

const driver::Tool* Toolbox::find(Slot& slot, std::string_view what, std::string_view flag,
                                  driver::ToolLookup (*look)(const std::string&),
                                  const std::string& requested) {
  if (!slot.searched) {
    slot.searched = true;
    driver::ToolLookup lookup = look(requested);
    slot.tool = std::move(lookup.tool);
    if (!slot.tool) {
      sink_.report(Diag::tool_not_found, {}, what, lookup.problem)
          .help("name one with `{}`; `tesserac doctor` looks for everything that is needed", flag);
    }
  }
  return slot.tool ? &*slot.tool : nullptr;
}

const driver::Tool* Toolbox::nvcc() {
  return find(nvcc_, "nvcc", "--nvcc", driver::find_nvcc, options_.nvcc);
}

const driver::Tool* Toolbox::host_compiler() {
  return find(host_compiler_, "C++ compiler", "--host-compiler", driver::find_host_compiler,
              options_.host_compiler);
}

bool Toolbox::open_cache() {
  if (options_.no_cache || may_compile_) return may_compile_.value_or(true);
  const std::string folder = driver::Cache::default_folder(options_.cache_folder);
  driver::CacheRefusal refusal;
  cache_ = driver::Cache::open(folder, refusal);
  may_compile_ = cache_.has_value() || refusal.kind == driver::CacheRefusal::Kind::unusable;
  if (cache_) return true;
  if (!*may_compile_) {
    sink_.report(Diag::cache_insecure, {}, refusal.path, refusal.reason)
        .help(
            "compiled code is run from there, so it must be a folder of yours that only you may write to: "
            "name one "
            "with `--cache-dir`, or do without it (`--no-cache`)");
    return false;
  }
  sink_.report(Diag::cache_unusable, {}, refusal.path, refusal.reason)
      .help("name a writable folder with `--cache-dir`");
  return true;
}

std::optional<std::string> Toolbox::compile(const driver::CompileRequest& request) {
  if (!open_cache()) return std::nullopt;
  return driver::compile(request, cache_ ? &*cache_ : nullptr, sink_);
}

}  // namespace tessera::commands
