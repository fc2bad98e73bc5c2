// SPDX-License-Identifier: Apache-2.0
// Size expressions.
#include "sema/sizes.h"

#include <cctype>

#include "sema/constants.h"
#include "sema/foreign_names.h"

namespace tessera::sema {

namespace {

class Reader {
 public:
  Reader(Context& context, UnknownName unknown, bool silent)
      : context_(context), unknown_(unknown), silent_(silent) {}

  std::optional<ir::SizeId> of(ast::ExprId id) {
    const ast::Expr& expr = context_.expr(id);
    if (std::holds_alternative<ast::ErrorExpr>(expr.node)) return std::nullopt;
    if (const auto* name = std::get_if<ast::NameRef>(&expr.node)) return of_name(*name, expr.span);
    if (const auto* binary = std::get_if<ast::Binary>(&expr.node)) return of_binary(*binary, expr.span);
    if (const auto* call = std::get_if<ast::Call>(&expr.node)) return of_call(*call, expr.span);
    if (const auto* unary = std::get_if<ast::Unary>(&expr.node); unary && unary->op == ast::UnaryOp::negate) {
      const std::optional<ir::SizeId> operand = of(unary->operand);
      return operand ? std::optional(sizes().subtract(sizes().constant(0), *operand)) : std::nullopt;
    }
    const std::optional<Number> number = constant_value(context_, id);
    if (number && number->is_integer()) return sizes().constant(number->integer);
    return refuse(expr.span);
  }

 private:
  ir::SizeTable& sizes() { return context_.kernel.sizes; }

  std::optional<ir::SizeId> refuse(Span span) {
    if (!silent_) {
      context_.sink.report(Diag::not_a_size, span)
          .note("a size is made of integers and dimension symbols with `+ - * / %`");
    }
    return std::nullopt;
  }

  std::optional<ir::SizeId> of_name(const ast::NameRef& name, Span span) {
    Entity* entity = context_.scope.find(name.name);
    if (entity == nullptr) return unknown_name(name.name, span);
    entity->used = true;
    if (const auto* symbol = std::get_if<SymbolEntity>(&entity->node)) return sizes().symbol(symbol->id);
    if (const auto* number = std::get_if<NumberEntity>(&entity->node);
        number && number->number.is_integer()) {
      return sizes().constant(number->number.integer);
    }
    if (const auto* value = std::get_if<ValueEntity>(&entity->node)) return of_value(value->operand, span);
    if (std::holds_alternative<ErrorEntity>(entity->node)) return std::nullopt;
    if (!silent_) {
      context_.sink.report(Diag::not_a_size, span)
          .label(entity->span, "`{}` is {} here", name.name, describe(*entity))
          .note("a size is made of integers and dimension symbols with `+ - * / %`");
    }
    return std::nullopt;
  }

  /// A `let` that holds a size: `let half = C / 2;`.
  std::optional<ir::SizeId> of_value(const Operand& operand, Span span) {
    if (operand.is_poison()) return std::nullopt;
    if (operand.is_number() && operand.number().is_integer())
      return sizes().constant(operand.number().integer);
    if (operand.is_value()) {
      const ir::Op& op = context_.builder[operand.value()].op;
      if (const auto* extent = std::get_if<ir::Extent>(&op)) return extent->size;
    }
    return refuse(span);
  }

  std::optional<ir::SizeId> unknown_name(const std::string& name, Span span) {
    const bool upper = std::isupper(static_cast<unsigned char>(name[0])) != 0;
    if (unknown_ == UnknownName::declares_symbol && upper) {
      const ir::SymbolId id = context_.kernel.symbols.add({name, span, {}, 0, std::nullopt});
      context_.scope.declare(name, {SymbolEntity{id}, span});
      return sizes().symbol(id);
    }
    if (silent_) return std::nullopt;
    if (unknown_ == UnknownName::declares_symbol) {
      refuse_lower_case(name, span);
    } else {
      report_unknown_name(context_, name, span);
    }
    return std::nullopt;
  }

  /// Told once: other uses of the name follow from it.
  void refuse_lower_case(const std::string& name, Span span) {
    if (!context_.lower_case_symbols.insert(name).second) return;
    std::string upper = name;
    upper[0] = static_cast<char>(std::toupper(static_cast<unsigned char>(name[0])));
    auto report = context_.sink.report(Diag::unknown_name, span, name);
    report.note("dimension symbols start upper case: they are declared by their use in a parameter's type");
    if (upper != name) report.fix(span, upper, fmt::format("name it `{}`, here and elsewhere", upper));
  }

  std::optional<ir::SizeId> of_binary(const ast::Binary& binary, Span span) {
    const std::optional<ir::SizeId> left = of(binary.left), right = of(binary.right);
    if (!left || !right) return std::nullopt;
    switch (binary.op) {
      case ast::BinaryOp::add: return sizes().add(*left, *right);
      case ast::BinaryOp::subtract: return sizes().subtract(*left, *right);
      case ast::BinaryOp::multiply: return sizes().multiply(*left, *right);
      case ast::BinaryOp::divide: return sizes().floor_divide(*left, *right);
      case ast::BinaryOp::remainder: return sizes().modulo(*left, *right);
      default: return refuse(span);
    }
  }

  /// `for i in range(4)`.
  std::optional<ir::SizeId> refuse_python_range(Span span) {
    context_.sink.report(Diag::not_a_size, span)
        .help("a range is `for i in 4`, and between two bounds `for i in 1 .. 4`");
    return std::nullopt;
  }

  /// min(a, b) and max(a, b).
  std::optional<ir::SizeId> of_call(const ast::Call& call, Span span) {
    const auto* callee = std::get_if<ast::NameRef>(&context_.expr(call.callee).node);
    const bool is_min = callee != nullptr && callee->name == "min", is_max = callee && callee->name == "max";
    if (callee != nullptr && callee->name == "range" && !silent_) return refuse_python_range(span);
    if ((!is_min && !is_max) || call.axes || call.arguments.size() != 2) return refuse(span);
    const std::optional<ir::SizeId> left = of(call.arguments[0].value), right = of(call.arguments[1].value);
    if (!left || !right) return std::nullopt;
    return is_min ? sizes().minimum(*left, *right) : sizes().maximum(*left, *right);
  }

  Context& context_;
  UnknownName unknown_;
  bool silent_;
};

}  // namespace

std::optional<ir::SizeId> size_of(Context& context, ast::ExprId id, UnknownName unknown) {
  return Reader(context, unknown, false).of(id);
}

std::optional<ir::SizeId> try_size_of(Context& context, ast::ExprId id) {
  return Reader(context, UnknownName::is_an_error, true).of(id);
}

Entity* use_name(Context& context, const std::string& name, Span span) {
  Entity* entity = context.scope.find(name);
  if (entity != nullptr) {
    entity->used = true;
  } else {
    report_unknown_name(context, name, span);
  }
  return entity;
}

void report_unknown_name(Context& context, const std::string& name, Span span) {
  if (context.lower_case_symbols.contains(name)) return;
  if (context.plan_parameters.contains(name)) {
    context.sink.report(Diag::plan_parameter_in_expression, span, name)
        .note("its value is the plan's: it must not change a result")
        .help("an `<int {} = 32>` generic is a number that an expression may use", name);
    return;
  }
  if (!context.unknown_names.insert(name).second) return;
  auto report = context.sink.report(Diag::unknown_name, span, name);
  if (suggest_value(report, name, span)) return;
  if (const auto suggestion = nearest(name, context.scope.names())) {
    if (const Entity* entity = context.scope.find(*suggestion)) {
      report.label(entity->span, "`{}` is {} here", *suggestion, describe(*entity));
    }
    report.fix(span, *suggestion, fmt::format("did you mean `{}`?", *suggestion));
  }
}

}  // namespace tessera::sema
