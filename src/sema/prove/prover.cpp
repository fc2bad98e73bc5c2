// SPDX-License-Identifier: Apache-2.0
// Existence of values, by structure.
#include "sema/prove/prover.h"

#include <algorithm>
#include <set>
#include <utility>

namespace tessera::sema {

namespace {

/// Coordinates of a reduced window that are tried as witnesses, all axes together.
constexpr int kWitnessBudget = 512;
constexpr std::int64_t kCoordinatesTried = 64;

bool mentions(const ir::Affine& form, const std::vector<ir::AxisId>& axes) {
  return std::any_of(form.terms.begin(), form.terms.end(), [&](const auto& term) {
    return std::find(axes.begin(), axes.end(), term.first) != axes.end();
  });
}

/// Reductions that give something even of nothing.
bool has_unit(ir::ReduceOp op) {
  using ir::ReduceOp;
  return op != ReduceOp::max && op != ReduceOp::min && op != ReduceOp::argmax && op != ReduceOp::argmin;
}

}  // namespace

bool Prover::exists(ir::ValueId value, const Situation& situation) {
  Memo memo;
  // Operands first, in the order of definition: a long chain of operations must not become a deep recursion.
  for (const ir::ValueId operand : required_operands(value)) {
    if (!exists(operand, situation, memo)) return false;
  }
  return exists(value, situation, memo);
}

/// What a value certainly needs: the operands below it through operations that exist only where all operands do.
/// Ascending; without what is total anyway.
std::vector<ir::ValueId> Prover::required_operands(ir::ValueId value) const {
  std::set<ir::ValueId> required;
  std::vector<ir::ValueId> work{value};
  while (!work.empty()) {
    const ir::Op& op = kernel_.values[work.back()].op;
    work.pop_back();
    const bool needs_all = std::holds_alternative<ir::Unary>(op) || std::holds_alternative<ir::Binary>(op) ||
                           std::holds_alternative<ir::FusedMultiplyAdd>(op) ||
                           std::holds_alternative<ir::Math>(op) || std::holds_alternative<ir::Cast>(op) ||
                           std::holds_alternative<ir::Load>(op) || std::holds_alternative<ir::Filter>(op);
    if (!needs_all) continue;
    for (const ir::ValueId operand : ir::operands_of(op)) {
      if (!kernel_.values[operand].total && required.insert(operand).second) work.push_back(operand);
    }
  }
  return {required.begin(), required.end()};
}

std::optional<std::vector<ir::Affine>> Prover::conditions_of_existence(ir::ValueId value,
                                                                       const Situation& situation) {
  std::vector<ir::Affine> conditions;
  collected_ = &conditions;
  const bool proved = exists(value, situation);
  collected_ = nullptr;
  if (!proved) return std::nullopt;
  return conditions;
}

bool Prover::exists(ir::ValueId value, const Situation& situation, Memo& memo) {
  if (kernel_.values[value].total) return true;
  const auto known = memo.find(value);
  if (known != memo.end()) return known->second;
  const bool result = exists_op(value, situation, memo);
  memo.emplace(value, result);
  return result;
}

bool Prover::exists_op(ir::ValueId id, const Situation& situation, Memo& memo) {
  const ir::Op& op = kernel_.values[id].op;
  if (const auto* load = std::get_if<ir::Load>(&op)) return load_exists(*load, id, situation, memo);
  if (const auto* select = std::get_if<ir::Select>(&op)) return select_exists(*select, situation, memo);
  if (const auto* reduce = std::get_if<ir::Reduce>(&op)) {
    if (has_unit(reduce->op) || has_witness(*reduce, situation)) return true;
    absence_ = Absence{id, -1, false};
    return false;
  }
  if (std::holds_alternative<ir::Dot>(op)) return true;  // of nothing it is 0
  if (const auto* lookup = std::get_if<ir::Lookup>(&op)) {
    const auto count = static_cast<std::int64_t>(kernel_.tables[lookup->table].elements.size());
    const bool found = exists(lookup->index, situation, memo) &&
                       inside(lookup->index, kernel_.sizes.constant(count), situation);
    if (!found) absence_ = Absence{id, -1, false};
    return found;
  }
  if (const auto* filter = std::get_if<ir::Filter>(&op)) {
    if (!exists(filter->condition, situation, memo) || !exists(filter->operand, situation, memo))
      return false;
    if (implied(filter->condition, true, situation)) return true;
    absence_ = Absence{id, -1, false};
    return false;
  }
  if (const auto* coalesce = std::get_if<ir::Coalesce>(&op)) {
    std::vector<ir::Affine>* const collected = std::exchange(collected_, nullptr);
    const bool either = exists(coalesce->fallback, situation) || exists(coalesce->operand, situation);
    collected_ = collected;
    return either || (collected_ != nullptr && exists(coalesce->fallback, situation, memo));
  }
  if (const auto* pick = std::get_if<ir::Pick>(&op)) {
    Situation picked = situation;
    picked.pins[pick->axis] = kernel_.sizes.constant(pick->coordinate);
    return exists(pick->operand, picked);
  }
  const std::vector<ir::ValueId> operands = ir::operands_of(op);
  return std::all_of(operands.begin(), operands.end(),
                     [&](ir::ValueId operand) { return exists(operand, situation, memo); });
}

bool Prover::load_exists(const ir::Load& op, ir::ValueId value, const Situation& situation, Memo& memo) {
  const ir::Tensor& tensor = kernel_.tensors[op.tensor];
  for (std::size_t i = 0; i < op.indices.size(); ++i) {
    if (!exists(op.indices[i], situation, memo)) return false;
    const ir::SizeId extent = tensor.dims[i];
    if (tensor.periodic) {
      if (facts_.nonnegative(kernel_.sizes.subtract(extent, kernel_.sizes.constant(1)))) continue;
      absence_ = Absence{value, static_cast<int>(i), false};
      return false;
    }
    if ((op.in_bounds >> i & 1) != 0) continue;
    if (!at_least_zero(op.indices[i], situation)) {
      absence_ = Absence{value, static_cast<int>(i), true};
      return false;
    }
    if (!below(op.indices[i], extent, situation)) {
      absence_ = Absence{value, static_cast<int>(i), false};
      return false;
    }
  }
  return true;
}

bool Prover::select_exists(const ir::Select& op, const Situation& situation, Memo& memo) {
  if (!exists(op.condition, situation, memo)) return false;
  std::vector<ir::Affine>* const collected = std::exchange(collected_, nullptr);
  const bool always = implied(op.condition, true, situation), never = implied(op.condition, false, situation);
  collected_ = collected;
  if (always) return exists(op.if_true, situation, memo);
  if (never) return exists(op.if_false, situation, memo);
  collected_ = nullptr;
  Situation holds = situation, fails = situation;
  assume(op.condition, true, holds);
  assume(op.condition, false, fails);
  const bool both = exists(op.if_true, holds) && exists(op.if_false, fails);
  collected_ = collected;
  return both;
}

bool Prover::has_witness(const ir::Reduce& op, const Situation& situation) {
  Situation inner = situation;
  std::erase_if(inner.facts, [&](const ir::Affine& fact) { return mentions(fact, op.axes); });
  std::vector<ir::Affine>* const collected = std::exchange(collected_, nullptr);
  int budget = kWitnessBudget;
  const bool found = try_witnesses(op, 0, inner, budget);
  collected_ = collected;
  return found;
}

/// Pins the reduced axes from `position` on to coordinates until the operand provably exists at one point.
bool Prover::try_witnesses(const ir::Reduce& op, std::size_t position, Situation& situation, int& budget) {
  if (position == op.axes.size()) return --budget >= 0 && exists(op.operand, situation);
  const ir::Axis& axis = kernel_.axes[op.axes[position]];
  const bool is_tile_of_loop = axis.kind != ir::AxisKind::let;
  if (is_tile_of_loop) {  // a tile holds at least one coordinate, and it may be any
    situation.pins.erase(op.axes[position]);
    return try_witnesses(op, position + 1, situation, budget);
  }
  ir::SizeTable& sizes = kernel_.sizes;
  const ir::SizeId last = sizes.subtract(axis.upper, sizes.constant(1));
  if (!facts_.at_most(axis.lower, last)) return false;
  std::vector<ir::SizeId> candidates{axis.lower, last};
  const auto low = sizes.as_constant(axis.lower), high = sizes.as_constant(axis.upper);
  if (low && high && *high - *low <= kCoordinatesTried) {
    for (std::int64_t i = *low + 1; i + 1 < *high; ++i) candidates.push_back(sizes.constant(i));
  }
  for (const ir::SizeId candidate : candidates) {
    if (budget <= 0) return false;
    situation.pins[op.axes[position]] = candidate;
    if (try_witnesses(op, position + 1, situation, budget)) return true;
  }
  return false;
}

bool Prover::inside(ir::ValueId index, ir::SizeId extent, const Situation& situation) {
  return at_least_zero(index, situation) && below(index, extent, situation);
}

/// The size that a value is at every point.
std::optional<ir::SizeId> Prover::constant_form(ir::ValueId id, const Situation& situation) {
  const auto affine = form(id, situation);
  return affine && affine->terms.empty() ? std::optional(affine->offset) : std::nullopt;
}

/// Arithmetic of fewer than 64 bits is modular (R25).
bool Prover::may_wrap(ir::ValueId id) const { return info(kernel_.values[id].dtype).bits < 64; }

/// True if a cast of integers changes no value that is not negative.
bool Prover::keeps_value(const ir::Cast& cast, ir::ValueId id, const Situation& situation) {
  const DType from = kernel_.values[cast.operand].dtype, to = kernel_.values[id].dtype;
  if (!is_integer(from)) return false;
  if (info(to).bits > info(from).bits) return true;
  if (info(to).bits == info(from).bits && !is_unsigned_integer(from)) return true;
  if (info(to).bits == 64) return false;
  const ir::SizeId limit = kernel_.sizes.constant(std::int64_t{1} << (info(to).bits - 1));
  return at_least_zero(cast.operand, situation) && below(cast.operand, limit, situation);
}

/// An integer value that cannot be negative.
bool Prover::at_least_zero(ir::ValueId id, const Situation& situation) {
  if (const auto affine = form(id, situation)) return holds(*affine, situation);
  const ir::Op& op = kernel_.values[id].op;
  if (const auto* binary = std::get_if<ir::Binary>(&op)) {
    switch (binary->op) {
      case ir::BinaryOp::maximum:
        return at_least_zero(binary->left, situation) || at_least_zero(binary->right, situation);
      case ir::BinaryOp::subtract: {
        const auto left = constant_form(binary->left, situation);
        return left && !may_wrap(id) &&
               below(binary->right, kernel_.sizes.add(*left, kernel_.sizes.constant(1)), situation);
      }
      case ir::BinaryOp::add:
      case ir::BinaryOp::multiply:
        return !may_wrap(id) && at_least_zero(binary->left, situation) &&
               at_least_zero(binary->right, situation);
      case ir::BinaryOp::divide:
      case ir::BinaryOp::minimum:
        return at_least_zero(binary->left, situation) && at_least_zero(binary->right, situation);
      case ir::BinaryOp::modulo: return at_least_zero(binary->right, situation);
      default: return false;
    }
  }
  if (const auto* select = std::get_if<ir::Select>(&op)) {
    Situation holds = situation, fails = situation;
    assume(select->condition, true, holds);
    assume(select->condition, false, fails);
    return at_least_zero(select->if_true, holds) && at_least_zero(select->if_false, fails);
  }
  if (const auto* reduce = std::get_if<ir::Reduce>(&op)) {
    const bool selects = reduce->op == ir::ReduceOp::min || reduce->op == ir::ReduceOp::max;
    return reduce->op == ir::ReduceOp::count || (selects && at_least_zero(reduce->operand, situation));
  }
  if (const auto* lookup = std::get_if<ir::Lookup>(&op)) {
    const std::vector<ir::Literal>& elements = kernel_.tables[lookup->table].elements;
    return std::all_of(elements.begin(), elements.end(), [](const ir::Literal& e) { return e.integer >= 0; });
  }
  if (const auto* cast = std::get_if<ir::Cast>(&op)) {
    return keeps_value(*cast, id, situation) && at_least_zero(cast->operand, situation);
  }
  return false;
}

/// An integer value that stays under a bound.
bool Prover::below(ir::ValueId id, ir::SizeId bound, const Situation& situation) {
  ir::SizeTable& sizes = kernel_.sizes;
  if (const auto affine = form(id, situation)) {
    const ir::Affine room = sum({sizes.subtract(bound, sizes.constant(1)), {}}, *affine, -1);
    return holds(room, situation);
  }
  const ir::Op& op = kernel_.values[id].op;
  if (const auto* binary = std::get_if<ir::Binary>(&op)) {
    switch (binary->op) {
      case ir::BinaryOp::minimum:
        return below(binary->left, bound, situation) || below(binary->right, bound, situation);
      case ir::BinaryOp::maximum:
        return below(binary->left, bound, situation) && below(binary->right, bound, situation);
      case ir::BinaryOp::add: {
        const auto left = constant_form(binary->left, situation);
        const auto right = constant_form(binary->right, situation);
        if (may_wrap(id) || (!left && !right)) return false;
        return below(left ? binary->right : binary->left, sizes.subtract(bound, left ? *left : *right),
                     situation);
      }
      case ir::BinaryOp::subtract:
        return !may_wrap(id) && at_least_zero(binary->right, situation) &&
               below(binary->left, bound, situation);
      case ir::BinaryOp::modulo: {
        const auto divisor = constant_form(binary->right, situation);
        return divisor && facts_.at_most(sizes.constant(1), *divisor) && facts_.at_most(*divisor, bound);
      }
      case ir::BinaryOp::divide: {
        const auto divisor = constant_form(binary->right, situation);
        return divisor && facts_.at_most(sizes.constant(1), *divisor) &&
               below(binary->left, sizes.multiply(bound, *divisor), situation);
      }
      default: return false;
    }
  }
  if (const auto* select = std::get_if<ir::Select>(&op)) {
    Situation holds = situation, fails = situation;
    assume(select->condition, true, holds);
    assume(select->condition, false, fails);
    return below(select->if_true, bound, holds) && below(select->if_false, bound, fails);
  }
  if (const auto* reduce = std::get_if<ir::Reduce>(&op)) {
    const bool selects = reduce->op == ir::ReduceOp::min || reduce->op == ir::ReduceOp::max;
    return selects && below(reduce->operand, bound, situation);
  }
  if (const auto* lookup = std::get_if<ir::Lookup>(&op)) {
    const std::vector<ir::Literal>& elements = kernel_.tables[lookup->table].elements;
    return std::all_of(elements.begin(), elements.end(), [&](const ir::Literal& element) {
      return facts_.at_most(sizes.constant(element.integer + 1), bound);
    });
  }
  if (const auto* cast = std::get_if<ir::Cast>(&op)) {
    return keeps_value(*cast, id, situation) && below(cast->operand, bound, situation);
  }
  return false;
}

/// Proves a comparison, or collects it as a condition.
bool Prover::holds(const ir::Affine& form, const Situation& situation) {
  if (nonnegative(form, situation)) return true;
  if (collected_ == nullptr || form.terms.empty()) return false;
  collected_->push_back(form);
  return true;
}

}  // namespace tessera::sema
