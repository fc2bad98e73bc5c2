// SPDX-License-Identifier: Apache-2.0
// Inlining of functions.
#include "sema/functions.h"

#include "sema/annotations.h"
#include "sema/calls.h"
#include "sema/constants.h"
#include "sema/conversion.h"
#include "sema/expressions.h"
#include "sema/statements.h"
#include "sema/types.h"

namespace tessera::sema {

namespace {

/// The element type of a scalar type; what else there is belongs to functions of tiles.
std::optional<DType> scalar_type(Context& context, ast::TypeId id) {
  const ast::Type& type = context.file[id];
  if (const auto* scalar = std::get_if<ast::ScalarType>(&type.node))
    return resolve_type(context, scalar->element);
  not_implemented(context.sink, type.span, "a function of tiles", "R21");
  return std::nullopt;
}

class Inliner {
 public:
  Inliner(Context& context, const FunctionEntity& function, const std::string& name, Span span)
      : context_(context),
        depth_(function.depth),
        declaration_(context.file[function.declaration]),
        function_(std::get<ast::FnDecl>(declaration_.node)),
        name_(name),
        span_(span) {}

  Operand call(const std::vector<Operand>& arguments) {
    if (!supported()) return poison(span_);
    const bool fits =
        arguments.size() >= required_arguments(function_) && arguments.size() <= function_.parameters.size();
    if (!fits) return wrong_count(arguments.size());
    auto caller = context_.scope.detach(depth_);
    context_.scope.push();
    context_.active_functions.insert(name_);
    Operand result = bind(arguments) ? run() : poison(span_);
    context_.active_functions.erase(name_);
    context_.scope.pop();
    context_.scope.attach(std::move(caller));
    return result;
  }

 private:
  bool supported() {
    if (context_.active_functions.contains(name_)) {
      context_.sink.report(Diag::recursive_function, span_, name_)
          .label(function_.name.span, "`{}` is declared here", name_);
      return false;
    }
    if (!function_.generics.empty()) return refuse(function_.name.span, "a generic function");
    if (!function_.axes.empty()) return refuse(function_.name.span, "a function of tiles");
    if (function_.is_const) return refuse(function_.name.span, "a `const fn`");
    return true;
  }

  bool refuse(Span span, const char* what) {
    not_implemented(context_.sink, span, what, "R21");
    return false;
  }

  Operand wrong_count(std::size_t count) {
    const std::size_t least = required_arguments(function_), most = function_.parameters.size();
    const std::string expected =
        least == most ? fmt::format("{}", most) : fmt::format("{} to {}", least, most);
    context_.sink.report(Diag::wrong_argument_count, span_, name_, expected, most == 1 ? "" : "s", count)
        .label(function_.name.span, "`{}` is declared here", name_);
    return poison(span_);
  }

  bool bind(const std::vector<Operand>& arguments) {
    bool bound = true;
    for (std::size_t i = 0; i < function_.parameters.size(); ++i) {
      const ast::Parameter& parameter = function_.parameters[i];
      const std::optional<DType> dtype = scalar_type(context_, parameter.type);
      if (!dtype) return false;
      const Operand argument = i < arguments.size() ? arguments[i] : initial_value(parameter);
      const std::optional<ir::ValueId> value = convert_for(
          context_, argument, *dtype, fmt::format("parameter `{}`", parameter.name.text), parameter.span);
      bound = bound && value;
      if (value) {
        context_.declare(parameter.name, ValueEntity{{*value, parameter.span}});
      } else {
        context_.declare(parameter.name, ErrorEntity{});
      }
    }
    return bound;
  }

  /// What stands behind `=`, for an argument that is left out.
  Operand initial_value(const ast::Parameter& parameter) {
    const ast::Expr& expr = context_.expr(parameter.initial);
    if (std::holds_alternative<ast::ErrorExpr>(expr.node)) return poison(expr.span);
    if (const auto number = constant_value(context_, parameter.initial)) return {*number, expr.span};
    context_.sink.report(Diag::not_constant, expr.span, "the initial value of a parameter");
    return poison(expr.span);
  }

  /// `let`, `const` and a final `return`.
  Operand run() {
    const std::vector<ast::StmtId>& statements = function_.body.statements;
    for (const ast::StmtId id : statements) {
      const ast::Stmt& statement = context_.file[id];
      const auto* result = std::get_if<ast::ReturnStmt>(&statement.node);
      if (result == nullptr) {
        if (!check_function_statement(context_, id)) return poison(span_);
        continue;
      }
      if (id != statements.back()) {
        context_.sink.report(Diag::statement_after_return, context_.file[statements.back()].span);
        return poison(span_);
      }
      return result->value.valid() ? converted(check_expression(context_, result->value), result->value)
                                   : missing(statement.span);
    }
    return missing(function_.name.span);
  }

  Operand missing(Span span) {
    context_.sink.report(Diag::missing_return, span, name_);
    return poison(span_);
  }

  Operand converted(const Operand& result, ast::ExprId written) {
    if (!function_.result.valid()) return {result.node, span_};
    const std::optional<DType> dtype = scalar_type(context_, function_.result);
    if (!dtype) return poison(span_);
    const Span type_span = context_.file[function_.result].span;
    const std::optional<ir::ValueId> value =
        convert_for(context_, result, *dtype, fmt::format("the result of `{}`", name_), type_span, written);
    return value ? Operand{*value, span_} : poison(span_);
  }

  Context& context_;
  std::size_t depth_;
  const ast::Decl& declaration_;
  const ast::FnDecl& function_;
  const std::string& name_;
  Span span_;
};

/// A function takes values: no directions, no properties.
bool check_parameter(Context& context, const ast::Parameter& parameter) {
  if (!std::holds_alternative<ast::ScalarType>(context.file[parameter.type].node))
    return true;  // told at a call
  if (parameter.direction != ast::Direction::none) {
    context.sink.report(Diag::scalar_with_direction, parameter.span, parameter.name.text);
    return false;
  }
  if (!parameter.nullable && parameter.properties.empty()) return true;
  context.sink.report(Diag::scalar_with_property, parameter.span, parameter.name.text);
  return false;
}

}  // namespace

std::size_t required_arguments(const ast::FnDecl& function) {
  std::size_t count = function.parameters.size();
  while (count > 0 && function.parameters[count - 1].initial.valid()) --count;
  return count;
}

Operand call_function(Context& context, const FunctionEntity& function, const std::string& name,
                      const std::vector<Operand>& arguments, Span span) {
  for (const Operand& argument : arguments) {
    if (argument.is_poison()) return poison(span);
  }
  return Inliner(context, function, name, span).call(arguments);
}

void declare_function(Context& context, ast::DeclId id) {
  const auto& function = std::get<ast::FnDecl>(context.file[id].node);
  if (is_library_function(function.name.text) || function.name.text == "where") {
    context.sink.report(Diag::hides_library, function.name.span, function.name.text)
        .note("calls of `{}` would change their meaning with this line", function.name.text);
    return;
  }
  refuse_annotations(context, context.file[id].annotations);
  bool sound = true;
  for (const ast::Parameter& parameter : function.parameters)
    sound = check_parameter(context, parameter) && sound;
  if (!sound) return context.declare(function.name, ErrorEntity{});
  context.declare(function.name, FunctionEntity{id, "", context.scope.depth()});
}

}  // namespace tessera::sema
