// SPDX-License-Identifier: Apache-2.0
// Evaluation of constant expressions.
#include "sema/constants.h"

#include <limits>

#include "sema/conversion.h"
#include "sema/types.h"

namespace tessera::sema {

namespace {

/// A number that no type holds.
struct TooLarge {
  std::string number;
  DType widest;
  Span span;
};

class Evaluator {
 public:
  explicit Evaluator(Context& context) : context_(context) {}

  std::optional<Number> of(ast::ExprId id) {
    const std::optional<Number> result =
        std::visit([this](const auto& node) { return of(node); }, context_.expr(id).node);
    if (too_large_ && !too_large_->span.file.valid()) too_large_->span = context_.expr(id).span;
    return result;
  }

  /// The innermost part of the expression whose value no type holds.
  const std::optional<TooLarge>& too_large() const { return too_large_; }

 private:
  template <typename OtherNode>
  std::optional<Number> of(const OtherNode&) {
    return std::nullopt;
  }
  std::optional<Number> of(const ast::IntegerLiteral& node) {
    const std::optional<Number> number = parse_integer(node.text);
    if (!number) too_large_ = {node.text, DType::i64, {}};
    return number;
  }
  std::optional<Number> of(const ast::FloatLiteral& node) {
    const std::optional<Number> number = parse_float(node.text);
    if (!number) too_large_ = {node.text, DType::f64, {}};
    return number;
  }
  std::optional<Number> of(const ast::BoolLiteral& node) { return Number::of_bool(node.value); }
  std::optional<Number> of(const ast::InfLiteral&) {
    return Number::of_real(std::numeric_limits<double>::infinity());
  }
  std::optional<Number> of(const ast::NameRef& node) {
    Entity* entity = context_.scope.find(node.name);
    if (entity == nullptr) return std::nullopt;
    if (const auto* number = std::get_if<NumberEntity>(&entity->node)) {
      entity->used = true;
      return number->number;
    }
    if (const auto* value = std::get_if<ValueEntity>(&entity->node); value && value->operand.is_number()) {
      entity->used = true;
      return value->operand.number();
    }
    return std::nullopt;
  }
  std::optional<Number> of(const ast::Unary& node) {
    const std::optional<Number> operand = of(node.operand);
    return operand ? apply(node.op, *operand) : std::nullopt;
  }
  std::optional<Number> of(const ast::Binary& node) {
    const std::optional<Number> left = of(node.left);
    if (!left) return std::nullopt;
    const std::optional<Number> right = of(node.right);
    if (!right) return std::nullopt;
    if (overflows(node.op, *left, *right))
      too_large_ = {"the result", left->is_real() || right->is_real() ? DType::f64 : DType::i64, {}};
    return apply(node.op, *left, *right);
  }
  /// An element of a constant table.
  std::optional<Number> of(const ast::Index& node) {
    const auto* name = std::get_if<ast::NameRef>(&context_.expr(node.base).node);
    Entity* entity = name != nullptr ? context_.scope.find(name->name) : nullptr;
    const auto* table = entity != nullptr ? std::get_if<TableEntity>(&entity->node) : nullptr;
    if (table == nullptr || node.elements.size() != 1) return std::nullopt;
    const auto* index = std::get_if<ast::ExprId>(&node.elements[0].node);
    const std::optional<Number> position = index != nullptr ? of(*index) : std::nullopt;
    if (!position || !position->is_integer() || position->integer < 0) return std::nullopt;
    if (static_cast<std::size_t>(position->integer) >= table->elements.size()) return std::nullopt;
    entity->used = true;
    return table->elements[static_cast<std::size_t>(position->integer)];
  }

  Context& context_;
  std::optional<TooLarge> too_large_;
};

std::optional<DType> declared_type(Context& context, const ast::ConstDecl& declaration, bool& failed) {
  if (!declaration.type.valid()) return std::nullopt;
  const ast::Type& type = context.file[declaration.type];
  const auto* scalar = std::get_if<ast::ScalarType>(&type.node);
  if (scalar == nullptr) {
    not_implemented(context.sink, type.span, "a `const` of this type", "R24");
    failed = true;
    return std::nullopt;
  }
  const std::optional<DType> dtype = resolve_type(context, scalar->element);
  failed = !dtype;
  return dtype;
}

/// A quotient is settled where the type of the `const` is written.
Number declared_as(DType dtype, const Number& number) {
  if (!number.is_fraction()) return number;
  return is_float(dtype) ? Number::of_real(number.real) : Number::of(number.integer);
}

}  // namespace

std::optional<Number> constant_value(Context& context, ast::ExprId id) { return Evaluator(context).of(id); }

std::optional<std::int64_t> constant_integer(Context& context, ast::ExprId id, const std::string& what) {
  const ast::Expr& expr = context.expr(id);
  if (std::holds_alternative<ast::ErrorExpr>(expr.node)) return std::nullopt;
  const std::optional<Number> number = constant_value(context, id);
  if (number && number->is_integer()) return number->integer;
  context.sink.report(Diag::not_constant, expr.span, what)
      .note("what is constant: literals, `const`, `<int>` generics and the variables of `static for`");
  return std::nullopt;
}

void declare_constant(Context& context, const ast::ConstDecl& declaration) {
  bool failed = false;
  const std::optional<DType> dtype = declared_type(context, declaration, failed);
  const ast::Expr& value = context.expr(declaration.value);
  std::vector<Number> numbers;
  const auto* list = std::get_if<ast::ArrayLiteral>(&value.node);
  const std::vector<ast::ExprId> single{declaration.value};
  for (const ast::ExprId element : list != nullptr ? list->elements : single) {
    Evaluator evaluator(context);
    const std::optional<Number> number = evaluator.of(element);
    if (number && (!dtype || to_literal(*number, *dtype))) {
      numbers.push_back(dtype ? declared_as(*dtype, *number) : *number);
      continue;
    }
    failed = true;
    if (std::holds_alternative<ast::ErrorExpr>(context.expr(element).node)) continue;
    if (number && number->is_bool() == is_bool(*dtype) && !(number->is_real() && is_integer(*dtype))) {
      report_does_not_fit(context, *number, context.expr(element).span, *dtype);
      continue;
    }
    if (const auto& large = evaluator.too_large()) {
      report_too_large(context, large->number, large->span, large->widest);
      continue;
    }
    context.sink.report(Diag::not_constant, context.expr(element).span, "the value of a `const`")
        .note("a `const` is a number or a list of numbers that the compiler can work out")
        .help("a value that the kernel computes is bound by `let`: `let {} = …;`", declaration.name.text);
  }
  if (failed) {
    context.declare(declaration.name, ErrorEntity{});
  } else if (list != nullptr) {
    context.declare(declaration.name, TableEntity{std::move(numbers), dtype});
  } else {
    context.declare(declaration.name, NumberEntity{numbers[0]});
  }
}

}  // namespace tessera::sema
