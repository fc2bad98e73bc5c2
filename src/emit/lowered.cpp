// SPDX-License-Identifier: Apache-2.0
// Constructors of lowered expressions, with the folding that keeps the printed text free of `+ 0` and `* 1`.
#include "emit/lowered.h"

#include <limits>
#include <optional>
#include <utility>

#include "sema/ir/integer.h"

namespace tessera::emit::lowered {

namespace {

Expr make(Expression::Kind kind, std::string text, DType type, std::vector<Expr> operands = {},
          ir::Literal value = {}) {
  return std::make_shared<const Expression>(
      Expression{kind, std::move(text), type, value, std::move(operands), false});
}

}  // namespace

Expr name(std::string text, DType type) { return make(Expression::Kind::name, std::move(text), type); }

Expr literal(ir::Literal value, DType type) { return make(Expression::Kind::literal, "", type, {}, value); }

Expr integer(int64_t value) { return literal(ir::Literal{.real = 0, .integer = value}, DType::index); }

Expr boolean(bool value) { return literal(ir::Literal{.real = 0, .integer = value ? 1 : 0}, DType::boolean); }

Expr unary(std::string op, Expr operand, DType type) {
  return make(Expression::Kind::unary, std::move(op), type, {std::move(operand)});
}

Expr binary(std::string op, Expr left, Expr right, DType type) {
  return make(Expression::Kind::binary, std::move(op), type, {std::move(left), std::move(right)});
}

Expr ternary(Expr condition, Expr if_true, Expr if_false) {
  const DType type = if_true->type;
  return make(Expression::Kind::ternary, "", type,
              {std::move(condition), std::move(if_true), std::move(if_false)});
}

Expr call(std::string callee, std::vector<Expr> arguments, DType type) {
  return make(Expression::Kind::call, std::move(callee), type, std::move(arguments));
}

Expr element(Expr array, Expr index, DType type) {
  return make(Expression::Kind::element, "", type, {std::move(array), std::move(index)});
}

Expr vector_element(Expr vector, Expr index, DType type) {
  return make(Expression::Kind::element, "vector", type, {std::move(vector), std::move(index)});
}

bool is_vector_element(const Expr& expression) {
  return expression->kind == Expression::Kind::element && expression->text == "vector";
}

Expr with_vector_form(const Expr& expression) {
  Expression copy = *expression;
  copy.has_vector_form = true;
  return std::make_shared<const Expression>(std::move(copy));
}

Expr list(std::vector<Expr> elements) {
  return make(Expression::Kind::list, "", DType::index, std::move(elements));
}

Expr braces(std::string type, std::vector<Expr> elements) {
  const DType dtype = elements.empty() ? DType::index : elements[0]->type;
  return make(Expression::Kind::list, std::move(type), dtype, std::move(elements));
}

Expr member(Expr object, std::string field, DType type) {
  return make(Expression::Kind::member, std::move(field), type, {std::move(object)});
}

Expr element_exists(const Expr& part, Expr item) {
  const std::string callee = part->text + ".has";
  return call(callee, {std::move(item)}, DType::boolean);
}

bool is_element_exists(const Expr& expression) {
  return expression->kind == Expression::Kind::call && expression->text.ends_with(".has");
}

Expr conjunction(Expr left, Expr right) {
  if (!left) return right;
  if (!right || left == right) return left;
  return binary("&&", std::move(left), std::move(right), DType::boolean);
}

Expr zero(DType type) { return literal({}, type); }

bool is_trivial(const Expr& expression) {
  switch (expression->kind) {
    case Expression::Kind::name:
    case Expression::Kind::literal: return true;
    case Expression::Kind::element:
      return is_trivial(expression->operands[0]) && is_trivial(expression->operands[1]);
    default: return false;
  }
}

std::optional<int64_t> constant_of(const Expr& expression) {
  if (expression->kind != Expression::Kind::literal || is_float(expression->type)) return std::nullopt;
  return expression->value.integer;
}

Expr add(Expr left, Expr right) {
  const auto a = constant_of(left), b = constant_of(right);
  if (a && b) return integer(ir::wrapping_add(*a, *b));
  if (a == 0) return right;
  if (b == 0) return left;
  if (a) return add(std::move(right), std::move(left));
  // (x + 2) - 1 is x + 1.
  if (b && left->kind == Expression::Kind::binary && left->type == DType::index &&
      (left->text == "+" || left->text == "-")) {
    if (const auto inner = constant_of(left->operands[1]))
      return add(left->operands[0], integer(left->text == "+" ? ir::wrapping_add(*b, *inner)
                                                              : ir::wrapping_subtract(*b, *inner)));
  }
  if (b && *b < 0 && *b != std::numeric_limits<int64_t>::min())
    return binary("-", std::move(left), integer(-*b), DType::index);
  if (right->kind == Expression::Kind::unary && right->text == "-")
    return binary("-", std::move(left), right->operands[0], DType::index);
  return binary("+", std::move(left), std::move(right), DType::index);
}

Expr multiply(Expr left, Expr right) {
  const auto a = constant_of(left), b = constant_of(right);
  if (a && b) return integer(ir::wrapping_multiply(*a, *b));
  if (a == 0 || b == 0) return integer(0);
  if (a == 1) return right;
  if (b == 1) return left;
  if (b == -1) return unary("-", std::move(left), DType::index);
  if (a == -1) return unary("-", std::move(right), DType::index);
  return binary("*", std::move(left), std::move(right), DType::index);
}

}  // namespace tessera::emit::lowered
