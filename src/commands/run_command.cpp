// SPDX-License-Identifier: Apache-2.0
// `tesserac run`: one kernel, once, on random arrays or those of files.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <CLI/CLI.hpp>
#include <cmath>
#include <memory>

#include "commands/arguments.h"
#include "commands/execution.h"
#include "commands/pipeline.h"
#include "commands/run_flags.h"
#include "driver/files.h"
#include "interp/npy.h"

namespace tessera::commands {

namespace {

/// Arrays beyond this are refused before memory is asked for.
constexpr int64_t kByteLimit = int64_t{16} << 30;
/// Elements of each output that are printed.
constexpr int64_t kShownElements = 6;

struct RunOptions {
  CommonOptions common;
  TargetOptions target;
  ToolOptions tools;
  KernelOptions kernel;
  Place place = Place::host_twin;
  int variant = -1;
  int repeats = 0;
  std::vector<std::string> inputs;
  std::vector<std::string> outputs;
};

/// "y: f32[250, 250], from -1.5 to 2.25: 0.5, 1.25, …"
std::string summary(const ir::Tensor& tensor, const interp::Array& array) {
  const int64_t count = array.count();
  double least = INFINITY, most = -INFINITY;
  int64_t nans = 0;
  for (int64_t i = 0; i < count; ++i) {
    const double element = interp::element_as_double(array, i);
    if (std::isnan(element)) ++nans;
    least = std::fmin(least, element);
    most = std::fmax(most, element);
  }
  std::string text =
      fmt::format("{}: {}[{}]", tensor.name, spelling(tensor.dtype), fmt::join(array.extents, ", "));
  if (count > nans) text += fmt::format(", from {:.6g} to {:.6g}", least, most);
  if (nans > 0) text += fmt::format(", {} NaN", nans);
  for (int64_t i = 0; i < std::min(count, kShownElements); ++i) {
    text += fmt::format("{}{:.6g}", i == 0 ? ": " : ", ", interp::element_as_double(array, i));
  }
  return text + (count > kShownElements ? ", …\n" : "\n");
}

class Execution {
 public:
  explicit Execution(const RunOptions& options)
      : options_(options), session_(options.common), toolbox_(options.tools, session_.sink) {}

  ExitCode run() {
    const auto module = load_module(session_, options_.kernel.file);
    if (module && !session_.failed()) run_kernel(*module);
    return session_.finish();
  }

 private:
  void run_kernel(const ir::Module& module) {
    DiagnosticSink& sink = session_.sink;
    const ir::Kernel* kernel = choose_kernel(module, options_.kernel.kernel, options_.kernel.file, sink);
    auto settings = kernel == nullptr ? std::nullopt : parse_settings(options_.kernel.settings, sink);
    const auto arrays = settings ? read_inputs(*kernel, options_.inputs, *settings, sink) : std::nullopt;
    const auto problem = arrays ? make_default_problem(*kernel, *settings, kByteLimit, sink) : std::nullopt;
    if (!problem || !check_outputs(*kernel)) return;
    const auto tensors = make_tensors(*problem, *arrays, options_.kernel.seed);
    const auto results = options_.place == Place::interpreter ? run_interpreted(*problem, tensors)
                                                              : run_compiled(*problem, tensors);
    if (results) deliver(*problem, *results);
  }

  bool check_outputs(const ir::Kernel& kernel) {
    for (const std::string& item : options_.outputs) {
      const auto pair = split_pair(item, "--output", session_.sink);
      if (!pair || !find_tensor(kernel, pair->first, true, session_.sink)) return false;
    }
    return true;
  }

  std::optional<std::vector<interp::Array>> run_interpreted(const Problem& problem,
                                                            const std::vector<interp::Array>& tensors) {
    device_ = "interpreter";
    return session_.timed("interpret", [&] { return interpret(problem, tensors, {}, session_.sink); });
  }

  std::optional<std::vector<interp::Array>> run_compiled(const Problem& problem,
                                                         const std::vector<interp::Array>& tensors) {
    const ir::Module alone{{*problem.kernel}};  // other kernels of the file would only take time
    const auto loaded = load_kernel(session_, toolbox_, alone, *problem.kernel, options_.place,
                                    options_.target, options_.kernel.file);
    if (!loaded) return std::nullopt;
    device_ = loaded->device();
    auto outcome = session_.timed("run", [&] {
      return loaded->run(problem, tensors, {options_.variant, options_.repeats}, session_.sink);
    });
    if (!outcome) return std::nullopt;
    if (!outcome->ran) {
      session_.sink.report(
          Diag::bad_command_line, {},
          fmt::format("variant {} does not exist, or does not fit these arguments", options_.variant));
      return std::nullopt;
    }
    if (options_.repeats > 0) describe_speed(*loaded, problem, outcome->milliseconds);
    return std::move(outcome->tensors);
  }

  void describe_speed(const LoadedKernel& loaded, const Problem& problem, double milliseconds) {
    const int64_t bytes = problem.bytes().value_or(0);
    const double rate = static_cast<double>(bytes) / (milliseconds * 1e-3);
    speed_ =
        fmt::format("{:.4g} ms (median of {}), {:.4g} GB/s", milliseconds, options_.repeats, rate * 1e-9);
    if (const double copy = loaded.copy_bandwidth(std::max<int64_t>(bytes / 2, 1)); copy > 0) {
      speed_ += fmt::format(", {:.0f} % of a copy of as many bytes", 100 * rate / copy);
    }
  }

  void deliver(const Problem& problem, const std::vector<interp::Array>& results) {
    const ir::Kernel& kernel = *problem.kernel;
    for (const std::string& item : options_.outputs) {
      const auto pair = split_pair(item, "--output", session_.sink);
      const auto id = find_tensor(kernel, pair->first, true, session_.sink);
      const std::string bytes = interp::format_npy(results[id->index()]);
      if (const auto error = driver::replace_file(pair->second, bytes)) {
        session_.sink.report(Diag::file_not_written, {}, pair->second, error->reason);
        return;
      }
    }
    const std::string sizes = problem.spell_sizes();
    print(fmt::format("{}{}{} on {}\n", kernel.c_name, sizes.empty() ? "" : " ", sizes, device_));
    for (std::size_t i = 0; i < results.size(); ++i) {
      const ir::Tensor& tensor = kernel.tensors[kernel.tensors.id_at(i)];
      if (tensor.is_output) print(summary(tensor, results[i]));
    }
    if (!speed_.empty()) print(speed_ + "\n");
  }

  const RunOptions& options_;
  Session session_;
  Toolbox toolbox_;
  std::string device_;
  std::string speed_;
};

}  // namespace

Action define_run(CLI::App& app) {
  const auto options = std::make_shared<RunOptions>();
  add_kernel_flags(app, options->kernel);
  add_place_flag(app, options->place, "interp, host (default: the generated code, without a GPU) or gpu");
  const std::string group = "Kernel";
  app.add_option("--input", options->inputs, "take an input from a .npy file instead of random numbers")
      ->option_text("NAME=FILE")
      ->group(group)
      ->allow_extra_args(false);
  app.add_option("--output", options->outputs, "write an output to a .npy file")
      ->option_text("NAME=FILE")
      ->group(group)
      ->allow_extra_args(false);
  app.add_option("--variant", options->variant, "take this variant instead of the launcher's choice")
      ->check(CLI::NonNegativeNumber)
      ->option_text("N")
      ->group(group);
  app.add_option("--repeat", options->repeats, "also time this many launches")
      ->check(CLI::Range(1, 1000))
      ->option_text("N")
      ->group(group);
  add_target_flags(app, options->target);
  add_tool_flags(app, options->tools);
  add_common_flags(app, options->common);
  return [options] { return Execution(*options).run(); };
}

}  // namespace tessera::commands
