// SPDX-License-Identifier: Apache-2.0
// Flags of commands that run kernels, and sizes when none are given; see run_flags.h.
#include "commands/run_flags.h"

#include <CLI/CLI.hpp>
#include <map>

#include "commands/work.h"

namespace tessera::commands {

void add_kernel_flags(CLI::App& app, KernelOptions& options) {
  app.add_option("FILE", options.file, "the source, or `-` for standard input")
      ->required()
      ->option_text("FILE");
  const std::string group = "Kernel";
  app.add_option("--kernel", options.kernel, "the kernel; needed when the file has several")
      ->option_text("NAME")
      ->group(group);
  app.add_option("--set", options.settings, "a size or a scalar argument: --set M=250 --set eps=1e-5")
      ->option_text("NAME=VALUE")
      ->group(group)
      ->allow_extra_args(false);
  app.add_option("--seed", options.seed, "of the random inputs (default 1)")->option_text("N")->group(group);
}

void add_place_flag(CLI::App& app, Place& place, const std::string& help) {
  static const std::map<std::string, Place> places = {
      {"interp", Place::interpreter}, {"host", Place::host_twin}, {"gpu", Place::gpu}};
  app.add_option("--on", place, help)
      ->transform(CLI::CheckedTransformer(places))
      ->option_text("PLACE")
      ->group("Kernel");
}

std::optional<Problem> make_default_problem(const ir::Kernel& kernel, const Settings& settings,
                                            int64_t byte_limit, DiagnosticSink& sink) {
  // From sizes at which a kernel has something to do down to such that many dimensions still fit.
  static const std::vector<std::vector<int64_t>> kCandidates = {
      {250, 256, 128, 64, 32, 16, 8, 4, 2, 1, 3, 5, 7},
      {60, 64, 32, 16, 8, 4, 2, 1, 3, 5, 7},
      {17, 16, 8, 4, 2, 1, 3, 5, 7},
      {4, 2, 1, 3, 5, 7, 8, 16}};
  constexpr int64_t kComfortable = int64_t{32} << 20;
  constexpr double kComfortableTerms = 1 << 24;
  std::optional<Problem> problem;
  for (const std::vector<int64_t>& candidates : kCandidates) {
    DiagnosticSink attempt;
    auto next = make_problem(kernel, settings, candidates, attempt);
    if (!next) {
      if (problem) continue;
      for (Diagnostic& diagnostic : attempt.sorted()) sink.add(std::move(diagnostic));
      return std::nullopt;
    }
    problem = std::move(next);
    const auto bytes = problem->bytes();
    if (bytes && *bytes <= kComfortable && count_terms(*problem) <= kComfortableTerms) return problem;
  }
  const auto bytes = problem->bytes();
  if (bytes && *bytes <= byte_limit) return problem;
  sink.report(Diag::tensors_too_large, {}, bytes ? std::to_string(*bytes) : "more than 2^63", byte_limit)
      .note("with {}", problem->spell_sizes());
  return std::nullopt;
}

}  // namespace tessera::commands
