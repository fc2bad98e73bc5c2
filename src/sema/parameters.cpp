// SPDX-License-Identifier: Apache-2.0
// Declaration of parameters.
#include "sema/parameters.h"

#include <algorithm>

#include "sema/constants.h"
#include "sema/conversion.h"
#include "sema/sizes.h"
#include "sema/types.h"

namespace tessera::sema {

namespace {

/// Dimensions of a tensor that the generated functions can take.
constexpr std::size_t kRankLimit = 8;

class ParameterChecker {
 public:
  ParameterChecker(Context& context, const ast::Parameter& parameter, Span body)
      : context_(context), parameter_(parameter), type_(context.file[parameter.type]), body_(body) {}

  void check() {
    if (const auto* tensor = std::get_if<ast::TensorType>(&type_.node)) {
      check_tensor(*tensor);
    } else if (const auto* scalar = std::get_if<ast::ScalarType>(&type_.node)) {
      check_scalar(*scalar);
    } else {
      not_implemented(context_.sink, type_.span, "a parameter of this type", "R21");
    }
    // A parameter with a mistake still takes its name, so that its uses are silent.
    if (context_.scope.clash(parameter_.name.text) == nullptr) {
      context_.declare(parameter_.name, ErrorEntity{});
    }
  }

 private:
  void check_tensor(const ast::TensorType& type) {
    const std::optional<DType> dtype = resolve_type(context_, type.element);
    std::vector<ir::SizeId> dims;
    bool failed = !dtype;
    for (const ast::Dimension& dimension : type.dimensions) {
      const std::optional<ir::SizeId> size = dimension_size(dimension);
      failed = failed || !size;
      if (size) dims.push_back(*size);
    }
    failed = !check_direction() || failed;
    const bool periodic = check_properties(failed);
    if (parameter_.initial.valid()) {
      failed = refuse(context_.expr(parameter_.initial).span,
                      "an initial value of an `out` (a reduction store)", "R15");
    }
    if (dims.size() > kRankLimit) {
      context_.sink.report(Diag::rank_too_large, type_.span, dims.size(), kRankLimit);
      failed = true;
    }
    if (failed) return;
    const bool is_output = parameter_.direction == ast::Direction::out;
    const ir::TensorId id = context_.kernel.tensors.add(
        {parameter_.name.text, *dtype, std::move(dims), is_output, periodic, parameter_.name.span});
    context_.tensor_types.push_back(merge(parameter_.name.span, type_.span));
    context_.kernel.parameters.emplace_back(id);
    context_.declare(parameter_.name, TensorEntity{id});
  }

  std::optional<ir::SizeId> dimension_size(const ast::Dimension& dimension) {
    if (dimension.mesh_axis) {
      refuse(dimension.span, "a dimension on a mesh axis", "R30");
      return std::nullopt;
    }
    if (dimension.kind == ast::Dimension::Kind::rest) {
      refuse(dimension.span, "`..` in a type", "R21");
      return std::nullopt;
    }
    if (dimension.kind == ast::Dimension::Kind::leading) {
      refuse(dimension.span, "a product of leading dimensions", "R28");
      return std::nullopt;
    }
    const std::optional<ir::SizeId> size = size_of(context_, dimension.size, UnknownName::declares_symbol);
    const std::optional<std::int64_t> constant =
        size ? context_.kernel.sizes.as_constant(*size) : std::nullopt;
    if (constant && *constant < 0) {
      context_.sink.report(Diag::negative_extent, dimension.span, *constant);
      return std::nullopt;
    }
    return size;
  }

  bool refuse(Span span, const char* construct, const char* rule) {
    not_implemented(context_.sink, span, construct, rule);
    return true;
  }

  bool check_direction() {
    if (parameter_.nullable) return !refuse(parameter_.span, "a parameter that may be null", "R13");
    switch (parameter_.direction) {
      case ast::Direction::in:
      case ast::Direction::out: return true;
      case ast::Direction::inout: return !refuse(parameter_.span, "`inout`", "R17");
      case ast::Direction::none: break;
    }
    const Span begin{parameter_.span.file, parameter_.name.span.begin, parameter_.name.span.begin};
    auto report = context_.sink.report(Diag::missing_direction, parameter_.name.span, parameter_.name.text);
    report.note("a tensor parameter is `in` or `out`");
    if (is_stored_to()) {
      report.fix(begin, "out ", "the kernel stores to it; what it reads is another parameter, `in`");
    } else {
      report.fix(begin, "in ", "a kernel that only reads it takes it `in`");
    }
    return false;
  }

  /// Whether a statement of the kernel stores to the parameter.
  bool is_stored_to() const {
    for (const ast::Stmt& statement : context_.file.stmts) {
      const auto* assignment = std::get_if<ast::AssignStmt>(&statement.node);
      if (assignment == nullptr || statement.span.begin < body_.begin || statement.span.end > body_.end)
        continue;
      const auto* index = std::get_if<ast::Index>(&context_.expr(assignment->target).node);
      const auto* name =
          index != nullptr ? std::get_if<ast::NameRef>(&context_.expr(index->base).node) : nullptr;
      if (name != nullptr && name->name == parameter_.name.text) return true;
    }
    return false;
  }

  bool check_properties(bool& failed) {
    bool periodic = false;
    for (const ast::Property& property : parameter_.properties) {
      const std::string& name = property.name.text;
      if (name == "periodic" && parameter_.direction != ast::Direction::out) {
        periodic = true;
      } else if (name == "periodic") {
        context_.sink.report(Diag::periodic_output, property.span, parameter_.name.text);
        failed = true;
      } else if (name == "clamped" || name == "sparse") {
        failed = refuse(property.span, name == "clamped" ? "`clamped`" : "`sparse`", "R13");
      } else if (name == "unordered") {
        failed = refuse(property.span, "`unordered`", "R15");
      } else {
        context_.sink.report(Diag::unknown_property, property.span, name)
            .note("properties are `periodic`, `clamped`, `sparse(2:4)` and `unordered`");
        failed = true;
      }
    }
    return periodic;
  }

  void check_scalar(const ast::ScalarType& type) {
    const std::optional<DType> dtype = resolve_type(context_, type.element);
    if (parameter_.direction != ast::Direction::none) {
      auto report = context_.sink.report(Diag::scalar_with_direction, parameter_.span, parameter_.name.text);
      report.note("a tensor without dimensions is written `{}[]`", type.element.text);
      if (parameter_.direction == ast::Direction::in) {
        const Span direction{parameter_.span.file, parameter_.span.begin, parameter_.name.span.begin};
        report.fix(direction, "", "a scalar is only read");
      } else {
        report.fix(type_.span, type.element.text + "[]", "a result is a tensor");
      }
      return;
    }
    if (parameter_.nullable || !parameter_.properties.empty()) {
      context_.sink.report(Diag::scalar_with_property, parameter_.span, parameter_.name.text);
      return;
    }
    if (!dtype) return;
    std::optional<ir::Literal> initial;
    if (parameter_.initial.valid() && !read_initial(*dtype, initial)) return;
    const ir::ScalarId id =
        context_.kernel.scalars.add({parameter_.name.text, *dtype, initial, parameter_.name.span});
    context_.kernel.parameters.emplace_back(id);
    context_.declare(parameter_.name, ScalarEntity{id});
  }

  bool read_initial(DType dtype, std::optional<ir::Literal>& initial) {
    const ast::Expr& expr = context_.expr(parameter_.initial);
    if (std::holds_alternative<ast::ErrorExpr>(expr.node)) return false;
    const std::optional<Number> number = constant_value(context_, parameter_.initial);
    if (!number) {
      context_.sink.report(Diag::not_constant, expr.span, "the initial value of a parameter");
      return false;
    }
    initial = to_literal(*number, dtype);
    if (!initial) report_does_not_fit(context_, *number, expr.span, dtype);
    return initial.has_value();
  }

  Context& context_;
  const ast::Parameter& parameter_;
  const ast::Type& type_;
  Span body_;
};

}  // namespace

void check_parameters(Context& context, const std::vector<ast::Parameter>& parameters, Span body) {
  for (const ast::Parameter& parameter : parameters) ParameterChecker(context, parameter, body).check();
  bool any_f64 = false, any_other = false;
  const auto look = [&](DType dtype) {
    any_f64 = any_f64 || dtype == DType::f64;
    any_other = any_other || (is_float(dtype) && dtype != DType::f64);
  };
  for (const ir::Tensor& tensor : context.kernel.tensors) look(tensor.dtype);
  for (const ir::Scalar& scalar : context.kernel.scalars) look(scalar.dtype);
  context.is_f64 = any_f64 && !any_other;
}

void check_symbols_bare(Context& context) {
  for (std::size_t i = 0; i < context.kernel.symbols.size(); ++i) {
    const ir::SymbolId symbol = context.kernel.symbols.id_at(i);
    const bool bare = std::any_of(
        context.kernel.tensors.begin(), context.kernel.tensors.end(), [&](const ir::Tensor& tensor) {
          return std::any_of(tensor.dims.begin(), tensor.dims.end(),
                             [&](ir::SizeId size) { return context.kernel.sizes.as_symbol(size) == symbol; });
        });
    if (bare) continue;
    const ir::Symbol& declared = context.kernel.symbols[symbol];
    context.sink.report(Diag::symbol_not_bare, declared.span, declared.name)
        .note("the launcher learns the value of a symbol from a dimension that is the symbol alone")
        .help("name the whole dimension and relate the two: `where W == 2 * {}` needs `{}` bare elsewhere",
              declared.name, declared.name);
  }
}

}  // namespace tessera::sema
