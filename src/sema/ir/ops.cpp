// SPDX-License-Identifier: Apache-2.0
// Operands and spellings of the operations.
#include "sema/ir/ops.h"

#include <iterator>

#include "base/check.h"

namespace tessera::ir {

namespace {

// In the order of the enumerators.
constexpr std::string_view kUnaryOps[] = {"negate", "not",   "bit_not",  "abs",        "floor",
                                          "ceil",   "round", "truncate", "round_tf32", "split"};

constexpr std::string_view kBinaryOps[] = {
    "add",     "subtract",  "multiply", "divide",     "modulo",      "minimum",      "maximum",
    "bit_and", "bit_or",    "bit_xor",  "shift_left", "shift_right", "and",          "or",
    "equal",   "not_equal", "less",     "less_equal", "greater",     "greater_equal"};

constexpr std::string_view kMathFunctions[] = {
    "exp",  "exp2", "expm1",   "log",  "log2",      "log1p", "sqrt", "rsqrt", "sin",      "cos",
    "tanh", "erf",  "sigmoid", "gelu", "gelu_tanh", "silu",  "relu", "pow",   "exp_fast", "exp2_fast"};

constexpr std::string_view kReduceOps[] = {"reduce_sum",   "reduce_prod",   "reduce_max",
                                           "reduce_min",   "reduce_any",    "reduce_all",
                                           "reduce_count", "reduce_argmax", "reduce_argmin"};

static_assert(std::size(kUnaryOps) == static_cast<size_t>(UnaryOp::split) + 1);
static_assert(std::size(kBinaryOps) == static_cast<size_t>(BinaryOp::greater_equal) + 1);
static_assert(std::size(kMathFunctions) == static_cast<size_t>(MathFunction::exp2_fast) + 1);
static_assert(std::size(kReduceOps) == static_cast<size_t>(ReduceOp::argmin) + 1);

template <typename OpT, size_t kCount>
std::string spelled(const std::string_view (&table)[kCount], OpT op) {
  const auto index = static_cast<size_t>(op);
  TESSERA_CHECK(index < kCount, "an operation has a spelling");
  return std::string(table[index]);
}

template <typename OpT, size_t kCount>
std::optional<OpT> found(const std::string_view (&table)[kCount], std::string_view text) {
  for (size_t index = 0; index < kCount; ++index) {
    if (table[index] == text) return static_cast<OpT>(index);
  }
  return std::nullopt;
}

struct Operands {
  using Values = std::vector<ValueId>;

  Values operator()(const Constant&) const { return {}; }
  Values operator()(const Coordinate&) const { return {}; }
  Values operator()(const Extent&) const { return {}; }
  Values operator()(const ScalarArgument&) const { return {}; }
  Values operator()(const Lookup& op) const { return {op.index}; }
  Values operator()(const Load& op) const { return op.indices; }
  Values operator()(const ReadVariable&) const { return {}; }
  Values operator()(const Unary& op) const { return {op.operand}; }
  Values operator()(const Binary& op) const { return {op.left, op.right}; }
  Values operator()(const FusedMultiplyAdd& op) const { return {op.a, op.b, op.c}; }
  Values operator()(const Math& op) const { return op.arguments; }
  Values operator()(const Cast& op) const { return {op.operand}; }
  Values operator()(const Select& op) const { return {op.condition, op.if_true, op.if_false}; }
  Values operator()(const Filter& op) const { return {op.condition, op.operand}; }
  Values operator()(const Coalesce& op) const { return {op.operand, op.fallback}; }
  Values operator()(const Reduce& op) const { return {op.operand}; }
  Values operator()(const Dot& op) const { return {op.left, op.right}; }
  Values operator()(const Pick& op) const { return {op.operand}; }
};

}  // namespace

std::vector<ValueId> operands_of(const Op& op) { return std::visit(Operands{}, op); }

DType sum_type(DType factor) {
  const bool is_narrow_integer = is_integer(factor) && size_in_bytes(factor) < 4;
  return is_narrow_integer ? DType::i32 : arithmetic_type(factor);
}

std::vector<AxisId> folded_axes(const Op& op) {
  if (const auto* reduce = std::get_if<Reduce>(&op)) return reduce->axes;
  if (const auto* dot = std::get_if<Dot>(&op)) return dot->axes;
  return {};
}

std::string spelling(UnaryOp op) { return spelled(kUnaryOps, op); }
std::string spelling(BinaryOp op) { return spelled(kBinaryOps, op); }
std::string spelling(MathFunction function) { return spelled(kMathFunctions, function); }
std::string spelling(ReduceOp op) { return spelled(kReduceOps, op); }

template <>
std::optional<UnaryOp> op_from_spelling(std::string_view text) {
  return found<UnaryOp>(kUnaryOps, text);
}
template <>
std::optional<BinaryOp> op_from_spelling(std::string_view text) {
  return found<BinaryOp>(kBinaryOps, text);
}
template <>
std::optional<MathFunction> op_from_spelling(std::string_view text) {
  return found<MathFunction>(kMathFunctions, text);
}
template <>
std::optional<ReduceOp> op_from_spelling(std::string_view text) {
  return found<ReduceOp>(kReduceOps, text);
}

}  // namespace tessera::ir
