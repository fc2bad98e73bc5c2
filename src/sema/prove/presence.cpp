// SPDX-License-Identifier: Apache-2.0
// Presence of every value, in the order of definition.
#include "sema/prove/presence.h"

#include <algorithm>
#include <optional>
#include <vector>

#include "sema/ir/statements.h"

namespace tessera::sema {

namespace {

using AxisSet = std::vector<ir::AxisId>;  // ascending

AxisSet union_of(const AxisSet& a, const AxisSet& b) {
  AxisSet result;
  std::set_union(a.begin(), a.end(), b.begin(), b.end(), std::back_inserter(result));
  return result;
}

AxisSet intersection_of(const AxisSet& a, const AxisSet& b) {
  AxisSet result;
  std::set_intersection(a.begin(), a.end(), b.begin(), b.end(), std::back_inserter(result));
  return result;
}

/// For each value the axes that have a coordinate wherever the value is observed.
class Observation {
 public:
  explicit Observation(const ir::Kernel& kernel) : kernel_(kernel), observed_(kernel.values.size()) {
    for (const ir::Grid& grid : kernel.grids) {
      AxisSet open(grid.axes);
      std::sort(open.begin(), open.end());
      visit(grid.body, open);
    }
    for (std::size_t i = kernel.values.size(); i-- > 0;) {
      const ir::Value& value = kernel.values[kernel.values.id_at(i)];
      if (!observed_[i]) continue;  // never used
      *observed_[i] = union_of(*observed_[i], value.axes);
      for (const ir::ValueId operand : ir::operands_of(value.op)) observe(operand, *observed_[i]);
    }
  }

  AxisSet at(ir::ValueId value) const {
    const std::optional<AxisSet>& axes = observed_[value.index()];
    return axes ? *axes : kernel_.values[value].axes;
  }

 private:
  void observe(ir::ValueId value, const AxisSet& axes) {
    std::optional<AxisSet>& known = observed_[value.index()];
    known = known ? intersection_of(*known, axes) : axes;
  }

  void visit(const ir::Block& block, const AxisSet& open) {
    for (const ir::Statement& statement : block) {
      if (const auto* declare = std::get_if<ir::Declare>(&statement.node)) {
        observe(declare->initial, union_of(open, kernel_.variables[declare->variable].axes));
      } else if (const auto* assign = std::get_if<ir::Assign>(&statement.node)) {
        observe(assign->value, union_of(open, kernel_.variables[assign->variable].axes));
      } else if (const auto* write = std::get_if<ir::Write>(&statement.node)) {
        AxisSet axes = union_of(open, kernel_.values[write->value].axes);
        for (const ir::ValueId index : write->indices) axes = union_of(axes, kernel_.values[index].axes);
        observe(write->value, axes);
        for (const ir::ValueId index : write->indices) observe(index, axes);
      } else if (const auto* loop = std::get_if<ir::Loop>(&statement.node)) {
        visit(loop->body, union_of(open, {loop->axis}));
      }
    }
  }

  const ir::Kernel& kernel_;
  std::vector<std::optional<AxisSet>> observed_;
};

class Marker {
 public:
  explicit Marker(Prover& prover) : prover_(prover), kernel_(prover.kernel()), observation_(kernel_) {}

  void run() {
    for (ir::Value& value : kernel_.values) value.total = false;
    for (std::size_t i = 0; i < kernel_.values.size(); ++i) mark(kernel_.values.id_at(i));
    for (ir::Grid& grid : kernel_.grids) {
      ir::for_each_statement(grid.body, [this](ir::Statement& statement) {
        if (auto* write = std::get_if<ir::Write>(&statement.node)) mark(*write);
      });
    }
  }

 private:
  bool total(ir::ValueId value) const { return kernel_.values[value].total; }

  void mark(ir::ValueId id) {
    ir::Value& value = kernel_.values[id];
    if (auto* load = std::get_if<ir::Load>(&value.op)) {
      load->in_bounds = inside(load->indices, kernel_.tensors[load->tensor], value.axes);
    }
    const std::vector<ir::ValueId> operands = ir::operands_of(value.op);
    const bool all_total =
        std::all_of(operands.begin(), operands.end(), [this](auto operand) { return total(operand); });
    value.total = exists(id, all_total);
  }

  /// As the verifier asks: what needs all its operands has them total, too.
  bool exists(ir::ValueId id, bool all_total) {
    const ir::Op& op = kernel_.values[id].op;
    if (const auto* coalesce = std::get_if<ir::Coalesce>(&op))
      return total(coalesce->operand) || total(coalesce->fallback);
    if (const auto* select = std::get_if<ir::Select>(&op)) {
      return all_total || (total(select->condition) && proved(id));
    }
    if (const auto* reduce = std::get_if<ir::Reduce>(&op)) {
      const bool may_lack = reduce->op == ir::ReduceOp::max || reduce->op == ir::ReduceOp::min ||
                            reduce->op == ir::ReduceOp::argmax || reduce->op == ir::ReduceOp::argmin;
      return !may_lack || proved(id);
    }
    if (std::holds_alternative<ir::Dot>(op)) return true;
    if (!all_total) return false;
    if (const auto* load = std::get_if<ir::Load>(&op); load && !always_inside(*load)) return false;
    const bool depends = std::holds_alternative<ir::Load>(op) || std::holds_alternative<ir::Lookup>(op) ||
                         std::holds_alternative<ir::Filter>(op);
    return !depends || proved(id);
  }

  /// Inside at every point of the value, also where an axis that it lacks is empty: `x[r, C - 1]` beside `x[r, :]` is
  /// observed only if there is a column, but may be read before anyone has looked.
  bool always_inside(const ir::Load& load) const {
    const ir::Tensor& tensor = kernel_.tensors[load.tensor];
    const std::uint32_t all = (1u << tensor.dims.size()) - 1;
    return tensor.periodic || (load.in_bounds & all) == all;
  }

  /// Exists at every point at which it is observed.
  bool proved(ir::ValueId id) {
    const std::size_t mark = prover_.facts().mark();
    assume_coordinates(observation_.at(id));
    const bool result = prover_.exists(id, {});
    prover_.facts().release(mark);
    return result;
  }

  void assume_coordinates(const AxisSet& axes) {
    ir::SizeTable& sizes = kernel_.sizes;
    for (const ir::AxisId axis : axes) {
      const ir::SizeId extent = sizes.subtract(prover_.upper(axis), prover_.lower(axis));
      prover_.facts().assume_nonnegative(sizes.subtract(extent, sizes.constant(1)));
    }
  }

  std::uint32_t inside(const std::vector<ir::ValueId>& indices, const ir::Tensor& tensor,
                       const AxisSet& axes) {
    const std::size_t mark = prover_.facts().mark();
    assume_coordinates(axes);
    std::uint32_t bits = 0;
    for (std::size_t i = 0; i < indices.size(); ++i) {
      if (prover_.inside(indices[i], tensor.dims[i], {})) bits |= 1u << i;
    }
    prover_.facts().release(mark);
    return bits;
  }

  void mark(ir::Write& write) {
    AxisSet axes;
    for (const ir::ValueId index : write.indices) axes = union_of(axes, kernel_.values[index].axes);
    write.in_bounds = inside(write.indices, kernel_.tensors[write.tensor], axes);
  }

  Prover& prover_;
  ir::Kernel& kernel_;
  Observation observation_;
};

}  // namespace

void mark_presence(Prover& prover) { Marker(prover).run(); }

}  // namespace tessera::sema
