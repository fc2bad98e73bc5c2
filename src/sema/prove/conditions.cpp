// SPDX-License-Identifier: Apache-2.0
// The prover's part about conditions: what they imply, and when they hold.
#include <utility>

#include "sema/ir/integer.h"
#include "sema/prove/prover.h"

namespace tessera::sema {

namespace {

using ir::BinaryOp;

BinaryOp negated(BinaryOp op) {
  switch (op) {
    case BinaryOp::equal: return BinaryOp::not_equal;
    case BinaryOp::not_equal: return BinaryOp::equal;
    case BinaryOp::less: return BinaryOp::greater_equal;
    case BinaryOp::less_equal: return BinaryOp::greater;
    case BinaryOp::greater: return BinaryOp::less_equal;
    case BinaryOp::greater_equal: return BinaryOp::less;
    default: return op;
  }
}

std::optional<std::int64_t> compute(BinaryOp op, std::int64_t a, std::int64_t b) {
  switch (op) {
    case BinaryOp::add: return ir::wrapping_add(a, b);
    case BinaryOp::subtract: return ir::wrapping_subtract(a, b);
    case BinaryOp::multiply: return ir::wrapping_multiply(a, b);
    case BinaryOp::divide: return ir::floor_divide(a, b);
    case BinaryOp::modulo: return ir::floor_modulo(a, b);
    case BinaryOp::minimum: return a < b ? a : b;
    case BinaryOp::maximum: return a < b ? b : a;
    case BinaryOp::logical_and: return a != 0 && b != 0 ? 1 : 0;
    case BinaryOp::logical_or: return a != 0 || b != 0 ? 1 : 0;
    case BinaryOp::equal: return a == b ? 1 : 0;
    case BinaryOp::not_equal: return a != b ? 1 : 0;
    case BinaryOp::less: return a < b ? 1 : 0;
    case BinaryOp::less_equal: return a <= b ? 1 : 0;
    case BinaryOp::greater: return a > b ? 1 : 0;
    case BinaryOp::greater_equal: return a >= b ? 1 : 0;
    default: return std::nullopt;
  }
}

}  // namespace

/// The value of an integer or a condition where the pins decide it.
std::optional<std::int64_t> Prover::evaluate(ir::ValueId id, const Situation& situation) {
  const ir::Value& value = kernel_.values[id];
  if (is_float(value.dtype)) return std::nullopt;
  if (const auto* constant = std::get_if<ir::Constant>(&value.op)) return constant->value.integer;
  if (is_integer(value.dtype)) {
    const auto affine = form(id, situation);
    if (affine && affine->terms.empty()) return kernel_.sizes.as_constant(affine->offset);
  }
  if (const auto* lookup = std::get_if<ir::Lookup>(&value.op)) {
    const std::vector<ir::Literal>& elements = kernel_.tables[lookup->table].elements;
    const auto index = evaluate(lookup->index, situation);
    if (!index || *index < 0 || static_cast<std::size_t>(*index) >= elements.size()) return std::nullopt;
    return elements[static_cast<std::size_t>(*index)].integer;
  }
  if (const auto* binary = std::get_if<ir::Binary>(&value.op)) {
    const bool exact = is_bool(value.dtype) || info(value.dtype).bits == 64;
    if (!exact || is_float(kernel_.values[binary->left].dtype)) return std::nullopt;
    const auto left = evaluate(binary->left, situation), right = evaluate(binary->right, situation);
    return left && right ? compute(binary->op, *left, *right) : std::nullopt;
  }
  if (const auto* unary = std::get_if<ir::Unary>(&value.op); unary && unary->op == ir::UnaryOp::logical_not) {
    const auto operand = evaluate(unary->operand, situation);
    return operand ? std::optional<std::int64_t>(*operand == 0 ? 1 : 0) : std::nullopt;
  }
  return std::nullopt;
}

bool Prover::implied(ir::ValueId condition, bool wanted, const Situation& situation) {
  if (const auto constant = evaluate(condition, situation)) return (*constant != 0) == wanted;
  const ir::Op& op = kernel_.values[condition].op;
  if (const auto* unary = std::get_if<ir::Unary>(&op); unary && unary->op == ir::UnaryOp::logical_not) {
    return implied(unary->operand, !wanted, situation);
  }
  const auto* binary = std::get_if<ir::Binary>(&op);
  if (binary == nullptr) return false;
  if (wanted && binary->op == BinaryOp::greater && counts_something(*binary, situation)) return true;
  const bool is_and = binary->op == BinaryOp::logical_and, is_or = binary->op == BinaryOp::logical_or;
  if (is_and || is_or) {
    if (is_and == wanted)
      return implied(binary->left, wanted, situation) && implied(binary->right, wanted, situation);
    std::vector<ir::Affine>* const collected = std::exchange(collected_, nullptr);
    const bool either = implied(binary->left, wanted, situation) || implied(binary->right, wanted, situation);
    collected_ = collected;
    return either;
  }
  return is_comparison(binary->op) && comparison_implied(*binary, wanted, situation);
}

/// `count[c](x) > 0`: one element of x exists.
bool Prover::counts_something(const ir::Binary& op, const Situation& situation) {
  const auto* reduce = std::get_if<ir::Reduce>(&kernel_.values[op.left].op);
  const auto* zero = std::get_if<ir::Constant>(&kernel_.values[op.right].op);
  if (reduce == nullptr || reduce->op != ir::ReduceOp::count || zero == nullptr || zero->value.integer != 0)
    return false;
  return has_witness(*reduce, situation);
}

bool Prover::comparison_implied(const ir::Binary& op, bool wanted, const Situation& situation) {
  const auto left = form(op.left, situation), right = form(op.right, situation);
  if (!left || !right) return false;
  const ir::Affine one{kernel_.sizes.constant(1), {}};
  const ir::Affine rise = sum(*right, *left, -1), fall = sum(*left, *right, -1);
  const ir::Affine strict_rise = sum(rise, one, -1), strict_fall = sum(fall, one, -1);
  switch (wanted ? op.op : negated(op.op)) {
    case BinaryOp::less: return holds(strict_rise, situation);
    case BinaryOp::less_equal: return holds(rise, situation);
    case BinaryOp::greater: return holds(strict_fall, situation);
    case BinaryOp::greater_equal: return holds(fall, situation);
    case BinaryOp::equal: return holds(rise, situation) && holds(fall, situation);
    case BinaryOp::not_equal:
      return nonnegative(strict_rise, situation) || nonnegative(strict_fall, situation);
    default: return false;
  }
}

void Prover::assume(ir::ValueId condition, bool wanted, Situation& situation) {
  const ir::Op& op = kernel_.values[condition].op;
  if (const auto* unary = std::get_if<ir::Unary>(&op); unary && unary->op == ir::UnaryOp::logical_not) {
    return assume(unary->operand, !wanted, situation);
  }
  const auto* binary = std::get_if<ir::Binary>(&op);
  if (binary == nullptr) return;
  if (binary->op == BinaryOp::logical_and || binary->op == BinaryOp::logical_or) {
    if ((binary->op == BinaryOp::logical_and) != wanted) return;
    assume(binary->left, wanted, situation);
    assume(binary->right, wanted, situation);
    return;
  }
  if (!is_comparison(binary->op)) return;
  const auto left = form(binary->left, situation), right = form(binary->right, situation);
  if (!left || !right) return;
  const ir::Affine one{kernel_.sizes.constant(1), {}};
  const ir::Affine rise = sum(*right, *left, -1), fall = sum(*left, *right, -1);
  switch (wanted ? binary->op : negated(binary->op)) {
    case BinaryOp::less: situation.facts.push_back(sum(rise, one, -1)); break;
    case BinaryOp::less_equal: situation.facts.push_back(rise); break;
    case BinaryOp::greater: situation.facts.push_back(sum(fall, one, -1)); break;
    case BinaryOp::greater_equal: situation.facts.push_back(fall); break;
    case BinaryOp::equal:
      situation.facts.push_back(rise);
      situation.facts.push_back(fall);
      break;
    case BinaryOp::not_equal:
      // At the end of a range, "not this one" means "beyond it".
      if (nonnegative(rise, situation)) situation.facts.push_back(sum(rise, one, -1));
      if (nonnegative(fall, situation)) situation.facts.push_back(sum(fall, one, -1));
      break;
    default: break;
  }
}

}  // namespace tessera::sema
