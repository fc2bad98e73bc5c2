// SPDX-License-Identifier: Apache-2.0
// Reads operations: the first word says which one.
#include "sema/ir/text_ops.h"

#include <fmt/format.h>

namespace tessera::ir {

namespace {

std::vector<ValueId> read_operands(Lexer& lexer, TextScope& scope) {
  std::vector<ValueId> operands;
  do operands.push_back(scope.value());
  while (lexer.accept(","));
  return operands;
}

/// Exactly `count` operands; the rest of the list is invalid ids after a mistake.
std::vector<ValueId> read_operands(Lexer& lexer, TextScope& scope, size_t count) {
  const Span span = lexer.peek().span;
  std::vector<ValueId> operands = read_operands(lexer, scope);
  if (operands.size() != count) lexer.fail(span, fmt::format("expected {} operands", count));
  operands.resize(count);
  return operands;
}

Op read_fused(Lexer& lexer, TextScope& scope) {
  const std::vector<ValueId> operands = read_operands(lexer, scope, 3);
  FusedMultiplyAdd op{operands[0], operands[1], operands[2]};
  op.negate_product = lexer.accept("negate_product");
  op.negate_addend = lexer.accept("negate_addend");
  return op;
}

Op read_lookup(Lexer& lexer, TextScope& scope) {
  const TableId table = scope.table();
  lexer.expect("[");
  const ValueId index = scope.value();
  lexer.expect("]");
  return Lookup{table, index};
}

Op read_load(Lexer& lexer, TextScope& scope) {
  const TensorId tensor = scope.tensor();
  std::vector<ValueId> indices = read_indices(lexer, scope);
  return Load{tensor, std::move(indices), read_in_bounds(lexer)};
}

Op read_pick(Lexer& lexer, TextScope& scope) {
  lexer.expect("[");
  const AxisId axis = scope.axis();
  lexer.expect("=");
  const int64_t coordinate = lexer.integer();
  lexer.expect("]");
  return Pick{scope.value(), axis, coordinate};
}

Op read_reduce(TextScope& scope, ReduceOp op) {
  std::vector<AxisId> axes = scope.axes();
  return Reduce{op, std::move(axes), scope.value()};
}

Op read_dot(Lexer& lexer, TextScope& scope) {
  Dot op;
  op.axes = scope.axes();
  op.left = scope.value();
  lexer.expect(",");
  op.right = scope.value();
  return op;
}

/// The operations whose operands are values only.
std::optional<Op> read_pointwise(Lexer& lexer, TextScope& scope, const std::string& word) {
  if (word == "cast") return Cast{scope.value()};
  if (word == "select") {
    const std::vector<ValueId> operands = read_operands(lexer, scope, 3);
    return Select{operands[0], operands[1], operands[2]};
  }
  if (word == "filter" || word == "coalesce") {
    const std::vector<ValueId> operands = read_operands(lexer, scope, 2);
    if (word == "filter") return Filter{operands[0], operands[1]};
    return Coalesce{operands[0], operands[1]};
  }
  if (const auto unary = op_from_spelling<UnaryOp>(word)) return Unary{*unary, scope.value()};
  if (const auto binary = op_from_spelling<BinaryOp>(word)) {
    const std::vector<ValueId> operands = read_operands(lexer, scope, 2);
    return Binary{*binary, operands[0], operands[1]};
  }
  if (const auto function = op_from_spelling<MathFunction>(word)) {
    return Math{*function, read_operands(lexer, scope)};
  }
  return std::nullopt;
}

}  // namespace

Literal read_literal(Lexer& lexer, DType dtype) {
  Literal literal;
  if (is_float(dtype)) {
    literal.real = lexer.real();
  } else {
    literal.integer = lexer.integer();
  }
  return literal;
}

std::vector<ValueId> read_indices(Lexer& lexer, TextScope& scope) {
  lexer.expect("[");
  if (lexer.accept("]")) return {};
  std::vector<ValueId> indices = read_operands(lexer, scope);
  lexer.expect("]");
  return indices;
}

uint32_t read_in_bounds(Lexer& lexer) {
  uint32_t bits = 0;
  if (!lexer.accept("in_bounds")) return bits;
  lexer.expect("(");
  do {
    const Span span = lexer.peek().span;
    const int64_t dimension = lexer.integer();
    if (dimension < 0 || dimension >= 32) {
      lexer.fail(span, "a tensor has no such dimension");
      return 0;
    }
    bits |= uint32_t{1} << dimension;
  } while (lexer.accept(","));
  lexer.expect(")");
  return bits;
}

Op read_op(Lexer& lexer, TextScope& scope, DType dtype) {
  const Token token = lexer.peek();
  const std::string word = lexer.name("an operation");
  if (word == "constant") return Constant{read_literal(lexer, dtype)};
  if (word == "coordinate") return Coordinate{scope.axis()};
  if (word == "extent") return Extent{scope.size()};
  if (word == "argument") return ScalarArgument{scope.scalar()};
  if (word == "lookup") return read_lookup(lexer, scope);
  if (word == "load") return read_load(lexer, scope);
  if (word == "read") return ReadVariable{scope.variable()};
  if (word == "fma") return read_fused(lexer, scope);
  if (word == "dot") return read_dot(lexer, scope);
  if (word == "pick") return read_pick(lexer, scope);
  if (const auto reduce = op_from_spelling<ReduceOp>(word)) return read_reduce(scope, *reduce);
  if (std::optional<Op> op = read_pointwise(lexer, scope, word)) return std::move(*op);
  lexer.fail(token.span, fmt::format("`{}` is not an operation", word));
  return Constant{};
}

}  // namespace tessera::ir
