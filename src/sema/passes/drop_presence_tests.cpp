// SPDX-License-Identifier: Apache-2.0
// Removal of idle tests of presence.
#include "sema/passes/drop_presence_tests.h"

#include <algorithm>
#include <optional>
#include <vector>

#include "sema/ir/extents.h"
#include "sema/ir/rewrite.h"
#include "sema/ir/statements.h"

namespace tessera::sema {

namespace {

class Dropper {
 public:
  explicit Dropper(ir::Kernel& kernel) : kernel_(kernel), replacement_(kernel.values.size()) {}

  void run() {
    for (std::size_t i = 0; i < kernel_.values.size(); ++i) {
      const ir::ValueId id = kernel_.values.id_at(i);
      ir::Value& value = kernel_.values[id];
      ir::for_each_operand(value.op,
                           [this](ir::ValueId& operand) { operand = replacement_[operand.index()]; });
      if (count_becomes_extent(id)) continue;
      replacement_[i] = simpler(id).value_or(id);
      if (replacement_[i] != id) keep_name(value, kernel_.values[replacement_[i]]);
    }
    for (ir::Grid& grid : kernel_.grids) {
      ir::for_each_statement(grid.body, [this](ir::Statement& statement) {
        ir::for_each_operand(statement,
                             [this](ir::ValueId& operand) { operand = replacement_[operand.index()]; });
      });
    }
  }

 private:
  std::optional<ir::ValueId> simpler(ir::ValueId id) const {
    const ir::Value& value = kernel_.values[id];
    std::optional<ir::ValueId> candidate;
    if (const auto* coalesce = std::get_if<ir::Coalesce>(&value.op)) {
      if (kernel_.values[coalesce->operand].total) candidate = coalesce->operand;
    } else if (const auto* filter = std::get_if<ir::Filter>(&value.op)) {
      if (value.total) candidate = filter->operand;
    }
    if (candidate && kernel_.values[*candidate].axes == value.axes) return candidate;
    return std::nullopt;
  }

  bool count_becomes_extent(ir::ValueId id) {
    ir::Value& value = kernel_.values[id];
    const auto* reduce = std::get_if<ir::Reduce>(&value.op);
    if (reduce == nullptr || reduce->op != ir::ReduceOp::count) return false;
    const ir::Value& operand = kernel_.values[reduce->operand];
    if (!operand.total || (!value.axes.empty() && !may_lose_axes(id))) return false;
    ir::SizeId product = kernel_.sizes.constant(1);
    for (const ir::AxisId id : reduce->axes) {
      if (kernel_.axes[id].kind != ir::AxisKind::let) return false;
      product = kernel_.sizes.multiply(product, ir::extent_of(kernel_, kernel_.sizes, id));
    }
    const auto constant = kernel_.sizes.as_constant(product);
    if (constant) {
      value.op = ir::Constant{{0, *constant}};
    } else {
      value.op = ir::Extent{product};
    }
    lose_axes(id);
    replacement_[id.index()] = id;
    return true;
  }

  /// True if everything that reads the value has its axes from other operands, too, or needs none of them.
  bool may_lose_axes(ir::ValueId id) {
    const std::vector<ir::AxisId> lost = kernel_.values[id].axes;
    for (std::size_t i = id.index() + 1; i < kernel_.values.size(); ++i) {
      const ir::Value& user = kernel_.values[kernel_.values.id_at(i)];
      const std::vector<ir::ValueId> operands = ir::operands_of(user.op);
      if (std::find(operands.begin(), operands.end(), id) == operands.end()) continue;
      if (std::holds_alternative<ir::Cast>(user.op)) {
        if (!may_lose_axes(kernel_.values.id_at(i))) return false;
        continue;
      }
      if (!ir::folded_axes(user.op).empty() || std::holds_alternative<ir::Pick>(user.op)) return false;
      const bool covered = std::all_of(lost.begin(), lost.end(), [&](ir::AxisId axis) {
        return std::any_of(operands.begin(), operands.end(), [&](ir::ValueId operand) {
          const std::vector<ir::AxisId>& axes = kernel_.values[operand].axes;
          return operand != id && std::find(axes.begin(), axes.end(), axis) != axes.end();
        });
      });
      if (!covered) return false;
    }
    return true;
  }

  /// Takes the axes from a value and from the casts of it.
  void lose_axes(ir::ValueId id) {
    if (kernel_.values[id].axes.empty()) return;
    kernel_.values[id].axes.clear();
    for (std::size_t i = id.index() + 1; i < kernel_.values.size(); ++i) {
      const auto* cast = std::get_if<ir::Cast>(&kernel_.values[kernel_.values.id_at(i)].op);
      if (cast != nullptr && cast->operand == id) lose_axes(kernel_.values.id_at(i));
    }
  }

  static void keep_name(const ir::Value& from, ir::Value& to) {
    if (to.name.empty()) to.name = from.name;
  }

  ir::Kernel& kernel_;
  std::vector<ir::ValueId> replacement_;
};

}  // namespace

void drop_presence_tests(ir::Kernel& kernel) { Dropper(kernel).run(); }

}  // namespace tessera::sema
