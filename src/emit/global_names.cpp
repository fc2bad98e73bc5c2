// SPDX-License-Identifier: Apache-2.0
// Names of one kernel and those of another, or of the runtime; see global_names.h.
#include "emit/global_names.h"

#include <algorithm>
#include <array>
#include <map>
#include <optional>
#include <set>

#include "emit/naming.h"
#include "emit/signature.h"
#include "emit/tables.h"

namespace tessera::emit {

namespace {

/// C functions of the runtime.
bool is_of_runtime(std::string_view name) {
  constexpr std::array<std::string_view, 4> kFunctions = {"tessera_architecture_detail", "tessera_dtype_name",
                                                          "tessera_status_detail", "tessera_status_message"};
  return name.starts_with("tessera_runner_") || std::ranges::find(kFunctions, name) != kFunctions.end();
}

std::set<std::string> names_of(const ir::Kernel& kernel, const std::vector<lowered::Function>& functions) {
  std::set<std::string> names = {safe_name(kernel.c_name), typed_entry(kernel), erased_entry(kernel)};
  for (const lowered::Function& function : functions) names.insert(function.name);
  for (size_t k = 0; k < kernel.tables.size(); ++k) names.insert(table_name(kernel, kernel.tables.id_at(k)));
  return names;
}

/// Two parameters or symbols that would have one name: `unit`, which is a word of generated code, and `unit_`.
bool tells_of_parameters(const ir::Kernel& kernel, DiagnosticSink& sink) {
  std::map<std::string, std::string> owners;  // names in the program by those in generated code
  std::optional<std::pair<std::string, std::string>> clash;
  const auto take = [&](const std::string& name) {
    const auto [owner, inserted] = owners.try_emplace(safe_name(name), name);
    if (!inserted && !clash) clash = {owner->second, name};
  };
  for (const auto& tensor : kernel.tensors) take(tensor.name);
  for (const auto& scalar : kernel.scalars) take(scalar.name);
  for (const auto& symbol : kernel.symbols) take(symbol.name);
  if (!clash) return false;
  const std::string name = safe_name(clash->first);
  auto report = sink.report(Diag::generated_name_clash, kernel.span, kernel.c_name, name);
  const std::string& word = clash->first == name ? clash->second : clash->first;
  report.note("`{}` is a word of generated code, where `{}` is called `{}`", word, word, name);
  report.help("name one of `{}` and `{}` differently", clash->first, clash->second);
  return true;
}

}  // namespace

void keep_visible(const ir::Kernel& kernel, std::vector<lowered::Function>& functions) {
  for (lowered::Function& function : functions) {
    const auto hides = [&](const auto& row) { return safe_name(row.name) == function.name; };
    if (std::any_of(kernel.tensors.begin(), kernel.tensors.end(), hides) ||
        std::any_of(kernel.scalars.begin(), kernel.scalars.end(), hides) ||
        std::any_of(kernel.symbols.begin(), kernel.symbols.end(), hides))
      function.name += "_kernel";
  }
}

void GlobalNames::add(const ir::Kernel& kernel, const std::vector<lowered::Function>& functions,
                      DiagnosticSink& sink) {
  bool told = tells_of_parameters(kernel, sink);
  for (const std::string& name : names_of(kernel, functions)) {
    const auto [owner, inserted] = owners_.try_emplace(name, &kernel);
    if (told || (inserted && !is_of_runtime(name))) continue;
    told = true;
    auto report = sink.report(Diag::generated_name_clash, kernel.span, kernel.c_name, name);
    if (inserted) {
      report.note("the runtime has a function of that name");
    } else {
      report.label(owner->second->span, "kernel `{}` has it", owner->second->c_name);
    }
    report.help(
        "name one of them differently; `instance {}<…> as …;` gives a kernel with generics another name",
        kernel.name);
  }
}

}  // namespace tessera::emit
