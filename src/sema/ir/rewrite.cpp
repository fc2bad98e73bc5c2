// SPDX-License-Identifier: Apache-2.0
// The operands of every operation and statement, by reference.
#include "sema/ir/rewrite.h"

#include "sema/ir/statements.h"

namespace tessera::ir {

namespace {

struct OperandVisitor {
  const std::function<void(ValueId&)>& visit;

  void operator()(Constant&) const {}
  void operator()(Coordinate&) const {}
  void operator()(Extent&) const {}
  void operator()(ScalarArgument&) const {}
  void operator()(ReadVariable&) const {}
  void operator()(Lookup& op) const { visit(op.index); }
  void operator()(Load& op) const {
    for (ValueId& index : op.indices) visit(index);
  }
  void operator()(Unary& op) const { visit(op.operand); }
  void operator()(Binary& op) const {
    visit(op.left);
    visit(op.right);
  }
  void operator()(FusedMultiplyAdd& op) const {
    visit(op.a);
    visit(op.b);
    visit(op.c);
  }
  void operator()(Math& op) const {
    for (ValueId& argument : op.arguments) visit(argument);
  }
  void operator()(Cast& op) const { visit(op.operand); }
  void operator()(Select& op) const {
    visit(op.condition);
    visit(op.if_true);
    visit(op.if_false);
  }
  void operator()(Filter& op) const {
    visit(op.condition);
    visit(op.operand);
  }
  void operator()(Coalesce& op) const {
    visit(op.operand);
    visit(op.fallback);
  }
  void operator()(Reduce& op) const { visit(op.operand); }
  void operator()(Dot& op) const {
    visit(op.left);
    visit(op.right);
  }
  void operator()(Pick& op) const { visit(op.operand); }

  void operator()(Define&) const {}
  void operator()(Declare& statement) const { visit(statement.initial); }
  void operator()(Assign& statement) const { visit(statement.value); }
  void operator()(Write& statement) const {
    for (ValueId& index : statement.indices) visit(index);
    visit(statement.value);
  }
  void operator()(Loop&) const {}
};

}  // namespace

void for_each_operand(Op& op, const std::function<void(ValueId&)>& visit) {
  std::visit(OperandVisitor{visit}, op);
}

void for_each_operand(Statement& statement, const std::function<void(ValueId&)>& visit) {
  std::visit(OperandVisitor{visit}, statement.node);
}

void number_values(Kernel& kernel) {
  std::vector<ValueId> number(kernel.values.size());
  Store<ValueId, Value> values;
  const auto renumber = [&](ValueId& value) { value = number[value.index()]; };
  for (Grid& grid : kernel.grids) {
    for_each_statement(grid.body, [&](Statement& statement) {
      for_each_operand(statement, renumber);
      auto* define = std::get_if<Define>(&statement.node);
      if (define == nullptr) return;
      Value value = std::move(kernel.values[define->value]);
      for_each_operand(value.op, renumber);
      const ValueId id = values.add(std::move(value));
      number[define->value.index()] = id;
      define->value = id;
    });
  }
  kernel.values = std::move(values);
}

}  // namespace tessera::ir
