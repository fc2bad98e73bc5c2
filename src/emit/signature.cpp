// SPDX-License-Identifier: Apache-2.0
// One order for all signatures: parameters as in the source, then the symbols that a body uses.
#include "emit/signature.h"

#include <fmt/format.h>

#include <cmath>

#include "base/rounding.h"
#include "emit/identifiers.h"
#include "emit/naming.h"
#include "emit/print.h"

namespace tessera::emit {

std::string launcher_name(const ir::Kernel& kernel, std::string_view architecture) {
  return fmt::format("{}_{}", kernel.c_name, architecture);
}

std::string typed_entry(const ir::Kernel& kernel) { return fmt::format("tessera_{}", kernel.c_name); }

std::string erased_entry(const ir::Kernel& kernel) { return fmt::format("tessera_{}_invoke", kernel.c_name); }

std::string element_type(const ir::Tensor& tensor) {
  return (tensor.is_output ? "" : "const ") + type_name(tensor.dtype);
}

namespace {

// In a public header, which has no `using namespace tessera` and knows only abi.h.
std::string default_argument(const ir::Literal& value, DType type) {
  if (!is_float(type)) return print_literal(value, type);
  const bool wide = type == DType::f64;
  std::string number = shortest_decimal(value.real, type) + (wide ? "" : "f");
  if (!std::isfinite(value.real))
    number = fmt::format("{}std::numeric_limits<{}>::{}()", std::signbit(value.real) ? "-" : "",
                         wide ? "double" : "float", std::isnan(value.real) ? "quiet_NaN" : "infinity");
  return is_narrow_float(type) ? fmt::format("tessera::from_float<{}>({})", cpp_spelling(type), number)
                               : number;
}

// The number of parameters before the first default argument: C++ wants a default for every one behind it.
size_t count_without_default(const ir::Kernel& kernel) {
  size_t count = kernel.parameters.size();
  for (; count > 0; --count) {
    const auto* scalar = std::get_if<ir::ScalarId>(&kernel.parameters[count - 1]);
    if (!scalar || !kernel.scalars[*scalar].initial) break;
  }
  return count;
}

std::string parameters(const ir::Kernel& kernel, std::string_view scope, size_t first_default) {
  std::string text;
  for (size_t k = 0; k < kernel.parameters.size(); ++k) {
    if (const auto* tensor = std::get_if<ir::TensorId>(&kernel.parameters[k])) {
      text += fmt::format("const {}Tensor& {}, ", scope, safe_name(kernel.tensors[*tensor].name));
      continue;
    }
    const ir::Scalar& scalar = kernel.scalars[std::get<ir::ScalarId>(kernel.parameters[k])];
    const std::string type =
        scope.empty() ? type_name(scalar.dtype) : std::string(cpp_spelling(scalar.dtype));
    text += fmt::format("{} {}", type, safe_name(scalar.name));
    if (k >= first_default) text += " = " + default_argument(*scalar.initial, scalar.dtype);
    text += ", ";
  }
  return fmt::format("{}const {}LaunchOptions& options", text, scope);
}

}  // namespace

std::string cpp_parameters(const ir::Kernel& kernel) {
  return parameters(kernel, "", kernel.parameters.size());
}
std::string qualified_parameters(const ir::Kernel& kernel) {
  return parameters(kernel, "tessera::", kernel.parameters.size());
}
std::string declared_parameters(const ir::Kernel& kernel) {
  return parameters(kernel, "tessera::", count_without_default(kernel)) + " = {}";
}

std::string c_scalar_type(DType type) {
  if (is_narrow_float(type)) return "float";
  if (is_bool(type)) return "int32_t";
  return type == DType::index ? "int64_t" : type_name(type);
}

std::string c_parameters(const ir::Kernel& kernel) {
  std::string text;
  for (const auto& parameter : kernel.parameters) {
    if (const auto* tensor = std::get_if<ir::TensorId>(&parameter)) {
      text += fmt::format("const TesseraTensor* {}, ", safe_name(kernel.tensors[*tensor].name));
    } else {
      const ir::Scalar& scalar = kernel.scalars[std::get<ir::ScalarId>(parameter)];
      text += fmt::format("{} {}, ", c_scalar_type(scalar.dtype), safe_name(scalar.name));
    }
  }
  return text + "const TesseraLaunch* launch";
}

std::string forwarded(const ir::Kernel& kernel) {
  std::string text;
  for (const auto& parameter : kernel.parameters) {
    const auto* tensor = std::get_if<ir::TensorId>(&parameter);
    text += safe_name(tensor ? kernel.tensors[*tensor].name
                             : kernel.scalars[std::get<ir::ScalarId>(parameter)].name) +
            ", ";
  }
  return text + "options";
}

namespace {

// Calls `tensor`, `scalar` or `symbol` for everything that the body of a function names, in the order of parameters.
template <typename OnTensor, typename OnScalar, typename OnSymbol>
void for_each_used(const ir::Kernel& kernel, const lowered::Function& function, OnTensor tensor,
                   OnScalar scalar, OnSymbol symbol) {
  const std::set<std::string> used = identifiers_in(function.body);
  for (const auto& parameter : kernel.parameters) {
    if (const auto* id = std::get_if<ir::TensorId>(&parameter)) {
      if (used.contains(safe_name(kernel.tensors[*id].name))) tensor(kernel.tensors[*id]);
    } else if (const ir::Scalar& row = kernel.scalars[std::get<ir::ScalarId>(parameter)];
               used.contains(safe_name(row.name))) {
      scalar(row);
    }
  }
  for (const ir::Symbol& row : kernel.symbols)
    if (used.contains(safe_name(row.name))) symbol(row);
}

}  // namespace

void reserve_parameters(const ir::Kernel& kernel, NameAllocator& names) {
  for (const auto& symbol : kernel.symbols) names.reserve(safe_name(symbol.name));
  for (const auto& tensor : kernel.tensors) names.reserve(safe_name(tensor.name));
  for (const auto& scalar : kernel.scalars) names.reserve(safe_name(scalar.name));
}

std::vector<std::string> kernel_parameters(const ir::Kernel& kernel, const lowered::Function& function) {
  std::vector<std::string> result;
  for_each_used(
      kernel, function,
      [&](const ir::Tensor& tensor) {
        result.push_back(fmt::format("TESSERA_PARAMETER View<{}, {}> {}", element_type(tensor),
                                     tensor.dims.size(), safe_name(tensor.name)));
      },
      [&](const ir::Scalar& scalar) {
        result.push_back(type_name(scalar.dtype) + " " + safe_name(scalar.name));
      },
      [&](const ir::Symbol& symbol) { result.push_back("index " + safe_name(symbol.name)); });
  return result;
}

std::string call_arguments(const ir::Kernel& kernel, const lowered::Function& function) {
  std::string text;
  const auto also = [&](const std::string& argument) { text += (text.empty() ? "" : ", ") + argument; };
  for_each_used(
      kernel, function,
      [&](const ir::Tensor& tensor) {
        also(fmt::format("view<{}, {}>({})", element_type(tensor), tensor.dims.size(),
                         safe_name(tensor.name)));
      },
      [&](const ir::Scalar& scalar) { also(safe_name(scalar.name)); },
      [&](const ir::Symbol& symbol) { also(safe_name(symbol.name)); });
  return text;
}

}  // namespace tessera::emit
