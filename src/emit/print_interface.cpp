// SPDX-License-Identifier: Apache-2.0
// The header of a file of kernels and the functions that do not depend on a chip: dispatchers and C entries.
#include <fmt/format.h>

#include "base/rounding.h"
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

std::string described(const ir::Scalar& scalar) {
  std::string text = fmt::format("{}: {}", scalar.name, spelling(scalar.dtype));
  if (!scalar.initial) return text;
  if (is_bool(scalar.dtype)) return text + (scalar.initial->integer != 0 ? " = true" : " = false");
  return text + " = " +
         (is_float(scalar.dtype) ? shortest_decimal(scalar.initial->real, scalar.dtype)
                                 : fmt::format("{}", scalar.initial->integer));
}

std::string described(const ir::Kernel& kernel, const ir::Tensor& tensor) {
  std::string dims;
  for (const ir::SizeId dim : tensor.dims)
    dims += (dims.empty() ? "" : ", ") +
            kernel.sizes.spell(dim, [&](ir::SymbolId id) { return kernel.symbols[id].name; });
  return fmt::format("{} {}: {}[{}]{}", tensor.is_output ? "out" : "in", tensor.name, spelling(tensor.dtype),
                     dims, tensor.periodic ? " periodic" : "");
}

// "in x: bf16[R, C], out y: bf16[R, C], eps: f32 = 1e-5"
std::string described_parameters(const ir::Kernel& kernel) {
  std::string text;
  for (const auto& parameter : kernel.parameters) {
    if (!text.empty()) text += ", ";
    const auto* scalar = std::get_if<ir::ScalarId>(&parameter);
    text += scalar ? described(kernel.scalars[*scalar])
                   : described(kernel, kernel.tensors[std::get<ir::TensorId>(parameter)]);
  }
  return text;
}

// The kernel in the words of its source, with its generics bound.
void print_description(const ir::Kernel& kernel, Writer& writer) {
  const std::string generics = kernel.generics.empty() ? "" : fmt::format("<{}>", kernel.generics);
  const bool renamed = kernel.c_name != kernel.name;
  if (renamed) writer.line(fmt::format("/// instance {}{} as {}", kernel.name, generics, kernel.c_name));
  writer.line(
      fmt::format("/// kernel {}{}({})", kernel.name, renamed ? "" : generics, described_parameters(kernel)));
  for (const ir::Constraint& constraint : kernel.constraints)
    writer.line(fmt::format("/// where {}{}", constraint.text, constraint.implied ? " (implied)" : ""));
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
  return text + "tessera::launch_options(launch)";
}

std::string erased_arguments(const ir::Kernel& kernel) {
  std::string text;
  int tensors = 0, scalars = 0;
  for (const auto& parameter : kernel.parameters) {
    if (std::holds_alternative<ir::TensorId>(parameter)) {
      text += fmt::format("tensors[{}], ", tensors++);
      continue;
    }
    const DType type = kernel.scalars[std::get<ir::ScalarId>(parameter)].dtype;
    const std::string slot = fmt::format("scalars[{}].{}", scalars++, is_float(type) ? "real" : "integer");
    text += is_narrow_float(type)
                ? fmt::format("tessera::from_float<{}>(static_cast<float>({})), ", cpp_spelling(type), slot)
                : fmt::format("static_cast<{}>({}), ", cpp_spelling(type), slot);
  }
  return text + "tessera::launch_options(launch)";
}

constexpr std::string_view kErasedParameters =
    "const TesseraTensor* tensors, const TesseraScalar* scalars, const TesseraLaunch* launch";

// Each tensor that is a null pointer is refused by its number and name.
void print_null_tests(const ir::Kernel& kernel, Writer& writer) {
  for (size_t k = 0; k < kernel.parameters.size(); ++k) {
    const auto* tensor = std::get_if<ir::TensorId>(&kernel.parameters[k]);
    if (!tensor) continue;
    const std::string& name = kernel.tensors[*tensor].name;
    writer.line(fmt::format("if (!{}) return tessera::null_pointer(\"{}\", \"tensor\", {}, \"{}\");",
                            safe_name(name), kernel.c_name, k, name));
  }
}

void print_typed_entry(const ir::Kernel& kernel, const std::string& callee, Writer& writer) {
  writer.line(fmt::format("extern \"C\" TesseraStatus {}({}) {{", typed_entry(kernel), c_parameters(kernel)));
  writer.indent();
  print_null_tests(kernel, writer);
  writer.line(fmt::format("return {}({});", callee, c_arguments(kernel)));
  writer.outdent();
  writer.line("}");
}

void print_erased_entry(const ir::Kernel& kernel, const std::string& callee, Writer& writer) {
  const auto null_test = [&](std::string_view array) {
    writer.line(
        fmt::format("if (!{0}) return tessera::null_pointer(\"{1}\", \"{0}\");", array, kernel.c_name));
  };
  writer.line(fmt::format("extern \"C\" TesseraStatus {}({}) {{", erased_entry(kernel), kErasedParameters));
  writer.indent();
  if (kernel.tensors.size() > 0) null_test("tensors");
  if (kernel.scalars.size() > 0)
    null_test("scalars");
  else
    writer.line("static_cast<void>(scalars);");
  writer.line(fmt::format("return {}({});", callee, erased_arguments(kernel)));
  writer.outdent();
  writer.line("}");
}

}  // namespace

void print_declaration(const ir::Kernel& kernel, Writer& writer) {
  writer.blank();
  print_doc(kernel, writer);
  print_description(kernel, writer);
  writer.line(fmt::format("tessera::Status {}({});", safe_name(kernel.c_name), declared_parameters(kernel)));
}

void print_c_declarations(const ir::Kernel& kernel, Writer& writer) {
  writer.line(fmt::format("TesseraStatus {}({});", typed_entry(kernel), c_parameters(kernel)));
  writer.line(fmt::format("TesseraStatus {}({});", erased_entry(kernel), kErasedParameters));
}

void print_launcher_declarations(const ir::Kernel& kernel, const std::vector<std::string>& architectures,
                                 Writer& writer) {
  for (const std::string& architecture : architectures)
    writer.line(fmt::format("tessera::Status {}({});", launcher_name(kernel, architecture),
                            qualified_parameters(kernel)));
}

void print_dispatcher(const ir::Kernel& kernel, const std::vector<std::string>& architectures,
                      Writer& writer) {
  writer.line(
      fmt::format("tessera::Status {}({}) {{", safe_name(kernel.c_name), qualified_parameters(kernel)));
  writer.indent();
  writer.line("switch (architecture(options)) {");
  writer.indent();
  for (const std::string& architecture : architectures)
    writer.line(fmt::format("case {}: return detail::{}({});",
                            architecture.substr(architecture.find('_') + 1),
                            launcher_name(kernel, architecture), forwarded(kernel)));
  writer.line(fmt::format("default: return wrong_architecture(\"{}\", options);", kernel.c_name));
  writer.outdent();
  writer.line("}");
  writer.outdent();
  writer.line("}");
  writer.blank();
}

void print_c_entries(const ir::Kernel& kernel, const std::string& name_space, Writer& writer) {
  const std::string callee = fmt::format("{}::{}", name_space, safe_name(kernel.c_name));
  writer.blank();
  print_typed_entry(kernel, callee, writer);
  writer.blank();
  print_erased_entry(kernel, callee, writer);
}

}  // namespace tessera::emit
