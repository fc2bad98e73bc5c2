// SPDX-License-Identifier: Apache-2.0
// Liveness from the stores backwards, then renumbering.
#include "sema/passes/remove_dead_values.h"

#include <algorithm>
#include <set>
#include <vector>

#include "sema/ir/rewrite.h"
#include "sema/ir/statements.h"

namespace tessera::sema {

namespace {

class Remover {
 public:
  explicit Remover(ir::Kernel& kernel) : kernel_(kernel), live_(kernel.values.size(), false) {}

  void run() {
    mark_stores();
    propagate();
    for (ir::Grid& grid : kernel_.grids) sweep(grid.body);
    ir::number_values(kernel_);
    renumber_variables();
  }

 private:
  void mark(ir::ValueId value) {
    if (live_[value.index()]) return;
    live_[value.index()] = true;
    work_.push_back(value);
  }

  void mark_stores() {
    for (ir::Grid& grid : kernel_.grids) {
      ir::for_each_statement(grid.body, [this](ir::Statement& statement) {
        if (std::holds_alternative<ir::Write>(statement.node)) {
          ir::for_each_operand(statement, [this](ir::ValueId& operand) { mark(operand); });
        }
      });
    }
  }

  /// A live read of a variable makes everything live that is assigned to it.
  void propagate() {
    while (!work_.empty()) {
      const ir::ValueId id = work_.back();
      work_.pop_back();
      ir::Op& op = kernel_.values[id].op;
      ir::for_each_operand(op, [this](ir::ValueId& operand) { mark(operand); });
      const auto* read = std::get_if<ir::ReadVariable>(&op);
      if (read == nullptr || !read_variables_.insert(read->variable).second) continue;
      mark_assigned(read->variable);
    }
  }

  void mark_assigned(ir::VariableId variable) {
    for (ir::Grid& grid : kernel_.grids) {
      ir::for_each_statement(grid.body, [&](ir::Statement& statement) {
        if (writes(statement, variable))
          ir::for_each_operand(statement, [this](ir::ValueId& operand) { mark(operand); });
      });
    }
  }

  static bool writes(const ir::Statement& statement, ir::VariableId variable) {
    const auto* declare = std::get_if<ir::Declare>(&statement.node);
    const auto* assign = std::get_if<ir::Assign>(&statement.node);
    return (declare != nullptr && declare->variable == variable) ||
           (assign != nullptr && assign->variable == variable);
  }

  bool dead(const ir::Statement& statement) const {
    if (const auto* define = std::get_if<ir::Define>(&statement.node)) return !live_[define->value.index()];
    if (const auto* declare = std::get_if<ir::Declare>(&statement.node))
      return !read_variables_.contains(declare->variable);
    if (const auto* assign = std::get_if<ir::Assign>(&statement.node))
      return !read_variables_.contains(assign->variable);
    const auto* loop = std::get_if<ir::Loop>(&statement.node);
    return loop != nullptr && loop->body.empty();
  }

  void sweep(ir::Block& block) {
    for (ir::Statement& statement : block) {
      if (auto* loop = std::get_if<ir::Loop>(&statement.node)) sweep(loop->body);
    }
    std::erase_if(block, [this](const ir::Statement& statement) { return dead(statement); });
  }

  void renumber_variables() {
    std::vector<ir::VariableId> number(kernel_.variables.size());
    tessera::Store<ir::VariableId, ir::Variable> variables;
    for (const ir::VariableId id : read_variables_)
      number[id.index()] = variables.add(std::move(kernel_.variables[id]));
    for (ir::Value& value : kernel_.values) {
      if (auto* read = std::get_if<ir::ReadVariable>(&value.op))
        read->variable = number[read->variable.index()];
    }
    for (ir::Grid& grid : kernel_.grids) {
      ir::for_each_statement(grid.body, [&](ir::Statement& statement) {
        if (auto* declare = std::get_if<ir::Declare>(&statement.node))
          declare->variable = number[declare->variable.index()];
        if (auto* assign = std::get_if<ir::Assign>(&statement.node))
          assign->variable = number[assign->variable.index()];
      });
    }
    kernel_.variables = std::move(variables);
  }

  ir::Kernel& kernel_;
  std::vector<bool> live_;
  std::vector<ir::ValueId> work_;
  std::set<ir::VariableId> read_variables_;
};

}  // namespace

void remove_dead_values(ir::Kernel& kernel) { Remover(kernel).run(); }

}  // namespace tessera::sema
