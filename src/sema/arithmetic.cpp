// SPDX-License-Identifier: Apache-2.0
// Unary and binary operators.
#include "sema/arithmetic.h"

#include "base/check.h"
#include "sema/conversion.h"
#include "sema/expressions.h"

namespace tessera::sema {

namespace {

ir::BinaryOp ir_operator(ast::BinaryOp op) {
  switch (op) {
    case ast::BinaryOp::logical_or: return ir::BinaryOp::logical_or;
    case ast::BinaryOp::logical_and: return ir::BinaryOp::logical_and;
    case ast::BinaryOp::equal: return ir::BinaryOp::equal;
    case ast::BinaryOp::not_equal: return ir::BinaryOp::not_equal;
    case ast::BinaryOp::less: return ir::BinaryOp::less;
    case ast::BinaryOp::less_equal: return ir::BinaryOp::less_equal;
    case ast::BinaryOp::greater: return ir::BinaryOp::greater;
    case ast::BinaryOp::greater_equal: return ir::BinaryOp::greater_equal;
    case ast::BinaryOp::bit_or: return ir::BinaryOp::bit_or;
    case ast::BinaryOp::bit_xor: return ir::BinaryOp::bit_xor;
    case ast::BinaryOp::bit_and: return ir::BinaryOp::bit_and;
    case ast::BinaryOp::shift_left: return ir::BinaryOp::shift_left;
    case ast::BinaryOp::shift_right: return ir::BinaryOp::shift_right;
    case ast::BinaryOp::add: return ir::BinaryOp::add;
    case ast::BinaryOp::subtract: return ir::BinaryOp::subtract;
    case ast::BinaryOp::multiply: return ir::BinaryOp::multiply;
    case ast::BinaryOp::divide: return ir::BinaryOp::divide;
    case ast::BinaryOp::remainder: return ir::BinaryOp::modulo;
    case ast::BinaryOp::coalesce: break;
  }
  unreachable("`??` is an operation of its own");
}

enum class Family { coalesce, logic, equality, order, bits, arithmetic, remainder };

Family family_of(ast::BinaryOp op) {
  switch (op) {
    case ast::BinaryOp::coalesce: return Family::coalesce;
    case ast::BinaryOp::logical_or:
    case ast::BinaryOp::logical_and: return Family::logic;
    case ast::BinaryOp::equal:
    case ast::BinaryOp::not_equal: return Family::equality;
    case ast::BinaryOp::less:
    case ast::BinaryOp::less_equal:
    case ast::BinaryOp::greater:
    case ast::BinaryOp::greater_equal: return Family::order;
    case ast::BinaryOp::bit_or:
    case ast::BinaryOp::bit_xor:
    case ast::BinaryOp::bit_and:
    case ast::BinaryOp::shift_left:
    case ast::BinaryOp::shift_right: return Family::bits;
    case ast::BinaryOp::remainder: return Family::remainder;
    default: return Family::arithmetic;
  }
}

/// Whether operators of a family take operands of a type.
bool accepts(Family family, DType dtype) {
  switch (family) {
    case Family::coalesce:
    case Family::equality: return true;
    case Family::logic: return is_bool(dtype);
    case Family::order:
    case Family::arithmetic: return !is_bool(dtype);
    case Family::bits:
    case Family::remainder: return is_integer(dtype);
  }
  return false;
}

/// The product that an operand of `+` or `-` is in the source, if it may be contracted.
const ir::Binary* product(const Context& context, ast::ExprId expr, ir::ValueId value) {
  if (!expr.valid()) return nullptr;
  const auto* written = std::get_if<ast::Binary>(&context.expr(expr).node);
  if (written == nullptr || written->op != ast::BinaryOp::multiply) return nullptr;
  const auto* op = std::get_if<ir::Binary>(&context.builder[value].op);
  return op != nullptr && op->op == ir::BinaryOp::multiply ? op : nullptr;
}

/// `a*b ± c` or `c ± a*b` as one operation; the left product first (R24).
std::optional<ir::ValueId> contract(Context& context, ast::BinaryOp op, ir::ValueId left,
                                    ast::ExprId left_expr, ir::ValueId right, ast::ExprId right_expr,
                                    DType dtype, Span span) {
  const bool sum = op == ast::BinaryOp::add, difference = op == ast::BinaryOp::subtract;
  const bool applies = context.precision.contract && (dtype == DType::f32 || dtype == DType::f64);
  if (!applies || (!sum && !difference)) return std::nullopt;
  if (const ir::Binary* factors = product(context, left_expr, left)) {
    return context.builder.add(ir::FusedMultiplyAdd{factors->left, factors->right, right, false, difference},
                               dtype, span);
  }
  if (const ir::Binary* factors = product(context, right_expr, right)) {
    return context.builder.add(ir::FusedMultiplyAdd{factors->left, factors->right, left, difference, false},
                               dtype, span);
  }
  return std::nullopt;
}

Operand refuse_operator(Context& context, const std::string& op, DType dtype, Span op_span, Span span) {
  auto report = context.sink.report(Diag::operator_type, op_span, op, spelling(dtype));
  const bool logic = op == "&&" || op == "||" || op == "!";
  if (op == "%" && is_float(dtype)) {
    report.help("of floats write `a - b * floor(a / b)`");
  } else if (op == "^" && is_float(dtype)) {
    report.help("`^` is the exclusive or of integers; a power is `pow(a, b)`, and a square `a * a`");
  } else if (logic && !is_bool(dtype)) {
    report.help("compare first: `… != 0`");
  } else if (is_bool(dtype) && (op == "&" || op == "|") && op_span.end - op_span.begin > op.size()) {
    report.help("conditions are joined by `{0}{0}`: `b = b {0}{0} …`", op);  // an assignment, `b &= …`
  } else if (is_bool(dtype) && (op == "&" || op == "|")) {
    report.fix(op_span, op + op, fmt::format("conditions are joined by `{0}{0}`", op));
  } else if (is_bool(dtype) && op == "~") {
    report.fix(op_span, "!", "a condition is negated by `!`");
  } else if (is_bool(dtype)) {
    report.help("make a number of it first: `where(…, 1, 0)`, or count what holds: `count[c](…)`");
  } else if (is_float(dtype)) {
    report.help("it takes integers: convert first, for example `(… as i32)`");
  }
  return poison(span);
}

}  // namespace

Operand check_binary(Context& context, ast::BinaryOp op, const Operand& left, ast::ExprId left_expr,
                     const Operand& right, ast::ExprId right_expr, Span span, Span op_span) {
  if (left.is_poison() || right.is_poison()) return poison(span);
  const Family family = family_of(op);
  if (left.is_number() && right.is_number() && family != Family::coalesce) {
    if (const auto number = apply(op, left.number(), right.number())) return {*number, span};
    if (left.number().is_integer() && right.number().is_integer() &&
        overflows(op, left.number(), right.number())) {
      report_too_large(context, "the result", span, DType::i64);
      return poison(span);
    }
  }
  if (family == Family::logic) {
    for (const Operand* operand : {&left, &right}) {
      const DType own = *own_type(context, *operand);
      if (!is_bool(own)) return refuse_operator(context, ast::spelling(op), own, op_span, span);
    }
  }
  const Meeting meeting = family == Family::coalesce ? Meeting::storage : Meeting::arithmetic;
  const std::optional<DType> type = meeting_type(context, {left, right}, meeting, op_span);
  if (!type) return poison(span);
  if (!accepts(family, *type)) return refuse_operator(context, ast::spelling(op), *type, op_span, span);
  const std::optional<ir::ValueId> a = materialize(context, left, *type),
                                   b = materialize(context, right, *type);
  if (!a || !b) return poison(span);
  if (family == Family::coalesce) return {context.builder.add(ir::Coalesce{*a, *b}, *type, span), span};
  if (const auto fused = contract(context, op, *a, left_expr, *b, right_expr, *type, span))
    return {*fused, span};
  const bool gives_bool = family == Family::equality || family == Family::order;
  return {context.builder.binary(ir_operator(op), *a, *b, gives_bool ? DType::boolean : *type, span), span};
}

Operand check_unary(Context& context, const ast::Unary& node, Span span) {
  const Operand operand = check_expression(context, node.operand);
  if (operand.is_poison()) return poison(span);
  if (operand.is_number()) {
    if (const auto number = apply(node.op, operand.number())) return {*number, span};
  }
  const std::optional<DType> type = meeting_type(context, {operand}, Meeting::arithmetic, span);
  if (!type) return poison(span);
  const bool fits = node.op == ast::UnaryOp::negate        ? !is_bool(*type)
                    : node.op == ast::UnaryOp::logical_not ? is_bool(*type)
                                                           : is_integer(*type);
  if (!fits) return refuse_operator(context, ast::spelling(node.op), *type, node.op_span, span);
  const std::optional<ir::ValueId> value = materialize(context, operand, *type);
  if (!value) return poison(span);
  const ir::UnaryOp op = node.op == ast::UnaryOp::negate        ? ir::UnaryOp::negate
                         : node.op == ast::UnaryOp::logical_not ? ir::UnaryOp::logical_not
                                                                : ir::UnaryOp::bit_not;
  return {context.builder.add(ir::Unary{op, *value}, *type, span), span};
}

Operand check_membership(Context& context, const ast::Membership& node, Span span) {
  const Operand operand = check_expression(context, node.operand);
  Operand result{Number::of_bool(false), span};
  bool first = true;
  for (const ast::SetElement& element : node.elements) {
    const Operand low = check_expression(context, element.value);
    const ast::BinaryOp relation = element.end.valid() ? ast::BinaryOp::greater_equal : ast::BinaryOp::equal;
    Operand inside = check_binary(context, relation, operand, {}, low, {}, low.span, low.span);
    if (element.end.valid()) {
      const Operand end = check_expression(context, element.end);
      const Operand below =
          check_binary(context, ast::BinaryOp::less, operand, {}, end, {}, end.span, end.span);
      inside = check_binary(context, ast::BinaryOp::logical_and, inside, {}, below, {}, low.span, low.span);
    }
    result =
        first ? inside : check_binary(context, ast::BinaryOp::logical_or, result, {}, inside, {}, span, span);
    first = false;
  }
  result.span = span;
  return result;
}

}  // namespace tessera::sema
