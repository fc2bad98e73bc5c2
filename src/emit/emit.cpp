// SPDX-License-Identifier: Apache-2.0
// The pipeline on one screen: plan, lower, choose variants, print.
#include "emit/emit.h"

#include <fmt/format.h>

#include <set>

#include "base/check.h"
#include "emit/fault.h"
#include "emit/global_names.h"
#include "emit/group_products.h"
#include "emit/held_factors.h"
#include "emit/lower.h"
#include "emit/naming.h"
#include "emit/plan.h"
#include "emit/plan_variants.h"
#include "emit/print.h"
#include "emit/print_launcher.h"
#include "emit/report.h"
#include "emit/signature.h"
#include "emit/tables.h"
#include "emit/template.h"

namespace tessera::emit {

namespace {

struct PlannedKernel {
  KernelPlan plan;
  LoweredPhase lowered;
};

// Folds that no group of threads makes once: a loop over tiles of what each is made for bounds how many are held.
void warn_of_folds(const KernelPlan& plan, const LoweredPhase& lowered, DiagnosticSink& sink) {
  const ir::Kernel& kernel = *plan.kernel;
  for (const auto& [fold, again] : lowered.again) {
    DiagnosticBuilder warning =
        sink.report(Diag::folded_again, kernel.values[fold].span, kernel.axes[again].name);
    warning.note("a group of threads can hold it neither for all coordinates nor for those of a tile");
    for (ir::AxisId axis : plan.phase.analysis.dependence.at(fold).axes) {
      const auto& dimension = kernel.axes[axis].dimension;
      if (plan.phase.role(axis) != Role::serial || !dimension) continue;
      const std::string& name = kernel.symbols[*dimension].name;
      warning.help("loop over tiles, `for {} in {} by 64`: what is folded for a tile is held",
                   lowercase(name), name);
      break;
    }
  }
}

std::optional<PlannedKernel> plan_kernel(const ir::Kernel& kernel, const Target& target,
                                         const Options& options, DiagnosticSink& sink) {
  auto plan = make_plan(kernel, target, options.plan, sink);
  if (!plan) return std::nullopt;
  LoweredPhase lowered = lower(*plan);
  warn_of_folds(*plan, lowered, sink);
  keep_visible(kernel, lowered.functions);
  if (options.fault) plant_fault(*options.fault, lowered);
  choose_variants(*plan, lowered, options.plan);
  return PlannedKernel{std::move(*plan), std::move(lowered)};
}

std::string banner(const Options& options, std::string_view name) {
  return fmt::format("// {}: made from {} by tesserac\n", name, options.source_name);
}

std::string open_namespace(const Options& options) {
  return fmt::format("namespace {} {{\n", options.name_space);
}
std::string close_namespace(const Options& options) {
  return fmt::format("}}  // namespace {}\n", options.name_space);
}
std::string include_header(const Options& options) {
  return fmt::format("#include \"{}.h\"\n", options.file_stem);
}

Locate locator(const Options& options, const SourceManager& sources) {
  return [&options, &sources](Span span) -> std::string {
    if (!span.file.valid()) return {};
    return fmt::format("{}:{}", options.source_name, sources.file(span.file).line_column(span.begin).line);
  };
}

std::optional<LineDirectives> line_directives(const Options& options, const SourceManager& sources) {
  if (!options.line_map) return std::nullopt;
  return LineDirectives(options.line_map->source, [&sources](Span span) {
    return span.file.valid() ? static_cast<int>(sources.file(span.file).line_column(span.begin).line) : 0;
  });
}

/// The words that the kernels use: those of warpgroups are for chips that have them, their instructions for one type each.
std::string include_words(const std::vector<PlannedKernel>& kernels) {
  std::vector<std::string> headers = {"tessera/kernel.h"};
  bool has_parts = false, has_turned_rows = false, holds_rows = false;
  std::set<std::string> instructions;
  for (const PlannedKernel& kernel : kernels) {
    for (const TilePlan& tiles : kernel.plan.tiles) {
      if (tiles.way != TileWay::warpgroups) continue;
      has_parts = has_parts || tiles.has_parts();
      has_turned_rows = has_turned_rows || tiles.turned != Turned::none;
      holds_rows = holds_rows || has_held_rows(tiles);
      for (const auto& [dot, product] : tiles.products)
        instructions.insert(header_of_instructions(*kernel.plan.kernel, product));
    }
  }
  if (!instructions.empty())
    headers.push_back(has_parts ? "tessera/split_products.h" : "tessera/warpgroups.h");
  if (has_turned_rows) headers.push_back("tessera/turned_rows.h");
  if (holds_rows) headers.push_back("tessera/held_rows.h");
  headers.insert(headers.end(), instructions.begin(), instructions.end());
  std::string text;
  for (const std::string& header : headers) text += fmt::format("#include \"{}\"\n", header);
  return text;
}

GeneratedFile cuda_file(const Target& target, const std::vector<PlannedKernel>& kernels,
                        bool exports_architecture, const Options& options, const SourceManager& sources) {
  const Locate locate = locator(options, sources);
  const auto lines = line_directives(options, sources);
  Writer functions, launchers;
  for (const PlannedKernel& kernel : kernels) {
    print_tables(*kernel.plan.kernel, kernel.lowered.functions, functions);
    for (const lowered::Function& function : kernel.lowered.functions) {
      print(function, locate, lines ? &*lines : nullptr, functions);
      functions.blank();
    }
    print_launcher(kernel.plan, kernel.lowered, launchers);
    launchers.blank();
  }
  if (exports_architecture) {
    launchers.line("/// For the dispatcher, which includes no CUDA. Only the first architecture has it.");
    launchers.line(fmt::format("int {}_device_architecture() {{ return device_architecture(); }}",
                               identifier(options.file_stem)));
    launchers.blank();
  }
  const std::string name = fmt::format("{}.{}.cu", options.file_stem, target.name);
  std::string text = fill_template("kernel.cu", {{"BANNER", banner(options, name)},
                                                 {"INCLUDE", include_header(options)},
                                                 {"RUNTIME", include_words(kernels)},
                                                 {"OPEN", open_namespace(options)},
                                                 {"FUNCTIONS", functions.text()},
                                                 {"LAUNCHERS", launchers.text()},
                                                 {"CLOSE", close_namespace(options)}});
  if (options.line_map) text = LineDirectives::return_to_generated(text, options.line_map->destination(name));
  return {name, std::move(text)};
}

GeneratedFile header_file(const ir::Module& module, const Options& options) {
  Writer declarations, c_declarations;
  for (const ir::Kernel& kernel : module.kernels) {
    print_declaration(kernel, declarations);
    print_c_declarations(kernel, c_declarations);
  }
  declarations.blank();
  const std::string name = options.file_stem + ".h";
  return {name, fill_template("kernel.h", {{"BANNER", banner(options, name)},
                                           {"OPEN", open_namespace(options)},
                                           {"DECLARATIONS", declarations.text()},
                                           {"C_DECLARATIONS", c_declarations.text()},
                                           {"CLOSE", close_namespace(options)}})};
}

// The build for the newest architecture that is not newer than the device; on the host twin the newest of all.
std::string architecture_choice(const Options& options) {
  Writer writer;
  writer.line(
      "/// The architecture whose code runs: what the options name, or the newest that the device can run.");
  writer.line("int architecture(const tessera::LaunchOptions& options) {");
  writer.indent();
  writer.line("if (options.arch != 0) return options.arch;");
  writer.line(
      fmt::format("const int device = detail::{}_device_architecture();", identifier(options.file_stem)));
  for (auto name = options.architectures.rbegin(); name != options.architectures.rend(); ++name) {
    const std::string number = name->substr(name->find('_') + 1);
    writer.line(fmt::format("if (device >= {0}) return {0};", number));
  }
  writer.line("return 0;");
  writer.outdent();
  writer.line("}");
  writer.blank();
  std::string built;
  for (const std::string& name : options.architectures) built += (built.empty() ? "" : ", ") + name;
  writer.line("Status wrong_architecture(const char* kernel, const tessera::LaunchOptions& options) {");
  writer.indent();
  writer.line(fmt::format(
      "return tessera::wrong_architecture(kernel, \"{}\", options, detail::{}_device_architecture());", built,
      identifier(options.file_stem)));
  writer.outdent();
  writer.line("}");
  return writer.text();
}

GeneratedFile dispatcher_file(const ir::Module& module, const Options& options) {
  Writer launchers, dispatchers, entries;
  launchers.line(fmt::format("int {}_device_architecture();", identifier(options.file_stem)));
  for (const ir::Kernel& kernel : module.kernels) {
    print_launcher_declarations(kernel, options.architectures, launchers);
    print_dispatcher(kernel, options.architectures, dispatchers);
    print_c_entries(kernel, options.name_space, entries);
  }
  const std::string name = options.file_stem + ".dispatch.cpp";
  return {name, fill_template("dispatch.cpp", {{"BANNER", banner(options, name)},
                                               {"INCLUDE", include_header(options)},
                                               {"OPEN", open_namespace(options)},
                                               {"LAUNCHERS", launchers.text()},
                                               {"CHOICE", architecture_choice(options)},
                                               {"DISPATCHERS", dispatchers.text()},
                                               {"CLOSE", close_namespace(options)},
                                               {"C_ENTRIES", entries.text()}})};
}

}  // namespace

void check_plans(const ir::Module& module, const Options& options, DiagnosticSink& sink) {
  for (const std::string& name : options.architectures) {
    const Target* target = find_target(name);
    TESSERA_CHECK(target != nullptr, "the command line names architectures that exist");
    for (const ir::Kernel& kernel : module.kernels) (void)plan_kernel(kernel, *target, options, sink);
    if (sink.has_errors()) return;
  }
}

std::optional<Emission> emit(const ir::Module& module, const Options& options, const SourceManager& sources,
                             DiagnosticSink& sink) {
  Emission result;
  for (size_t k = 0; k < options.architectures.size(); ++k) {
    const std::string& name = options.architectures[k];
    const Target* target = find_target(name);
    if (!target) {
      sink.report(Diag::unknown_target, Span{}, name, known_targets());
      return std::nullopt;
    }
    std::vector<PlannedKernel> kernels;
    GlobalNames names;
    for (const ir::Kernel& kernel : module.kernels) {
      auto planned = plan_kernel(kernel, *target, options, sink);
      if (!planned) continue;
      names.add(kernel, planned->lowered.functions, sink);
      result.plan += describe(planned->plan);
      if (options.report) result.report += report(planned->plan, planned->lowered);
      kernels.push_back(std::move(*planned));
    }
    if (sink.has_errors()) return std::nullopt;
    result.cuda.push_back(cuda_file(*target, kernels, k == 0, options, sources));
  }
  result.header = header_file(module, options);
  result.dispatcher = dispatcher_file(module, options);
  return result;
}

}  // namespace tessera::emit
