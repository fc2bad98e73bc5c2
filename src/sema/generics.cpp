// SPDX-License-Identifier: Apache-2.0
// Binding of generics.
#include "sema/generics.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "sema/calls.h"
#include "sema/constants.h"
#include "sema/types.h"

namespace tessera::sema {

namespace {

class Binder {
 public:
  Binder(Context& context, const ast::GenericParameter& parameter)
      : context_(context), parameter_(parameter) {}

  void bind(ast::ExprId value) {
    switch (parameter_.kind) {
      case ast::GenericParameter::Kind::integer: return bind_integer(value);
      case ast::GenericParameter::Kind::type: return bind_type(value);
      case ast::GenericParameter::Kind::function: return bind_function(value);
    }
  }

  void fail() { context_.declare(parameter_.name, ErrorEntity{}); }

 private:
  void bind_integer(ast::ExprId value) {
    const auto number = constant_integer(context_, value, "the argument of an `int` generic");
    if (!number) return fail();
    declare(NumberEntity{Number::of(*number)}, fmt::format("{}", *number));
  }

  void bind_type(ast::ExprId value) {
    const ast::Expr& expr = context_.expr(value);
    const auto* name = std::get_if<ast::NameRef>(&expr.node);
    if (name == nullptr) {
      context_.sink.report(Diag::unknown_type, expr.span, "this");
      return fail();
    }
    const std::optional<DType> dtype = resolve_type(context_, {name->name, expr.span});
    if (!dtype || !within_bound(*dtype, expr.span)) return fail();
    declare(TypeEntity{*dtype}, spelling(*dtype));
  }

  bool within_bound(DType dtype, Span span) {
    if (!parameter_.bound) return true;
    const std::string& bound = parameter_.bound->text;
    const bool is_float_bound = bound == "float", is_integer_bound = bound == "integer" || bound == "int";
    if (!is_float_bound && !is_integer_bound) {
      context_.sink.report(Diag::unknown_bound, parameter_.bound->span, bound);
      return false;
    }
    if (is_float_bound ? is_float(dtype) : is_integer(dtype)) return true;
    context_.sink.report(Diag::outside_bound, span, spelling(dtype), parameter_.name.text, bound)
        .label(parameter_.span, "`{}` is declared here", parameter_.name.text);
    return false;
  }

  void bind_function(ast::ExprId value) {
    const ast::Expr& expr = context_.expr(value);
    const auto* name = std::get_if<ast::NameRef>(&expr.node);
    Entity* entity = name != nullptr ? context_.scope.find(name->name) : nullptr;
    if (entity != nullptr && std::holds_alternative<FunctionEntity>(entity->node)) {
      entity->used = true;
      const FunctionEntity function = std::get<FunctionEntity>(entity->node);
      return declare(function, name->name);
    }
    if (name != nullptr && is_library_function(name->name)) {
      return declare(FunctionEntity{{}, name->name, 0}, name->name);
    }
    context_.sink.report(Diag::unknown_function, expr.span, name != nullptr ? name->name : "this");
    fail();
  }

  // Generated headers say what a generic stands for.
  void declare(EntityNode entity, std::string_view value) {
    std::string& bound = context_.kernel.generics;
    bound += fmt::format("{}{} = {}", bound.empty() ? "" : ", ", parameter_.name.text, value);
    context_.declare(parameter_.name, std::move(entity));
  }

  Context& context_;
  const ast::GenericParameter& parameter_;
};

}  // namespace

void bind_generics(Context& context, const std::vector<ast::GenericParameter>& parameters,
                   const std::vector<ast::GenericArgument>& arguments, Span instance_name) {
  for (std::size_t i = 0; i < arguments.size(); ++i) {
    const ast::Name& name = arguments[i].name;
    const bool declared = std::any_of(parameters.begin(), parameters.end(), [&](const auto& parameter) {
      return parameter.name.text == name.text;
    });
    const bool again = std::any_of(arguments.begin(), arguments.begin() + static_cast<std::ptrdiff_t>(i),
                                   [&](const auto& argument) { return argument.name.text == name.text; });
    if (!declared) context.sink.report(Diag::unknown_generic, name.span, name.text);
    if (again) context.sink.report(Diag::generic_twice, name.span, name.text);
  }
  for (const ast::GenericParameter& parameter : parameters) {
    const auto argument = std::find_if(arguments.begin(), arguments.end(), [&](const auto& candidate) {
      return candidate.name.text == parameter.name.text;
    });
    Binder binder(context, parameter);
    if (argument != arguments.end()) {
      binder.bind(argument->value);
    } else if (parameter.default_value.valid()) {
      binder.bind(parameter.default_value);
    } else {
      context.sink.report(Diag::missing_generic, instance_name, parameter.name.text)
          .label(parameter.span, "`{}` has no default", parameter.name.text);
      binder.fail();
    }
  }
}

bool has_all_defaults(const std::vector<ast::GenericParameter>& parameters) {
  return std::all_of(parameters.begin(), parameters.end(),
                     [](const ast::GenericParameter& parameter) { return parameter.default_value.valid(); });
}

}  // namespace tessera::sema
