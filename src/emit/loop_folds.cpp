// SPDX-License-Identifier: Apache-2.0
// See loop_folds.h.
#include "emit/loop_folds.h"

#include "sema/ir/statements.h"

namespace tessera::emit {

namespace {

/// Whether a body reads and assigns a variable once.
bool is_alone_with(const ir::Kernel& kernel, const ir::Block& body, ir::VariableId variable) {
  int times = 0;
  ir::for_each_statement(body, [&](const ir::Statement& statement) {
    if (const auto* define = std::get_if<ir::Define>(&statement.node)) {
      const auto* read = std::get_if<ir::ReadVariable>(&kernel.values[define->value].op);
      times += read && read->variable == variable;
    }
    const auto* assign = std::get_if<ir::Assign>(&statement.node);
    times += assign && assign->variable == variable;
  });
  return times == 2;
}

/// What a value is of a narrower float: extremes are the same before and after.
ir::ValueId below_widening(const ir::Kernel& kernel, ir::ValueId value) {
  const auto* cast = std::get_if<ir::Cast>(&kernel.values[value].op);
  const bool widens =
      cast && kernel.values[value].dtype == DType::f32 && is_narrow_float(kernel.values[cast->operand].dtype);
  return widens ? cast->operand : value;
}

/// Whether an operation on two results of a fold makes the result of both: then a variable may get one of all rounds. What a
/// fold of no elements has changes nothing.
bool joins(ir::BinaryOp op, ir::ReduceOp fold) {
  switch (op) {
    case ir::BinaryOp::add: return fold == ir::ReduceOp::sum;
    case ir::BinaryOp::multiply: return fold == ir::ReduceOp::prod;
    case ir::BinaryOp::maximum: return fold == ir::ReduceOp::max;
    case ir::BinaryOp::minimum: return fold == ir::ReduceOp::min;
    default: return false;
  }
}

}  // namespace

LoopFolds folds_of_loop(const ir::Kernel& kernel, const std::map<ir::ValueId, int>& uses,
                        const TilePlan& plan, const ir::Loop& loop) {
  const auto is_used_once = [&](ir::ValueId id) {
    const auto count = uses.find(id);
    return count != uses.end() && count->second == 1;
  };
  LoopFolds found;
  for (const ir::Statement& statement : loop.body) {
    const auto* assign = std::get_if<ir::Assign>(&statement.node);
    const auto* both = assign ? std::get_if<ir::Binary>(&kernel.values[assign->value].op) : nullptr;
    if (!both || !is_used_once(assign->value)) continue;
    for (const auto& [side, rest] :
         {std::pair(both->left, both->right), std::pair(both->right, both->left)}) {
      const ir::ValueId part = below_widening(kernel, side);
      const auto fold = plan.folds.find(part);
      const auto* read = std::get_if<ir::ReadVariable>(&kernel.values[rest].op);
      const bool fits =
          fold != plan.folds.end() && fold->second.depth == loop.axis && !fold->second.has_own_loop && read &&
          read->variable == assign->variable && kernel.values[part].total &&
          joins(both->op, std::get<ir::Reduce>(kernel.values[part].op).op) && is_used_once(part) &&
          is_used_once(side) && is_used_once(rest) && is_alone_with(kernel, loop.body, assign->variable);
      if (fits) found.push_back({&fold->second, assign, statement.span});
    }
  }
  return found;
}

void note_loop_folds(const ir::Kernel& kernel, const std::map<ir::ValueId, int>& uses, TilePlan& plan) {
  ir::for_each_statement(kernel.grids.at(0).body, [&](const ir::Statement& statement) {
    const auto* loop = std::get_if<ir::Loop>(&statement.node);
    if (!loop) return;
    for (const LoopFold& entry : folds_of_loop(kernel, uses, plan, *loop))
      plan.folds.at(entry.fold->reduce).meets_behind_loop = true;
  });
}

}  // namespace tessera::emit
