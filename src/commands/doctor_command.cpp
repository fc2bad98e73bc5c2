// SPDX-License-Identifier: Apache-2.0
// `tesserac doctor`: is everything there that compiling and running kernels needs? Each tool is tried, not
// only found.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <memory>

#include "commands/device.h"
#include "commands/session.h"
#include "commands/toolbox.h"
#include "driver/runtime_files.h"

namespace tessera::commands {

namespace {

/// What a generated file includes first, and a function to look for.
constexpr const char* kTrial =
    "#include \"tessera/abi.h\"\nextern \"C\" int tessera_trial() { return TESSERA_MAX_RANK; }\n";

/// Collects the answers and prints them as they come.
class Examination {
 public:
  void good(std::string_view what, const std::string& answer) { line("ok     ", what, answer); }
  /// Something that most work can do without.
  void absent(std::string_view what, const std::string& answer) { line("absent ", what, answer); }
  void missing(std::string_view what, const std::string& answer) {
    line("MISSING", what, answer);
    complete_ = false;
  }
  bool complete() const { return complete_; }

 private:
  static void line(std::string_view verdict, std::string_view what, const std::string& answer) {
    print(fmt::format("{}  {:<14} {}\n", verdict, what, answer));
  }
  bool complete_ = true;
};

/// Compiles a few lines; the first line of the first error, or nothing.
std::optional<std::string> try_compiler(const driver::CompileRequest& request) {
  DiagnosticSink sink;
  if (driver::compile(request, nullptr, sink)) return std::nullopt;
  const std::vector<Diagnostic> errors = sink.sorted();
  const Diagnostic& error = errors.front();
  std::string text = error.message;
  for (const Note& note : error.notes) text += "\n" + note.text;
  return text;
}

std::optional<driver::Tool> examine_host_compiler(const ToolOptions& options, Examination& examination) {
  const auto lookup = driver::find_host_compiler(options.host_compiler);
  if (!lookup.tool) {
    examination.missing("host compiler", lookup.problem);
    return std::nullopt;
  }
  const driver::CompileRequest trial{
      .compiler = *lookup.tool, .units = {{"trial.cpp", kTrial}}, .symbols = {"tessera_trial"}};
  if (const auto problem = try_compiler(trial)) {
    examination.missing("host compiler", *problem);
    return std::nullopt;
  }
  examination.good("host compiler",
                   fmt::format("{} ({}): compiles", lookup.tool->path, lookup.tool->version));
  return lookup.tool;
}

void examine_nvcc(const ToolOptions& options, const std::optional<driver::Tool>& host,
                  Examination& examination) {
  const auto lookup = driver::find_nvcc(options.nvcc);
  if (!lookup.tool) return examination.missing("nvcc", lookup.problem);
  const driver::CompileRequest trial{
      .product = driver::Product::ptx,
      .compiler = *lookup.tool,
      .is_nvcc = true,
      .host_compiler = host.value_or(driver::Tool{}),
      .architecture = "sm_80",
      .units = {
          {"trial.cu", std::string(kTrial) + "extern \"C\" __global__ void trial(int* x) { *x = 1; }\n"}}};
  if (const auto problem = try_compiler(trial)) return examination.missing("nvcc", *problem);
  examination.good("nvcc", fmt::format("{} ({}): compiles", lookup.tool->path, lookup.tool->version));
}

void examine_devices(Examination& examination) {
  const DeviceList& list = find_devices();
  if (list.devices.empty()) {
    return examination.absent("GPU", list.problem + "; kernels run on the host twin (--on=host)");
  }
  for (std::size_t i = 0; i < list.devices.size(); ++i) {
    const Device& device = list.devices[i];
    examination.good("GPU", fmt::format("{}: {}, compute capability {}.{}, driver for CUDA {}", i,
                                        device.name, device.major, device.minor, list.driver));
  }
}

void examine_folders(const ToolOptions& options, Examination& examination) {
  driver::CacheRefusal refusal;
  const auto cache = driver::Cache::open(driver::Cache::default_folder(options.cache_folder), refusal);
  if (cache) {
    examination.good(
        "cache", fmt::format("{} ({:.1f} MB)", cache->folder(), static_cast<double>(cache->size()) / 1e6));
  } else if (refusal.kind == driver::CacheRefusal::Kind::insecure) {
    examination.missing("cache", fmt::format("`{}` is refused: {}", refusal.path, refusal.reason));
  } else {
    examination.absent("cache",
                       fmt::format("`{}`: {}; everything is compiled anew", refusal.path, refusal.reason));
  }
  const auto folder = driver::TemporaryFolder::create("");
  if (folder) {
    examination.good("temporary", folder->path().substr(0, folder->path().rfind('/')));
  } else {
    examination.missing("temporary", "neither $TMPDIR nor /tmp nor /var/tmp can be used");
  }
}

struct DoctorOptions {
  CommonOptions common;
  ToolOptions tools;
};

ExitCode examine(const DoctorOptions& options) {
  Examination examination;
  examination.good("tesserac", TESSERA_VERSION);
  examination.good("runtime", fmt::format("{} files, inside of tesserac", driver::runtime_files().size()));
  const auto host = examine_host_compiler(options.tools, examination);
  examine_nvcc(options.tools, host, examination);
  examine_devices(examination);
  examine_folders(options.tools, examination);
  return examination.complete() ? ExitCode::ok : ExitCode::unavailable;
}

}  // namespace

Action define_doctor(CLI::App& app) {
  const auto options = std::make_shared<DoctorOptions>();
  add_tool_flags(app, options->tools);
  add_common_flags(app, options->common);
  return [options] { return examine(*options); };
}

}  // namespace tessera::commands
