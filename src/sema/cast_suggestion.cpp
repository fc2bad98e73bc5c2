// SPDX-License-Identifier: Apache-2.0
// Where an `as` belongs.
#include "sema/cast_suggestion.h"

namespace tessera::sema {

namespace {

/// Whether arithmetic of `own` wraps where that of `dtype` would not.
bool wraps_before(DType own, DType dtype) {
  if (!is_integer(own)) return false;
  return is_integer(dtype) ? info(own).bits < info(dtype).bits : is_float(dtype) && info(own).bits < 32;
}

bool is_wrapping(ast::BinaryOp op) {
  return op == ast::BinaryOp::add || op == ast::BinaryOp::subtract || op == ast::BinaryOp::multiply ||
         op == ast::BinaryOp::shift_left;
}

/// The operand of `sum[c](…)` or `prod[c](…)`; not valid for anything else.
ast::ExprId folded_operand(const Context& context, const ast::Expr& expr) {
  const auto* call = std::get_if<ast::Call>(&expr.node);
  if (call == nullptr || !call->axes || call->arguments.size() != 1) return {};
  const auto* callee = std::get_if<ast::NameRef>(&context.expr(call->callee).node);
  const bool wraps = callee != nullptr && (callee->name == "sum" || callee->name == "prod");
  return wraps ? call->arguments[0].value : ast::ExprId{};
}

bool is_arithmetic(const ast::Expr& expr) {
  const auto* binary = std::get_if<ast::Binary>(&expr.node);
  return binary != nullptr && is_wrapping(binary->op);
}

bool is_integer_literal(const Context& context, ast::ExprId id) {
  return std::holds_alternative<ast::IntegerLiteral>(context.expr(id).node);
}

/// `where(c, 1, 2)`, `max(1, 2)`: integers for no other reason than the way their literals are written.
bool chooses_literals(const Context& context, const ast::Expr& expr) {
  const auto* call = std::get_if<ast::Call>(&expr.node);
  if (call == nullptr || call->axes || call->arguments.size() < 2) return false;
  const auto* callee = std::get_if<ast::NameRef>(&context.expr(call->callee).node);
  const bool has_condition = callee != nullptr && callee->name == "where";
  for (std::size_t i = has_condition ? 1 : 0; i < call->arguments.size(); ++i) {
    if (!is_integer_literal(context, call->arguments[i].value)) return false;
  }
  return true;
}

bool is_dot(const Context& context, const ast::Expr& expr) {
  const auto* call = std::get_if<ast::Call>(&expr.node);
  const auto* callee =
      call != nullptr ? std::get_if<ast::NameRef>(&context.expr(call->callee).node) : nullptr;
  return callee != nullptr && callee->name == "dot";
}

}  // namespace

void suggest_cast(const Context& context, DiagnosticBuilder& report, ast::ExprId written, Span span,
                  DType own, DType dtype) {
  const std::string wanted(spelling(dtype));
  const bool wraps = wraps_before(own, dtype);
  if (written.valid()) {
    const ast::Expr& expr = context.expr(written);
    if (const auto* cast = std::get_if<ast::Cast>(&expr.node)) {
      report.fix(cast->type.span, wanted, fmt::format("convert to `{}` instead", wanted));
      return;
    }
    if (is_float(dtype) && chooses_literals(context, expr))
      report.help("write its literals as reals, for example `1.0`");
    const ast::ExprId folded = wraps ? folded_operand(context, expr) : ast::ExprId{};
    if (folded.valid()) {
      report.note("sums and products of `{0}` are `{0}` and wrap; converting them afterwards comes too late",
                  spelling(own));
      return suggest_cast(context, report, folded, context.expr(folded).span, own, dtype);
    }
    const auto* quotient = std::get_if<ast::Binary>(&expr.node);
    if (is_integer(own) && is_float(dtype) && quotient != nullptr && quotient->op == ast::BinaryOp::divide) {
      report.note("`/` of `{}` rounds down; converting it afterwards comes too late", spelling(own))
          .help("convert its operands: `(… as {0})`; to keep the rounded quotient write `as {0}` behind it",
                wanted);
      return;
    }
    if (wraps && is_arithmetic(expr)) {
      report.note("arithmetic of `{0}` gives `{0}` and wraps; converting it afterwards comes too late",
                  spelling(own));
      report.help("convert its operands: `(… as {})`", wanted);
      return;
    }
  }
  if (own == DType::i32 && dtype == DType::f32 && written.valid() && is_dot(context, context.expr(written)))
    report.note(
        "these sums are exact in `i32`, and rounded in `f32` from 2^24 on: best add them up in a variable "
        "of `i32`, and convert that");
  const Span end{span.file, span.end, span.end};
  report.fix(end, fmt::format(" as {}", wanted), fmt::format("say so: `as {}`", wanted));
}

}  // namespace tessera::sema
