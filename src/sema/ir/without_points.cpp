// SPDX-License-Identifier: Apache-2.0
// An interpretation of values that knows little: what is absent, what is a unit, what a variable held before.
#include "sema/ir/without_points.h"

#include <algorithm>
#include <set>

namespace tessera::ir {

namespace {

/// What is known of a value. A float sum of nothing is a zero, and adding it changes no number.
struct State {
  enum class Kind { unknown, absent, zero, one, held };
  Kind kind = Kind::unknown;
  VariableId variable;  // whose value is `held`
};
using Kind = State::Kind;

bool contains(const std::vector<Conjunct>& conjuncts, const Conjunct& conjunct) {
  return std::find(conjuncts.begin(), conjuncts.end(), conjunct) != conjuncts.end();
}

class Interpretation {
 public:
  /// `never` holds nowhere. Reads of variables inside of `body`, if there is one, give what a round began with.
  Interpretation(const Kernel& kernel, SizeTable& sizes, const Conjunct& never, const Block* body)
      : kernel_(kernel), sizes_(sizes), never_(never) {
    if (body != nullptr) collect(*body);
    states_.reserve(kernel.values.size());
    for (size_t i = 0; i < kernel.values.size(); ++i) {
      const Value& value = kernel.values[kernel.values.id_at(i)];
      states_.push_back(of(kernel.values.id_at(i), value));
    }
  }

  bool is_absent(ValueId id) const { return state(id).kind == Kind::absent; }

  /// A round that assigns nothing new and stores nothing.
  bool has_no_effect(const Block& block) const {
    return std::all_of(block.begin(), block.end(), [this](const Statement& statement) {
      if (const auto* loop = std::get_if<Loop>(&statement.node)) return has_no_effect(loop->body);
      if (const auto* write = std::get_if<Write>(&statement.node)) return is_absent(write->value);
      const auto* assign = std::get_if<Assign>(&statement.node);
      if (assign == nullptr || declared_.contains(assign->variable)) return true;
      const State& value = state(assign->value);
      return value.kind == Kind::absent ||
             (value.kind == Kind::held && value.variable == assign->variable && assign->picks.empty());
    });
  }

 private:
  const State& state(ValueId id) const { return states_[id.index()]; }

  void collect(const Block& block) {
    for (const Statement& statement : block) {
      if (const auto* loop = std::get_if<Loop>(&statement.node)) collect(loop->body);
      if (const auto* define = std::get_if<Define>(&statement.node)) inside_.insert(define->value);
      if (const auto* declare = std::get_if<Declare>(&statement.node)) declared_.insert(declare->variable);
    }
  }

  State of(ValueId id, const Value& value) const {
    if (const auto* constant = std::get_if<Constant>(&value.op)) return of(*constant, value.dtype);
    if (const auto* read = std::get_if<ReadVariable>(&value.op))
      return inside_.contains(id) ? State{Kind::held, read->variable} : State{};
    if (const auto* coalesce = std::get_if<Coalesce>(&value.op))
      return is_absent(coalesce->operand) ? state(coalesce->fallback) : State{};
    if (const auto* reduce = std::get_if<Reduce>(&value.op)) return of(*reduce);
    if (const auto* dot = std::get_if<Dot>(&value.op)) {  // a term exists where both factors do
      const bool nothing = is_absent(dot->left) || is_absent(dot->right);
      return nothing ? State{Kind::zero, {}} : State{};
    }
    if (const auto* select = std::get_if<Select>(&value.op))
      return is_absent(select->condition) ? State{Kind::absent, {}} : State{};
    const std::vector<ValueId> operands = operands_of(value.op);
    if (std::any_of(operands.begin(), operands.end(), [this](ValueId operand) { return is_absent(operand); }))
      return {Kind::absent, {}};
    if (const auto* filter = std::get_if<Filter>(&value.op)) return of(*filter);
    if (const auto* binary = std::get_if<Binary>(&value.op)) return of(*binary);
    if (const auto* cast = std::get_if<Cast>(&value.op)) {
      const State& from = state(cast->operand);
      return from.kind == Kind::held ? State{} : from;
    }
    return {};
  }

  static State of(const Constant& op, DType dtype) {
    const double number = is_float(dtype) ? op.value.real : static_cast<double>(op.value.integer);
    if (number == 0) return {Kind::zero, {}};
    return number == 1 ? State{Kind::one, {}} : State{};
  }

  State of(const Filter& op) const {
    std::vector<Conjunct> conjuncts;
    append_conjuncts(kernel_, sizes_, op.condition, conjuncts);
    return contains(conjuncts, never_) ? State{Kind::absent, {}} : State{};
  }

  State of(const Binary& op) const {
    const State &left = state(op.left), &right = state(op.right);
    switch (op.op) {
      case BinaryOp::add:
      case BinaryOp::bit_or:
      case BinaryOp::logical_or:
        if (left.kind == Kind::zero) return right;
        return right.kind == Kind::zero ? left : State{};
      case BinaryOp::subtract: return right.kind == Kind::zero ? left : State{};
      case BinaryOp::multiply:
      case BinaryOp::logical_and:
        if (left.kind == Kind::one) return right;
        return right.kind == Kind::one ? left : State{};
      default: return {};
    }
  }

  State of(const Reduce& op) const {
    const Kind kind = state(op.operand).kind;
    const bool absent = kind == Kind::absent;
    switch (op.op) {
      case ReduceOp::count: return absent ? State{Kind::zero, {}} : State{};
      case ReduceOp::sum:
      case ReduceOp::any: return absent || kind == Kind::zero ? State{Kind::zero, {}} : State{};
      case ReduceOp::prod:
      case ReduceOp::all: return absent || kind == Kind::one ? State{Kind::one, {}} : State{};
      default: return absent ? State{Kind::absent, {}} : State{};
    }
  }

  const Kernel& kernel_;
  SizeTable& sizes_;
  const Conjunct& never_;
  std::set<ValueId> inside_;
  std::set<VariableId> declared_;
  std::vector<State> states_;
};

bool bounds(const Conjunct& conjunct, AxisId axis) {
  return conjunct.sign != Sign::not_zero && conjunct.modulus == 0 && conjunct.scalars.empty() &&
         conjunct.form.coefficient(axis).has_value();
}

/// Of the filters of a kernel, each once.
std::vector<Conjunct> candidates(const Kernel& kernel, SizeTable& sizes, AxisId axis) {
  std::vector<Conjunct> all, result;
  for (const Value& value : kernel.values)
    if (const auto* filter = std::get_if<Filter>(&value.op))
      append_conjuncts(kernel, sizes, filter->condition, all);
  for (Conjunct& conjunct : all)
    if (bounds(conjunct, axis) && !contains(result, conjunct)) result.push_back(std::move(conjunct));
  return result;
}

}  // namespace

std::vector<Conjunct> ends_of_value(const Kernel& kernel, SizeTable& sizes, ValueId value, AxisId axis) {
  std::vector<Conjunct> result = candidates(kernel, sizes, axis);
  std::erase_if(result, [&](const Conjunct& conjunct) {
    return !Interpretation(kernel, sizes, conjunct, nullptr).is_absent(value);
  });
  return result;
}

std::vector<Conjunct> ends_of_loop(const Kernel& kernel, SizeTable& sizes, const Loop& loop) {
  std::vector<Conjunct> result = candidates(kernel, sizes, loop.axis);
  std::erase_if(result, [&](const Conjunct& conjunct) {
    return !Interpretation(kernel, sizes, conjunct, &loop.body).has_no_effect(loop.body);
  });
  return result;
}

}  // namespace tessera::ir
