// SPDX-License-Identifier: Apache-2.0
// One walk over the statements of a phase, pulling in the values that they need.
#include "emit/analysis.h"

#include <variant>

namespace tessera::emit {

namespace {

class Analyser {
 public:
  Analyser(const ir::Kernel& kernel, const ir::Grid& grid, ir::SizeTable& sizes)
      : kernel_(kernel), grid_(grid), sizes_(sizes) {}

  PhaseAnalysis run() {
    index_reads(grid_.body, {});
    block(grid_.body);
    collect_inner_axes();
    return std::move(result_);
  }

 private:
  // The loops around each read of a variable: the value must be computed inside their bodies.
  void index_reads(const ir::Block& statements, const AxisSet& loops) {
    for (const ir::Statement& statement : statements) {
      if (const auto* define = std::get_if<ir::Define>(&statement.node)) {
        loops_around_[define->value] = loops;
      } else if (const auto* loop = std::get_if<ir::Loop>(&statement.node)) {
        AxisSet inner = loops;
        inner.insert(loop->axis);
        result_.loops.insert(loop->axis);
        index_reads(loop->body, inner);
      }
    }
  }

  void block(const ir::Block& statements) {
    for (const ir::Statement& statement : statements) {
      if (const auto* loop = std::get_if<ir::Loop>(&statement.node)) {
        block(loop->body);
        continue;
      }
      if (const auto* declare = std::get_if<ir::Declare>(&statement.node)) {
        use(declare->initial);
      } else if (const auto* assign = std::get_if<ir::Assign>(&statement.node)) {
        use(assign->value);
        for (const auto& [axis, coordinate] : assign->picks) {
          result_.picked.insert(axis);
          result_.picked_state.insert(axis);
        }
      } else if (const auto* write = std::get_if<ir::Write>(&statement.node)) {
        use(write->value);
        for (ir::ValueId index : write->indices) use(index);
        result_.writes.push_back(write);
        add_access(write->value, write->tensor, write->indices, write);
      } else {
        continue;
      }
      result_.roots.push_back(&statement);
    }
  }

  void use(ir::ValueId id) {
    ++result_.uses[id];
    if (result_.dependence.contains(id)) return;
    const ir::Value& value = kernel_.values[id];
    Dependence dependence;
    for (ir::ValueId operand : ir::operands_of(value.op)) {
      use(operand);
      const Dependence& below = result_.dependence.at(operand);
      dependence.axes.insert(below.axes.begin(), below.axes.end());
      dependence.loops.insert(below.loops.begin(), below.loops.end());
    }
    std::visit([&](const auto& op) { own(op, id, dependence); }, value.op);
    result_.dependence.emplace(id, std::move(dependence));
  }

  void own(const ir::Coordinate& op, ir::ValueId, Dependence& dependence) {
    dependence.axes.insert(op.axis);
    if (result_.loops.contains(op.axis)) dependence.loops.insert(op.axis);
  }
  void own(const ir::ReadVariable& op, ir::ValueId id, Dependence& dependence) {
    const ir::Variable& variable = kernel_.variables[op.variable];
    dependence.axes.insert(variable.axes.begin(), variable.axes.end());
    // A variable is state of an instance: whatever scalar range of the grid becomes a lane, it has one copy each.
    for (ir::AxisId axis : grid_.axes)
      if (!kernel_.axes[axis].is_tile()) dependence.axes.insert(axis);
    const AxisSet& around = loops_around_[id];
    dependence.loops.insert(around.begin(), around.end());
  }
  void own(const ir::Load& op, ir::ValueId id, Dependence&) {
    add_access(id, op.tensor, op.indices, nullptr);
  }
  void own(const ir::Reduce& op, ir::ValueId, Dependence& dependence) { fold(op.axes, dependence); }
  void own(const ir::Dot& op, ir::ValueId, Dependence& dependence) { fold(op.axes, dependence); }
  void fold(const std::vector<ir::AxisId>& axes, Dependence& dependence) {
    for (ir::AxisId axis : axes) {
      dependence.axes.erase(axis);
      // What a reduction gives for one tile of a loop or of the grid belongs to that tile.
      if (result_.loops.contains(axis) || kernel_.axes[axis].kind == ir::AxisKind::grid)
        dependence.loops.insert(axis);
      result_.crossed.insert(axis);
    }
  }
  void own(const ir::Pick& op, ir::ValueId, Dependence& dependence) {
    dependence.axes.erase(op.axis);
    result_.picked.insert(op.axis);
    std::set<ir::ValueId> visited;
    if (holds_state(op.operand, op.axis, visited)) result_.picked_state.insert(op.axis);
  }
  void own(const ir::Lookup& op, ir::ValueId, Dependence&) { mark_picked(op.index); }
  void own(const ir::Binary& op, ir::ValueId, Dependence&) {
    if (op.op < ir::BinaryOp::equal) return;
    mark_picked(op.left);
    mark_picked(op.right);
  }
  template <typename Other>
  void own(const Other&, ir::ValueId, Dependence&) {}

  bool holds_state(ir::ValueId id, ir::AxisId axis, std::set<ir::ValueId>& visited) const {
    if (!visited.insert(id).second || !result_.depends(id, axis)) return false;
    if (std::holds_alternative<ir::ReadVariable>(kernel_.values[id].op)) return true;
    for (ir::ValueId operand : ir::operands_of(kernel_.values[id].op))
      if (holds_state(operand, axis, visited)) return true;
    return false;
  }
  void mark_picked(ir::ValueId id) {
    if (const auto* coordinate = std::get_if<ir::Coordinate>(&kernel_.values[id].op))
      result_.picked.insert(coordinate->axis);
  }

  void add_access(ir::ValueId value, ir::TensorId tensor, const std::vector<ir::ValueId>& indices,
                  const ir::Write* write) {
    Access access{value, tensor, indices, {}, {}, write};
    for (ir::ValueId index : indices) {
      access.indices.push_back(ir::affine_form(kernel_, sizes_, index));
      const Dependence& below = result_.dependence.at(index);
      access.axes.insert(below.axes.begin(), below.axes.end());
    }
    result_.accesses.push_back(std::move(access));
  }

  void collect_inner_axes() {
    AxisSet found = result_.crossed;
    for (const auto& [value, dependence] : result_.dependence)
      found.insert(dependence.axes.begin(), dependence.axes.end());
    for (ir::AxisId axis : grid_.axes) found.erase(axis);
    for (ir::AxisId axis : found)
      if (kernel_.axes[axis].is_tile()) result_.inner_axes.push_back(axis);
  }

  const ir::Kernel& kernel_;
  const ir::Grid& grid_;
  ir::SizeTable& sizes_;
  PhaseAnalysis result_;
  std::map<ir::ValueId, AxisSet> loops_around_;
};

}  // namespace

PhaseAnalysis analyse(const ir::Kernel& kernel, const ir::Grid& grid, ir::SizeTable& sizes) {
  return Analyser(kernel, grid, sizes).run();
}

AxisSet PhaseAnalysis::axes_of_users(const ir::Kernel& kernel, ir::ValueId value) const {
  AxisSet axes;
  const auto add = [&](const auto& more) { axes.insert(more.begin(), more.end()); };
  std::set<ir::ValueId> users{value};
  const auto is_user = [&](ir::ValueId id) { return users.contains(id); };
  // Ids ascend from operands to results.
  for (const auto& [id, depends_on] : dependence) {
    const auto operands = ir::operands_of(kernel.values[id].op);
    if (std::none_of(operands.begin(), operands.end(), is_user)) continue;
    users.insert(id);
    add(depends_on.axes);
    if (const auto* reduce = std::get_if<ir::Reduce>(&kernel.values[id].op)) add(reduce->axes);
  }
  for (const ir::Statement* root : roots) {
    if (const auto* assign = std::get_if<ir::Assign>(&root->node)) {
      if (is_user(assign->value)) add(kernel.variables[assign->variable].axes);
    } else if (const auto* declare = std::get_if<ir::Declare>(&root->node)) {
      if (is_user(declare->initial)) add(kernel.variables[declare->variable].axes);
    }
  }
  for (const Access& access : accesses)
    if (access.is_write() && is_user(access.value)) add(access.axes);
  return axes;
}

bool presence_varies(const ir::Kernel& kernel, const PhaseAnalysis& analysis, ir::ValueId id,
                     ir::AxisId axis) {
  const ir::Value& value = kernel.values[id];
  if (value.total || !analysis.depends(id, axis)) return false;
  if (std::holds_alternative<ir::Select>(value.op) || std::holds_alternative<ir::Coalesce>(value.op))
    return true;
  if (const auto* filter = std::get_if<ir::Filter>(&value.op);
      filter && analysis.depends(filter->condition, axis))
    return true;
  if (const auto* lookup = std::get_if<ir::Lookup>(&value.op)) return analysis.depends(lookup->index, axis);
  if (const auto* load = std::get_if<ir::Load>(&value.op)) {
    for (size_t d = 0; d < load->indices.size(); ++d)
      if ((load->in_bounds >> d & 1u) == 0 && analysis.depends(load->indices[d], axis)) return true;
  }
  for (ir::ValueId operand : ir::operands_of(value.op))
    if (presence_varies(kernel, analysis, operand, axis)) return true;
  return false;
}

}  // namespace tessera::emit
