// SPDX-License-Identifier: Apache-2.0
// The header of a file of kernels and the functions that do not depend on a chip: dispatchers and C entries.
#include <fmt/format.h>

#include "emit/naming.h"
#include "emit/print_launcher.h"
#include "emit/signature.h"

namespace tessera::emit {

namespace {

void print_doc(const ir::Kernel& kernel, Writer& writer) {
  std::string_view rest = kernel.doc;
  while (!rest.empty()) {
    const size_t end = rest.find('\n');
    writer.line(fmt::format("/// {}", rest.substr(0, end)));
    rest.remove_prefix(end == std::string_view::npos ? rest.size() : end + 1);
  }
}

// "x: bf16[R, C], y: bf16[R, C], eps: f32 = 1e-05"
std::string described_parameters(const ir::Kernel& kernel) {
  std::string text;
  for (const auto& parameter : kernel.parameters) {
    if (!text.empty()) text += ", ";
    if (const auto* scalar = std::get_if<ir::ScalarId>(&parameter)) {
      const ir::Scalar& row = kernel.scalars[*scalar];
      text += fmt::format("{}: {}", row.name, spelling(row.dtype));
      if (row.initial)
        text += is_float(row.dtype) ? fmt::format(" = {}", row.initial->real)
                                    : fmt::format(" = {}", row.initial->integer);
      continue;
    }
    const ir::Tensor& tensor = kernel.tensors[std::get<ir::TensorId>(parameter)];
    text += fmt::format("{} {}: {}[", tensor.is_output ? "out" : "in", tensor.name, spelling(tensor.dtype));
    for (size_t d = 0; d < tensor.dims.size(); ++d)
      text += (d > 0 ? ", " : "") +
              kernel.sizes.spell(tensor.dims[d], [&](ir::SymbolId id) { return kernel.symbols[id].name; });
    text += "]";
  }
  return text;
}

// A tensor of C becomes one of C++ by reference, a scalar by conversion.
std::string c_arguments(const ir::Kernel& kernel) {
  std::string text;
  for (const auto& parameter : kernel.parameters) {
    if (const auto* tensor = std::get_if<ir::TensorId>(&parameter)) {
      text += fmt::format("*{}, ", safe_name(kernel.tensors[*tensor].name));
      continue;
    }
    const ir::Scalar& scalar = kernel.scalars[std::get<ir::ScalarId>(parameter)];
    const std::string name = safe_name(scalar.name);
    if (is_narrow_float(scalar.dtype)) {
      text += fmt::format("tessera::from_float<{}>({}), ", cpp_spelling(scalar.dtype), name);
    } else {
      text += is_bool(scalar.dtype) ? name + " != 0, " : name + ", ";
    }
  }
  return text + "tessera::launch_options(launch_)";
}

std::string erased_arguments(const ir::Kernel& kernel) {
  std::string text;
  int tensors = 0, scalars = 0;
  for (const auto& parameter : kernel.parameters) {
    if (std::holds_alternative<ir::TensorId>(parameter)) {
      text += fmt::format("tensors_[{}], ", tensors++);
      continue;
    }
    const DType type = kernel.scalars[std::get<ir::ScalarId>(parameter)].dtype;
    const std::string slot = fmt::format("scalars_[{}].{}", scalars++, is_float(type) ? "real" : "integer");
    text += is_narrow_float(type)
                ? fmt::format("tessera::from_float<{}>(static_cast<float>({})), ", cpp_spelling(type), slot)
                : fmt::format("static_cast<{}>({}), ", cpp_spelling(type), slot);
  }
  return text + "tessera::launch_options(launch_)";
}

std::string null_test(const ir::Kernel& kernel) {
  std::string text;
  for (const auto& parameter : kernel.parameters)
    if (const auto* tensor = std::get_if<ir::TensorId>(&parameter))
      text += fmt::format("{}!{}", text.empty() ? "" : " || ", safe_name(kernel.tensors[*tensor].name));
  return text;
}

}  // namespace

void print_declarations(const ir::Kernel& kernel, const std::vector<std::string>& architectures,
                        Writer& writer) {
  writer.blank();
  print_doc(kernel, writer);
  writer.line(fmt::format("/// kernel {}({})", kernel.name, described_parameters(kernel)));
  for (const ir::Constraint& constraint : kernel.constraints)
    writer.line(fmt::format("/// where {}{}", constraint.text, constraint.implied ? " (implied)" : ""));
  writer.line(
      fmt::format("tessera::Status {}({} = {{}});", safe_name(kernel.c_name), qualified_parameters(kernel)));
  for (const std::string& architecture : architectures)
    writer.line(fmt::format("tessera::Status {}({});", launcher_name(kernel, architecture),
                            qualified_parameters(kernel)));
}

void print_c_declarations(const ir::Kernel& kernel, Writer& writer) {
  writer.line(fmt::format("TesseraStatus tessera_{}({});", kernel.c_name, c_parameters(kernel)));
  writer.line(
      fmt::format("TesseraStatus {}_invoke(const TesseraTensor* tensors_, const TesseraScalar* scalars_, "
                  "const TesseraLaunch* launch_);",
                  kernel.c_name));
}

void print_dispatcher(const ir::Kernel& kernel, const std::vector<std::string>& architectures,
                      Writer& writer) {
  writer.line(
      fmt::format("tessera::Status {}({}) {{", safe_name(kernel.c_name), qualified_parameters(kernel)));
  writer.indent();
  writer.line("switch (architecture(options)) {");
  writer.indent();
  for (const std::string& architecture : architectures)
    writer.line(fmt::format("case {}: return {}({});", architecture.substr(architecture.find('_') + 1),
                            launcher_name(kernel, architecture), forwarded(kernel)));
  writer.line(fmt::format("default: return wrong_architecture(\"{}\", options);", kernel.c_name));
  writer.outdent();
  writer.line("}");
  writer.outdent();
  writer.line("}");
  writer.blank();
}

void print_c_entries(const ir::Kernel& kernel, const std::string& name_space, Writer& writer) {
  writer.blank();
  writer.line(
      fmt::format("extern \"C\" TesseraStatus tessera_{}({}) {{", kernel.c_name, c_parameters(kernel)));
  writer.indent();
  if (const std::string test = null_test(kernel); !test.empty())
    writer.line(
        fmt::format("if ({}) return {{TESSERA_NULL_POINTER, -1, -1, 0, 0, 0, \"{}\", nullptr, nullptr}};",
                    test, kernel.c_name));
  writer.line(fmt::format("return {}::{}({});", name_space, safe_name(kernel.c_name), c_arguments(kernel)));
  writer.outdent();
  writer.line("}");
  writer.blank();
  const bool has_scalars = kernel.scalars.size() > 0;
  writer.line(
      fmt::format("extern \"C\" TesseraStatus {}_invoke(const TesseraTensor* tensors_, {}const "
                  "TesseraScalar* scalars_, const TesseraLaunch* launch_) {{",
                  kernel.c_name, has_scalars ? "" : "[[maybe_unused]] "));
  writer.indent();
  writer.line(
      fmt::format("return {}::{}({});", name_space, safe_name(kernel.c_name), erased_arguments(kernel)));
  writer.outdent();
  writer.line("}");
}

}  // namespace tessera::emit
