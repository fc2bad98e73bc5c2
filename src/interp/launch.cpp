// SPDX-License-Identifier: Apache-2.0
// Checks of the arguments of a kernel.
#include "interp/launch.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "interp/integer_rules.h"
#include "interp/storage.h"
#include "sema/ir/names.h"

namespace tessera::interp {

namespace {

template <typename... Args>
Error error(Span span, fmt::format_string<Args...> format, Args&&... args) {
  return {fmt::format(format, std::forward<Args>(args)...), span};
}

/// Whether an array of 8-byte elements has fewer than 2^63 bytes.
bool is_countable(const std::vector<int64_t>& extents) {
  int64_t bytes = 8;
  for (const int64_t extent : extents) {
    if (__builtin_mul_overflow(bytes, std::max<int64_t>(extent, 1), &bytes)) return false;
  }
  return true;
}

/// The literal as an argument of that type holds it.
ir::Literal rounded(const ir::Literal& literal, DType dtype) {
  if (is_bool(dtype)) return {0, literal.integer != 0 ? 1 : 0};
  if (is_integer(dtype)) return {0, IntegerType(dtype).wrap(static_cast<uint64_t>(literal.integer))};
  return with_storage(dtype, [&](auto tag) {
    return ir::Literal{convert<double>(convert<typename decltype(tag)::Type>(literal.real)), 0};
  });
}

class Checker {
 public:
  Checker(const ir::Kernel& kernel, const Arguments& arguments)
      : kernel_(kernel), arguments_(arguments), names_(kernel) {}

  std::variant<Launch, Error> run() {
    check_names();
    if (!error_) bind();
    if (!error_) check_tensors();
    if (!error_) check_symbols();
    if (!error_) check_scalars();
    if (error_) return *error_;
    return std::move(launch_);
  }

  std::variant<std::vector<int64_t>, Error> bind_only() {
    bind();
    if (error_) return *error_;
    return std::move(launch_.symbols);
  }

 private:
  template <typename... Args>
  void fail(Span span, fmt::format_string<Args...> format, Args&&... args) {
    if (!error_) error_ = error(span, format, std::forward<Args>(args)...);
  }

  /// Every argument belongs to a parameter.
  void check_names() {
    const auto named = [](const auto& store, const std::string& name) {
      return std::any_of(store.begin(), store.end(),
                         [&](const auto& element) { return element.name == name; });
    };
    for (const auto& [name, value] : arguments_.symbols) {
      if (!named(kernel_.symbols, name)) fail({}, "kernel `{}` has no symbol `{}`", kernel_.name, name);
    }
    for (const auto& [name, value] : arguments_.tensors) {
      const bool is_input =
          std::any_of(kernel_.tensors.begin(), kernel_.tensors.end(),
                      [&](const ir::Tensor& tensor) { return tensor.name == name && !tensor.is_output; });
      if (!is_input) fail({}, "kernel `{}` has no input `{}`", kernel_.name, name);
    }
    for (const auto& [name, value] : arguments_.scalars) {
      if (!named(kernel_.scalars, name)) fail({}, "kernel `{}` has no scalar `{}`", kernel_.name, name);
    }
  }

  void bind() {
    std::vector<std::optional<int64_t>> values(kernel_.symbols.size());
    for (size_t i = 0; i < values.size(); ++i) {
      const auto given = arguments_.symbols.find(kernel_.symbols[kernel_.symbols.id_at(i)].name);
      if (given != arguments_.symbols.end()) values[i] = given->second;
    }
    for (const ir::Tensor& tensor : kernel_.tensors) {
      const auto array = arguments_.tensors.find(tensor.name);
      if (array == arguments_.tensors.end() || array->second.extents.size() != tensor.dims.size()) continue;
      for (size_t d = 0; d < tensor.dims.size(); ++d) {
        const std::optional<ir::SymbolId> symbol = kernel_.sizes.as_symbol(tensor.dims[d]);
        if (symbol && !values[symbol->index()]) values[symbol->index()] = array->second.extents[d];
      }
    }
    for (size_t i = 0; i < values.size(); ++i) {
      const ir::Symbol& symbol = kernel_.symbols[kernel_.symbols.id_at(i)];
      if (!values[i]) return fail(symbol.span, "symbol `{}` has no value", symbol.name);
      if (*values[i] < 0)
        return fail(symbol.span, "symbol `{}` is {}, which is negative", symbol.name, *values[i]);
      launch_.symbols.push_back(*values[i]);
    }
  }

  int64_t evaluate(ir::SizeId size) const {
    return kernel_.sizes.evaluate(size, [this](ir::SymbolId id) { return launch_.symbols[id.index()]; });
  }

  /// "C = 7, R = 3" for the symbols of a constraint.
  std::string values_of(const ir::Constraint& constraint) const {
    std::vector<ir::SymbolId> symbols = kernel_.sizes.symbols_of(constraint.left);
    if (constraint.relation != ir::Relation::member) {
      for (const ir::SymbolId id : kernel_.sizes.symbols_of(constraint.right)) symbols.push_back(id);
    }
    std::sort(symbols.begin(), symbols.end());
    symbols.erase(std::unique(symbols.begin(), symbols.end()), symbols.end());
    std::string text;
    for (const ir::SymbolId id : symbols) {
      text += fmt::format("{}{} = {}", text.empty() ? "" : ", ", names_.of(id), launch_.symbols[id.index()]);
    }
    return text;
  }

  void check_tensors() {
    for (const ir::Tensor& tensor : kernel_.tensors) {
      std::vector<int64_t> extents;
      for (const ir::SizeId dim : tensor.dims) extents.push_back(evaluate(dim));
      const auto array = arguments_.tensors.find(tensor.name);
      const bool is_given = array != arguments_.tensors.end();
      if (!tensor.is_output && !is_given) return fail(tensor.span, "input `{}` is missing", tensor.name);
      if (is_given) check_array(tensor, array->second, extents);
      for (size_t d = 0; d < extents.size(); ++d) {
        if (extents[d] < 0) {
          return fail(tensor.span, "extent {} of `{}` is {} = {}, which is negative", d, tensor.name,
                      names_.of(tensor.dims[d]), extents[d]);
        }
      }
      if (!is_countable(extents)) {
        return fail(tensor.span, "`{}` would have more elements than can be counted", tensor.name);
      }
      launch_.extents.push_back(std::move(extents));
      launch_.inputs.push_back(is_given ? &array->second : nullptr);
    }
  }

  void check_array(const ir::Tensor& tensor, const Array& array, const std::vector<int64_t>& extents) {
    if (array.dtype != tensor.dtype) {
      return fail(tensor.span, "argument `{}` has type {}, the parameter has type {}", tensor.name,
                  spelling(array.dtype), spelling(tensor.dtype));
    }
    if (array.extents.size() != extents.size()) {
      return fail(tensor.span, "argument `{}` has {} dimensions, the parameter has {}", tensor.name,
                  array.extents.size(), extents.size());
    }
    for (size_t d = 0; d < extents.size(); ++d) {
      if (array.extents[d] == extents[d]) continue;
      return fail(tensor.span, "extent {} of argument `{}` is {}, and `{}` is {}", d, tensor.name,
                  array.extents[d], names_.of(tensor.dims[d]), extents[d]);
    }
    if (array.data.size() != static_cast<size_t>(array.count()) * size_in_bytes(array.dtype)) {
      fail(tensor.span, "argument `{}` holds {} bytes, which its extents do not give", tensor.name,
           array.data.size());
    }
  }

  void check_symbols() {
    for (const ir::Constraint& constraint : kernel_.constraints) {
      const bool is_member = constraint.relation == ir::Relation::member;
      const int64_t right = is_member ? 0 : evaluate(constraint.right);
      if (ir::holds(constraint, evaluate(constraint.left), right)) continue;
      return fail(constraint.span, "`{}` does not hold: {}", constraint.text, values_of(constraint));
    }
    for (size_t i = 0; i < launch_.symbols.size(); ++i)
      check_symbol(kernel_.symbols[kernel_.symbols.id_at(i)], i);
  }

  void check_symbol(const ir::Symbol& symbol, size_t i) {
    const int64_t value = launch_.symbols[i];
    const bool is_allowed = symbol.allowed.empty() || std::find(symbol.allowed.begin(), symbol.allowed.end(),
                                                                value) != symbol.allowed.end();
    if (!is_allowed) {
      fail(symbol.span, "symbol `{}` is {}, and may be one of {}", symbol.name, value,
           fmt::join(symbol.allowed, ", "));
    }
    if (value < symbol.minimum) {
      fail(symbol.span, "symbol `{}` is {}, and has to be at least {}", symbol.name, value, symbol.minimum);
    }
    if (symbol.maximum && value > *symbol.maximum) {
      fail(symbol.span, "symbol `{}` is {}, and may be at most {}", symbol.name, value, *symbol.maximum);
    }
  }

  void check_scalars() {
    for (const ir::Scalar& scalar : kernel_.scalars) {
      const auto given = arguments_.scalars.find(scalar.name);
      if (given == arguments_.scalars.end() && !scalar.initial) {
        return fail(scalar.span, "scalar `{}` has no value", scalar.name);
      }
      const ir::Literal& literal = given != arguments_.scalars.end() ? given->second : *scalar.initial;
      launch_.scalars.push_back(rounded(literal, scalar.dtype));
    }
  }

  const ir::Kernel& kernel_;
  const Arguments& arguments_;
  ir::Names names_;
  Launch launch_;
  std::optional<Error> error_;
};

}  // namespace

std::variant<Launch, Error> check_arguments(const ir::Kernel& kernel, const Arguments& arguments) {
  return Checker(kernel, arguments).run();
}

std::variant<std::vector<int64_t>, Error> bind_symbols(const ir::Kernel& kernel, const Arguments& arguments) {
  return Checker(kernel, arguments).bind_only();
}

}  // namespace tessera::interp
