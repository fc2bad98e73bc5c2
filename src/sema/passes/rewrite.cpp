// SPDX-License-Identifier: Apache-2.0
// The operands of every operation and statement, by reference.
#include "sema/passes/rewrite.h"

namespace tessera::sema {

namespace {

struct OperandVisitor {
  const std::function<void(ir::ValueId&)>& visit;

  void operator()(ir::Constant&) const {}
  void operator()(ir::Coordinate&) const {}
  void operator()(ir::Extent&) const {}
  void operator()(ir::ScalarArgument&) const {}
  void operator()(ir::ReadVariable&) const {}
  void operator()(ir::Lookup& op) const { visit(op.index); }
  void operator()(ir::Load& op) const {
    for (ir::ValueId& index : op.indices) visit(index);
  }
  void operator()(ir::Unary& op) const { visit(op.operand); }
  void operator()(ir::Binary& op) const {
    visit(op.left);
    visit(op.right);
  }
  void operator()(ir::FusedMultiplyAdd& op) const {
    visit(op.a);
    visit(op.b);
    visit(op.c);
  }
  void operator()(ir::Math& op) const {
    for (ir::ValueId& argument : op.arguments) visit(argument);
  }
  void operator()(ir::Cast& op) const { visit(op.operand); }
  void operator()(ir::Select& op) const {
    visit(op.condition);
    visit(op.if_true);
    visit(op.if_false);
  }
  void operator()(ir::Filter& op) const {
    visit(op.condition);
    visit(op.operand);
  }
  void operator()(ir::Coalesce& op) const {
    visit(op.operand);
    visit(op.fallback);
  }
  void operator()(ir::Reduce& op) const { visit(op.operand); }
  void operator()(ir::Dot& op) const {
    visit(op.left);
    visit(op.right);
  }
  void operator()(ir::Pick& op) const { visit(op.operand); }

  void operator()(ir::Define&) const {}
  void operator()(ir::Declare& statement) const { visit(statement.initial); }
  void operator()(ir::Assign& statement) const { visit(statement.value); }
  void operator()(ir::Write& statement) const {
    for (ir::ValueId& index : statement.indices) visit(index);
    visit(statement.value);
  }
  void operator()(ir::Loop&) const {}
};

}  // namespace

void for_each_operand(ir::Op& op, const std::function<void(ir::ValueId&)>& visit) {
  std::visit(OperandVisitor{visit}, op);
}

void for_each_operand(ir::Statement& statement, const std::function<void(ir::ValueId&)>& visit) {
  std::visit(OperandVisitor{visit}, statement.node);
}

}  // namespace tessera::sema
