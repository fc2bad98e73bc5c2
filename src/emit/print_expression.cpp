// SPDX-License-Identifier: Apache-2.0
// Expressions, literals and types as text.
#include <fmt/format.h>

#include <array>
#include <cmath>
#include <string_view>

#include "base/rounding.h"
#include "emit/naming.h"
#include "emit/print.h"

namespace tessera::emit {

namespace {

using lowered::Expression;

constexpr int kPrimary = 16;
constexpr int kUnary = 14;
constexpr int kTernary = 1;

int precedence_of_operator(std::string_view op) {
  if (op == "*" || op == "/" || op == "%") return 13;
  if (op == "+" || op == "-") return 12;
  if (op == "<" || op == "<=" || op == ">" || op == ">=") return 9;
  if (op == "==" || op == "!=") return 8;
  if (op == "&") return 7;
  if (op == "^") return 6;
  if (op == "|") return 5;
  if (op == "&&") return 4;
  return 3;  // ||
}

int precedence(const Expression& expression) {
  switch (expression.kind) {
    case Expression::Kind::binary: return precedence_of_operator(expression.text);
    case Expression::Kind::unary: return kUnary;
    case Expression::Kind::ternary: return kTernary;
    case Expression::Kind::literal: {
      const bool negative =
          is_float(expression.type) ? std::signbit(expression.value.real) : expression.value.integer < 0;
      return negative ? kUnary : kPrimary;
    }
    default: return kPrimary;
  }
}

std::string nested(const lowered::Expr& expression, int least) {
  std::string text = print(expression);
  return precedence(*expression) < least ? "(" + text + ")" : text;
}

// Function templates of the runtime that deduce one type from all arguments: a plain `48` would be an int there.
bool deduces(std::string_view callee) {
  constexpr std::array<std::string_view, 7> kNames = {
      "minimum",           "maximum",         "integer::add",   "integer::subtract",
      "integer::multiply", "integer::divide", "integer::modulo"};
  for (std::string_view name : kNames)
    if (callee == name) return true;
  return false;
}

bool is_untyped(const lowered::Expr& expression) {
  return expression->kind == Expression::Kind::literal && is_integer(expression->type) &&
         expression->type != DType::i32;
}

std::string typed(const lowered::Expr& literal) {
  return fmt::format("{}{{{}}}", type_name(literal->type), print(literal));
}

std::string argument(const lowered::Expr& expression, bool is_deduced) {
  return is_deduced && is_untyped(expression) ? typed(expression) : print(expression);
}

// Both sides give one type: a narrow integer beside a plain literal, or two plain literals, would make another.
std::string print_ternary(const Expression& e) {
  const lowered::Expr &yes = e.operands[1], &no = e.operands[2];
  const bool is_narrow = is_integer(yes->type) && size_in_bytes(yes->type) < 4;
  const bool both = is_untyped(yes) && is_untyped(no);
  const auto side = [&](const lowered::Expr& operand, int least) {
    return is_untyped(operand) && (is_narrow || both) ? typed(operand) : nested(operand, least);
  };
  return fmt::format("{} ? {} : {}", nested(e.operands[0], 3), side(yes, kTernary + 1), side(no, kTernary));
}

std::string arguments(const std::vector<lowered::Expr>& operands, bool are_deduced) {
  std::string text;
  for (const lowered::Expr& operand : operands) {
    if (!text.empty()) text += ", ";
    text += argument(operand, are_deduced);
  }
  return text;
}

std::string print_binary(const Expression& expression) {
  const int level = precedence_of_operator(expression.text);
  // C++ warns of && inside || and of mixed bit operators without parentheses, and a reader hesitates as well.
  const bool careful = level <= 7;
  const auto side = [&](const lowered::Expr& operand, int least) {
    const bool mixed = careful && operand->kind == Expression::Kind::binary &&
                       operand->text != expression.text && precedence_of_operator(operand->text) < 8;
    return mixed ? "(" + print(operand) + ")" : nested(operand, least);
  };
  return fmt::format("{} {} {}", side(expression.operands[0], level), expression.text,
                     side(expression.operands[1], level + 1));
}

}  // namespace

std::string print_literal(const ir::Literal& value, DType type) {
  if (is_bool(type)) return value.integer != 0 ? "true" : "false";
  if (!is_float(type)) {
    if (value.integer == INT64_MIN) return "(-9223372036854775807 - 1)";
    if (type == DType::i32 && value.integer == INT32_MIN) return "(-2147483647 - 1)";
    return is_unsigned_integer(type) ? fmt::format("{}u", static_cast<uint64_t>(value.integer))
                                     : fmt::format("{}", value.integer);
  }
  const std::string name = type_name(is_narrow_float(type) ? DType::f32 : type);
  if (std::isnan(value.real)) return fmt::format("not_a_number<{}>()", name);
  if (std::isinf(value.real)) return fmt::format("{}<{}>()", value.real > 0 ? "highest" : "lowest", name);
  const std::string text = shortest_decimal(value.real, type) + (type == DType::f64 ? "" : "f");
  return is_narrow_float(type) ? fmt::format("from_float<{}>({})", type_name(type), text) : text;
}

std::string print(const lowered::Expr& expression) {
  const Expression& e = *expression;
  switch (e.kind) {
    case Expression::Kind::name: return e.text;
    case Expression::Kind::literal: return print_literal(e.value, e.type);
    case Expression::Kind::unary: return e.text + nested(e.operands[0], kUnary + 1);
    case Expression::Kind::binary: return print_binary(e);
    case Expression::Kind::ternary: return print_ternary(e);
    case Expression::Kind::call: return fmt::format("{}({})", e.text, arguments(e.operands, deduces(e.text)));
    case Expression::Kind::element:
      return fmt::format("{}[{}]", nested(e.operands[0], kPrimary), print(e.operands[1]));
    case Expression::Kind::list: return fmt::format("{}{{{}}}", e.text, arguments(e.operands, false));
    case Expression::Kind::member: return fmt::format("{}.{}", nested(e.operands[0], kPrimary), e.text);
  }
  return {};
}

}  // namespace tessera::emit
