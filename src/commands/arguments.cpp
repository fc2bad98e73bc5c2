// SPDX-License-Identifier: Apache-2.0
// Arrays for a kernel's parameters; see arguments.h.
#include "commands/arguments.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "interp/npy.h"

namespace tessera::commands {

namespace {

void fill_input(interp::Array& array, uint64_t seed) {
  if (is_float(array.dtype)) {
    interp::fill_random(array, seed, -2, 2);
  } else if (is_signed_integer(array.dtype)) {
    interp::fill_random(array, seed, -100, 100);
  } else {
    interp::fill_random(array, seed, 0, is_bool(array.dtype) ? 1 : 100);
  }
}

/// Sizes of symbols that stand bare in a tensor's type follow from the array. False if they contradict.
bool bind_sizes(const ir::Kernel& kernel, const ir::Tensor& tensor, const interp::Array& array,
                const std::string& path, Settings& settings, DiagnosticSink& sink) {
  if (array.extents.size() != tensor.dims.size()) {
    sink.report(
        Diag::array_does_not_fit, {}, path, tensor.name,
        fmt::format("it has {} dimensions, the parameter has {}", array.extents.size(), tensor.dims.size()));
    return false;
  }
  for (std::size_t d = 0; d < tensor.dims.size(); ++d) {
    const auto symbol = kernel.sizes.as_symbol(tensor.dims[d]);
    if (!symbol) continue;
    const std::string size = std::to_string(array.extents[d]);
    const auto [setting, added] = settings.try_emplace(kernel.symbols[*symbol].name, size);
    if (added || setting->second == size) continue;
    sink.report(
        Diag::array_does_not_fit, {}, path, tensor.name,
        fmt::format("its dimension {} is {}, and {} is {}", d, size, setting->first, setting->second));
    return false;
  }
  return true;
}

}  // namespace

std::vector<interp::Array> make_tensors(const Problem& problem, const NamedArrays& given, uint64_t seed) {
  std::vector<interp::Array> tensors;
  for (std::size_t i = 0; i < problem.kernel->tensors.size(); ++i) {
    const ir::TensorId id = problem.kernel->tensors.id_at(i);
    const ir::Tensor& tensor = problem.kernel->tensors[id];
    if (const auto array = given.find(tensor.name); array != given.end()) {
      tensors.push_back(array->second);
      continue;
    }
    tensors.push_back(interp::Array::zeros(tensor.dtype, problem.extents(id)));
    if (!tensor.is_output) fill_input(tensors.back(), seed * 0x9e3779b97f4a7c15u + i);
  }
  return tensors;
}

std::optional<std::vector<interp::Array>> interpret(const Problem& problem,
                                                    const std::vector<interp::Array>& tensors,
                                                    const interp::Options& options, DiagnosticSink& sink) {
  const ir::Kernel& kernel = *problem.kernel;
  interp::Arguments arguments;
  for (std::size_t i = 0; i < problem.sizes.size(); ++i) {
    arguments.symbols[kernel.symbols[kernel.symbols.id_at(i)].name] = problem.sizes[i];
  }
  for (std::size_t i = 0; i < problem.scalars.size(); ++i) {
    arguments.scalars[kernel.scalars[kernel.scalars.id_at(i)].name] = problem.scalars[i];
  }
  for (std::size_t i = 0; i < tensors.size(); ++i) {
    const ir::Tensor& tensor = kernel.tensors[kernel.tensors.id_at(i)];
    if (!tensor.is_output) arguments.tensors[tensor.name] = tensors[i];
  }
  interp::Result result = interp::run(kernel, arguments, options);
  if (!result.ok()) {
    sink.report(Diag::interpretation_failed, result.error->span, kernel.c_name, result.error->message)
        .note("with {}", problem.spell_sizes());
    return std::nullopt;
  }
  std::vector<interp::Array> arrays = tensors;
  for (std::size_t i = 0; i < tensors.size(); ++i) {
    const ir::Tensor& tensor = kernel.tensors[kernel.tensors.id_at(i)];
    if (tensor.is_output) arrays[i] = std::move(result.outputs.at(tensor.name));
  }
  return arrays;
}

std::optional<std::pair<std::string, std::string>> split_pair(const std::string& item, std::string_view flag,
                                                              DiagnosticSink& sink) {
  const std::size_t equal = item.find('=');
  if (equal != 0 && equal != std::string::npos && equal + 1 < item.size()) {
    return std::pair(item.substr(0, equal), item.substr(equal + 1));
  }
  sink.report(Diag::bad_command_line, {}, fmt::format("`{} {}` is not `NAME=FILE`", flag, item));
  return std::nullopt;
}

std::optional<ir::TensorId> find_tensor(const ir::Kernel& kernel, const std::string& name, bool output,
                                        DiagnosticSink& sink) {
  std::vector<std::string> names;
  for (std::size_t i = 0; i < kernel.tensors.size(); ++i) {
    const ir::TensorId id = kernel.tensors.id_at(i);
    if (kernel.tensors[id].is_output != output) continue;
    if (kernel.tensors[id].name == name) return id;
    names.push_back(kernel.tensors[id].name);
  }
  auto report = sink.report(Diag::unknown_tensor, {}, kernel.c_name, output ? "out" : "in", name);
  if (!names.empty()) report.note("it has {}", fmt::join(names, ", "));
  return std::nullopt;
}

std::optional<NamedArrays> read_inputs(const ir::Kernel& kernel, const std::vector<std::string>& items,
                                       Settings& settings, DiagnosticSink& sink) {
  NamedArrays arrays;
  for (const std::string& item : items) {
    const auto pair = split_pair(item, "--input", sink);
    const auto id = pair ? find_tensor(kernel, pair->first, false, sink) : std::nullopt;
    if (!id) return std::nullopt;
    const ir::Tensor& tensor = kernel.tensors[*id];
    auto read = interp::read_npy(pair->second);
    if (auto* array = std::get_if<interp::Array>(&read))
      read = interp::reinterpreted(std::move(*array), tensor.dtype);
    if (const auto* problem = std::get_if<std::string>(&read)) {
      sink.report(Diag::array_does_not_fit, {}, pair->second, tensor.name, *problem);
      return std::nullopt;
    }
    interp::Array& array = std::get<interp::Array>(read);
    if (!bind_sizes(kernel, tensor, array, pair->second, settings, sink)) return std::nullopt;
    arrays.insert_or_assign(tensor.name, std::move(array));
  }
  return arrays;
}

}  // namespace tessera::commands
