// SPDX-License-Identifier: Apache-2.0
// See fold_loops.h.
#include "sema/ir/fold_loops.h"

#include <algorithm>
#include <iterator>
#include <map>
#include <set>

#include "sema/ir/ops.h"
#include "sema/ir/rewrite.h"
#include "sema/ir/statements.h"

namespace tessera::ir {

namespace {

bool is_plain(const Axis& axis) { return axis.dimension && axis.relation.empty(); }

class Folder {
 public:
  explicit Folder(Kernel& kernel) : kernel_(kernel) {
    for (const Value& value : kernel.values)
      for (ValueId operand : operands_of(value.op)) ++uses_[operand];
    for (Grid& grid : kernel.grids)
      for_each_statement(grid.body, [this](Statement& statement) {
        for_each_operand(statement, [this](ValueId& operand) { ++uses_[operand]; });
        if (const auto* assign = std::get_if<Assign>(&statement.node)) ++assignments_[assign->variable];
      });
  }

  bool run() {
    for (Grid& grid : kernel_.grids) fold(grid.body);
    for (AxisId axis : folded_) merge(axis);
    return !folded_.empty();
  }

 private:
  void fold(Block& block) {
    Block result;
    std::vector<Assign> sums;
    for (Statement& statement : block) {
      auto* loop = std::get_if<Loop>(&statement.node);
      if (loop) fold(loop->body);
      if (loop && only_sums(*loop)) {
        for (const Statement& inside : loop->body)
          if (const auto* assign = std::get_if<Assign>(&inside.node)) sums.push_back(*assign);
        Axis& axis = kernel_.axes[loop->axis];
        axis.kind = AxisKind::let;
        axis.step = StepKind::none;
        folded_.push_back(loop->axis);
        std::ranges::move(loop->body, std::back_inserter(result));
      } else {
        result.push_back(std::move(statement));
      }
    }
    block = std::move(result);
    for (const Assign& sum : sums)
      if (is_named_alone(sum, block)) name_sum(sum, block);
  }

  /// Whether each assignment of a loop adds a sum along its axis to a variable, of which nothing else in the loop knows.
  bool only_sums(const Loop& loop) const {
    const Axis& axis = kernel_.axes[loop.axis];
    const bool is_free = axis.step == StepKind::plan && axis.step_name.empty() && axis.step_size == 0;
    if (!is_free || !is_plain(axis)) return false;
    std::set<VariableId> assigned;
    size_t reads = 0;
    for (const Statement& statement : loop.body) {
      if (std::holds_alternative<Define>(statement.node)) continue;
      const auto* assign = std::get_if<Assign>(&statement.node);
      if (!assign || !adds_sum(*assign, loop.axis) || !assigned.insert(assign->variable).second) return false;
    }
    for (const Statement& statement : loop.body)
      if (const auto* define = std::get_if<Define>(&statement.node))
        if (const auto* read = std::get_if<ReadVariable>(&kernel_.values[define->value].op))
          reads += assigned.count(read->variable);
    return reads == assigned.size();
  }

  /// `v = v + sum`, or with the sides changed, where what is read of v and both sums are for this alone.
  bool adds_sum(const Assign& assign, AxisId axis) const {
    const auto* binary = std::get_if<Binary>(&kernel_.values[assign.value].op);
    if (!assign.picks.empty() || !binary || uses_.at(assign.value) != 1) return false;
    const bool subtracts = binary->op == BinaryOp::subtract;
    if (binary->op != BinaryOp::add && !subtracts) return false;
    const auto is_variable = [&](ValueId id) {
      const auto* read = std::get_if<ReadVariable>(&kernel_.values[id].op);
      return read && read->variable == assign.variable && uses_.at(id) == 1;
    };
    return (is_variable(binary->left) && is_sum(binary->right, axis)) ||
           (!subtracts && is_sum(binary->left, axis) && is_variable(binary->right));
  }
  bool is_sum(ValueId id, AxisId axis) const {
    const Value& value = kernel_.values[id];
    const std::vector<AxisId> along = {axis};
    const auto* dot = std::get_if<Dot>(&value.op);
    const auto* reduce = std::get_if<Reduce>(&value.op);
    return value.total && uses_.at(id) == 1 &&
           ((dot && dot->axes == along) || (reduce && reduce->op == ReduceOp::sum && reduce->axes == along));
  }

  // ---- sums that nothing else is added to ----

  ValueId sum_of(const Assign& assign) const {
    const auto& binary = std::get<Binary>(kernel_.values[assign.value].op);
    return std::holds_alternative<ReadVariable>(kernel_.values[binary.left].op) ? binary.right : binary.left;
  }

  /// Whether a variable begins with zero in the block of its one assignment, before which nobody reads it.
  bool is_named_alone(const Assign& assign, const Block& block) const {
    const auto is_of = [&](const auto* node) { return node && node->variable == assign.variable; };
    const auto declared = std::ranges::find_if(
        block, [&](const Statement& statement) { return is_of(std::get_if<Declare>(&statement.node)); });
    const auto assigned = std::find_if(declared, block.end(), [&](const Statement& statement) {
      return is_of(std::get_if<Assign>(&statement.node));
    });
    if (declared == block.end() || assigned == block.end() || assignments_.at(assign.variable) != 1)
      return false;
    const auto* zero = std::get_if<Constant>(&kernel_.values[std::get<Declare>(declared->node).initial].op);
    const bool adds = std::get<Binary>(kernel_.values[assign.value].op).op == BinaryOp::add;
    return zero && zero->value == Literal{} && adds &&
           kernel_.values[sum_of(assign)].axes == kernel_.variables[assign.variable].axes &&
           reads_of(assign.variable, Block(declared, assigned)).size() == 1;
  }
  std::set<ValueId> reads_of(VariableId variable, const Block& block) const {
    std::set<ValueId> reads;
    for_each_statement(block, [&](const Statement& statement) {
      const auto* define = std::get_if<Define>(&statement.node);
      const auto* read = define ? std::get_if<ReadVariable>(&kernel_.values[define->value].op) : nullptr;
      if (read && read->variable == variable) reads.insert(define->value);
    });
    return reads;
  }

  /// The sum in place of the variable.
  void name_sum(const Assign& assign, Block& block) {
    const ValueId sum = sum_of(assign);
    const VariableId variable = assign.variable;
    std::set<ValueId> gone = reads_of(variable, block);
    const auto name = [&](ValueId& operand) {
      if (gone.contains(operand)) operand = sum;
    };
    for (Value& value : kernel_.values) for_each_operand(value.op, name);
    for_each_statement(block, [&](Statement& statement) { for_each_operand(statement, name); });
    gone.insert(assign.value);
    remove(block, variable, gone);
    if (kernel_.values[sum].name.empty()) kernel_.values[sum].name = kernel_.variables[variable].name;
  }
  static void remove(Block& block, VariableId variable, const std::set<ValueId>& values) {
    std::erase_if(block, [&](const Statement& statement) {
      const auto* define = std::get_if<Define>(&statement.node);
      const auto* declare = std::get_if<Declare>(&statement.node);
      const auto* assigned = std::get_if<Assign>(&statement.node);
      return (define && values.contains(define->value)) || (declare && declare->variable == variable) ||
             (assigned && assigned->variable == variable);
    });
    for (Statement& statement : block)
      if (auto* loop = std::get_if<Loop>(&statement.node)) remove(loop->body, variable, values);
  }

  // ---- one axis for all sums along a dimension ----

  /// Gives what has the axis another one with the same coordinates in its place, if there is one.
  void merge(AxisId axis) {
    for (size_t k = 0; k < kernel_.axes.size(); ++k) {
      const AxisId other = kernel_.axes.id_at(k);
      const Axis &a = kernel_.axes[axis], &b = kernel_.axes[other];
      const bool is_same = other != axis && b.kind == AxisKind::let && is_plain(b) && is_carried(other) &&
                           b.dimension == a.dimension && a.lower == b.lower && a.upper == b.upper;
      if (is_same && are_apart(axis, other)) return replace(axis, other);
    }
  }
  bool is_carried(AxisId axis) const {
    return std::ranges::any_of(kernel_.values,
                               [&](const Value& value) { return std::ranges::count(value.axes, axis) > 0; });
  }
  bool are_apart(AxisId a, AxisId b) const {
    return std::ranges::none_of(kernel_.values, [&](const Value& value) {
      return std::ranges::count(value.axes, a) > 0 && std::ranges::count(value.axes, b) > 0;
    });
  }
  void replace(AxisId axis, AxisId by) {
    const auto change = [&](std::vector<AxisId>& axes) {
      std::ranges::replace(axes, axis, by);
      std::ranges::sort(axes);
    };
    for (Value& value : kernel_.values) {
      change(value.axes);
      if (auto* dot = std::get_if<Dot>(&value.op)) change(dot->axes);
      if (auto* reduce = std::get_if<Reduce>(&value.op)) change(reduce->axes);
      if (auto* coordinate = std::get_if<Coordinate>(&value.op); coordinate && coordinate->axis == axis)
        coordinate->axis = by;
    }
  }

  Kernel& kernel_;
  std::map<ValueId, int> uses_;
  std::map<VariableId, int> assignments_;
  std::vector<AxisId> folded_;
};

}  // namespace

bool fold_loops(Kernel& kernel) {
  if (!Folder(kernel).run()) return false;
  number_values(kernel);
  return true;
}

}  // namespace tessera::ir
