// SPDX-License-Identifier: Apache-2.0
// Plans for generated programs; see configuration.h.
#include "fuzz/configuration.h"

#include <algorithm>
#include <exception>

#include "fuzz/choices.h"
#include "sema/ir/expand_products.h"

namespace tessera::fuzz {

namespace {

emit::PlanOverrides random_plan(const ir::Kernel& kernel, bool has_products, Choices& choices) {
  emit::PlanOverrides plan;
  if (choices.chance(40)) plan.warps = static_cast<int>(choices.one_of<std::int64_t>({1, 2, 3, 4, 6, 8, 12}));
  if (choices.chance(30)) plan.vector = static_cast<int>(choices.one_of<std::int64_t>({1, 2, 4, 8}));
  if (has_products && choices.chance(50)) plan.stages = static_cast<int>(choices.between(1, 7));
  if (has_products && choices.chance(15)) plan.raster = static_cast<int>(choices.between(1, 9));
  if (has_products && !plan.warps && choices.chance(60))
    plan.warpgroups = static_cast<int>(choices.between(1, 3));
  for (const ir::Axis& axis : kernel.axes) {
    if (axis.step == ir::StepKind::plan && choices.chance(30))
      plan.tiles[axis.name] = choices.one_of<std::int64_t>({16, 32, 48, 64, 80, 96, 128});
  }
  if (plan.warpgroups && choices.chance(40)) plan.cluster = static_cast<int>(choices.between(1, 2));
  return plan;
}

bool only_refuses(const DiagnosticSink& sink) {
  const std::vector<Diagnostic> all = sink.sorted();
  return std::ranges::any_of(all,
                             [](const Diagnostic& one) { return one.kind == Diag::request_impossible; }) &&
         std::ranges::all_of(all, [](const Diagnostic& one) {
           return one.severity() != Severity::error || one.kind == Diag::request_impossible;
         });
}

}  // namespace

std::string Configuration::name() const {
  std::string text = architecture;
  for (const auto& [axis, tile] : plan.tiles) text += ",tile." + axis + "=" + std::to_string(tile);
  if (plan.warps) text += ",warps=" + std::to_string(*plan.warps);
  if (plan.vector) text += ",vector=" + std::to_string(*plan.vector);
  if (plan.stages) text += ",stages=" + std::to_string(*plan.stages);
  if (plan.raster) text += ",raster=" + std::to_string(*plan.raster);
  if (plan.warpgroups) text += ",warpgroups=" + std::to_string(*plan.warpgroups);
  if (plan.cluster) text += ",cluster=" + std::to_string(*plan.cluster);
  return text;
}

std::vector<Configuration> configurations(const ir::Module& module, std::uint64_t seed, std::size_t count) {
  const ir::Kernel& kernel = module.kernels[0];
  const bool has_products = ir::has_products(kernel);
  Choices choices(seed + 0x5EED);
  std::vector<Configuration> result;
  for (std::size_t i = 0; i < count; ++i) {
    const char* architecture = choices.chance(50) ? "sm_80" : "sm_90";
    result.push_back(
        {architecture, i == 0 ? emit::PlanOverrides{} : random_plan(kernel, has_products, choices)});
  }
  return result;
}

Emitted emit_program(Checked& checked, const Configuration& configuration, std::size_t number,
                     const std::optional<emit::Fault>& fault) {
  Emitted emitted;
  emit::Options options;
  options.architectures = {configuration.architecture};
  options.plan = configuration.plan;
  options.fault = fault;
  options.file_stem = "program_" + std::to_string(number);
  options.name_space = options.file_stem;
  options.source_name = "k.tsr";
  DiagnosticSink sink;
  try {
    std::optional<emit::Emission> emission = emit::emit(*checked.module, options, checked.sources, sink);
    if (emission)
      emitted.program = sweep::UnitProgram{std::move(*emission), {checked.module->kernels[0].c_name}};
  } catch (const std::exception& error) {
    emitted.failure = std::string("internal: ") + error.what();
    return emitted;
  }
  if (emitted.program) return emitted;
  emitted.is_refused = only_refuses(sink);
  if (!emitted.is_refused) emitted.failure = "not emitted: " + errors_of(sink);
  return emitted;
}

}  // namespace tessera::fuzz
