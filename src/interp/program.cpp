// SPDX-License-Identifier: Apache-2.0
// Prepares a kernel: axes, affine indices and last uses, in one walk over its blocks.
#include "interp/program.h"

#include <algorithm>
#include <set>

#include "sema/ir/affine.h"

namespace tessera::interp {

namespace {

class Preparation {
 public:
  Preparation(const ir::Kernel& kernel, const std::vector<int64_t>& symbols)
      : kernel_(kernel), sizes_(kernel.sizes), symbols_(symbols) {
    program_.kernel = &kernel;
    program_.value_axes.resize(kernel.values.size());
    program_.variable_axes.resize(kernel.variables.size());
    program_.affine.resize(kernel.values.size());
  }

  Program run() {
    for (const ir::Grid& grid : kernel_.grids) {
      lifted_.clear();
      for (const ir::AxisId axis : grid.axes) {
        if (!kernel_.axes[axis].is_tile()) lifted_.push_back(axis);
      }
      std::sort(lifted_.begin(), lifted_.end());
      program_.grids.push_back(prepare(grid.body));
    }
    return std::move(program_);
  }

 private:
  std::vector<Step> prepare(const ir::Block& block) {
    std::vector<Step> steps;
    std::set<ir::ValueId> defined;
    for (const ir::Statement& statement : block) {
      Step step{&statement, {}, {}, {}};
      if (const auto* define = std::get_if<ir::Define>(&statement.node)) {
        find_axes(define->value);
        find_affine(define->value);
        defined.insert(define->value);
      } else if (const auto* declare = std::get_if<ir::Declare>(&statement.node)) {
        program_.variable_axes[declare->variable.index()] =
            union_of(kernel_.variables[declare->variable].axes, lifted_);
      } else if (const auto* loop = std::get_if<ir::Loop>(&statement.node)) {
        step.body = prepare(loop->body);
      } else if (const auto* write = std::get_if<ir::Write>(&statement.node)) {
        step.write_axes = program_.value_axes[write->value.index()];
        for (const ir::ValueId index : write->indices) {
          step.write_axes = union_of(step.write_axes, program_.value_axes[index.index()]);
        }
      }
      steps.push_back(std::move(step));
    }
    release(steps, std::move(defined));
    return steps;
  }

  /// Each value defined in a block dies behind the last statement of the block that reads it.
  void release(std::vector<Step>& steps, std::set<ir::ValueId> alive) const {
    for (auto step = steps.rbegin(); step != steps.rend(); ++step) {
      std::set<ir::ValueId> mentioned;
      collect(*step, mentioned);
      for (const ir::ValueId value : mentioned) {
        if (alive.erase(value) > 0) step->released.push_back(value);
      }
    }
  }

  /// Values that a statement reads, or defines.
  void collect(const Step& step, std::set<ir::ValueId>& values) const {
    if (const auto* define = std::get_if<ir::Define>(&step.statement->node)) {
      values.insert(define->value);
      // An affine value is computed from coordinates, not from its operands.
      if (program_.affine[define->value.index()]) return;
      const std::vector<ir::ValueId> operands = ir::operands_of(kernel_.values[define->value].op);
      values.insert(operands.begin(), operands.end());
    } else if (const auto* declare = std::get_if<ir::Declare>(&step.statement->node)) {
      values.insert(declare->initial);
    } else if (const auto* assign = std::get_if<ir::Assign>(&step.statement->node)) {
      values.insert(assign->value);
    } else if (const auto* write = std::get_if<ir::Write>(&step.statement->node)) {
      values.insert(write->value);
      values.insert(write->indices.begin(), write->indices.end());
    }
    for (const Step& inner : step.body) collect(inner, values);
  }

  void find_axes(ir::ValueId id) {
    const ir::Op& op = kernel_.values[id].op;
    AxisList axes;
    for (const ir::ValueId operand : ir::operands_of(op)) {
      axes = union_of(axes, program_.value_axes[operand.index()]);
    }
    if (const auto* coordinate = std::get_if<ir::Coordinate>(&op)) {
      const ir::Axis& axis = kernel_.axes[coordinate->axis];
      if (axis.is_tile() || axis.kind == ir::AxisKind::grid) axes.push_back(coordinate->axis);
    } else if (const auto* read = std::get_if<ir::ReadVariable>(&op)) {
      axes = program_.variable_axes[read->variable.index()];
    } else if (const auto* pick = std::get_if<ir::Pick>(&op)) {
      std::erase(axes, pick->axis);
    }
    for (const ir::AxisId axis : ir::folded_axes(op)) std::erase(axes, axis);
    program_.value_axes[id.index()] = std::move(axes);
  }

  void find_affine(ir::ValueId id) {
    const std::optional<ir::Affine> form = ir::affine_form(kernel_, sizes_, id);
    if (!form) return;
    AffineIndex index{evaluate(form->offset), {}};
    for (const auto& [axis, coefficient] : form->terms) index.terms.emplace_back(axis, evaluate(coefficient));
    program_.affine[id.index()] = std::move(index);
  }

  int64_t evaluate(ir::SizeId size) const {
    return sizes_.evaluate(size, [this](ir::SymbolId symbol) { return symbols_[symbol.index()]; });
  }

  const ir::Kernel& kernel_;
  ir::SizeTable sizes_;  // a copy: affine forms add to it
  const std::vector<int64_t>& symbols_;
  AxisList lifted_;  // grid ranges of the current grid without a step
  Program program_;
};

}  // namespace

Program make_program(const ir::Kernel& kernel, const std::vector<int64_t>& symbols) {
  return Preparation(kernel, symbols).run();
}

AxisList union_of(const AxisList& a, const AxisList& b) {
  AxisList axes;
  std::set_union(a.begin(), a.end(), b.begin(), b.end(), std::back_inserter(axes));
  return axes;
}

}  // namespace tessera::interp
