// SPDX-License-Identifier: Apache-2.0
// See join_products.h.
#include "sema/ir/join_products.h"

#include <algorithm>
#include <map>
#include <set>

#include "sema/ir/ops.h"
#include "sema/ir/rewrite.h"
#include "sema/ir/statements.h"
#include "sema/ir/sum_products.h"

namespace tessera::ir {

namespace {

bool has_axis(const std::vector<AxisId>& axes, AxisId axis) { return std::ranges::count(axes, axis) > 0; }

/// What one axis is summed along for, in the order of the values.
struct Group {
  AxisId axis;
  std::set<ValueId> carriers;           // values that have the axis
  std::map<ValueId, ValueId> products;  // and the value that each is part of: a sum, or itself
  std::set<ValueId> subtracted;         // of the products
  std::set<ValueId> additions;          // of those sums, but for the sums themselves
};

class Joiner {
 public:
  explicit Joiner(Kernel& kernel) : kernel_(kernel), sums_(lone_sums(kernel)) {
    for (size_t k = 0; k < kernel.values.size(); ++k) {
      const ValueId id = kernel.values.id_at(k);
      for (ValueId operand : operands_of(kernel.values[id].op)) users_[operand].push_back(id);
    }
    for (Grid& grid : kernel.grids)
      for_each_statement(grid.body, [this](Statement& statement) {
        for_each_operand(statement, [this](ValueId& operand) { stored_.insert(operand); });
        const auto* assign = std::get_if<Assign>(&statement.node);
        if (assign) assigned_.insert(assign->value);
      });
  }

  bool run() {
    bool has_joined = false;
    std::vector<AxisId> axes;
    for (size_t k = 0; k < kernel_.axes.size(); ++k) axes.push_back(kernel_.axes.id_at(k));
    for (AxisId axis : axes) {
      const Axis& range = kernel_.axes[axis];
      if (range.kind != AxisKind::let || !range.relation.empty()) continue;
      Group group = group_of(axis);
      if (group.products.size() < 2 || !is_connected(group) || !stands_alone(group)) continue;
      for (Grid& grid : kernel_.grids) has_joined = join(group, grid.body) || has_joined;
    }
    return has_joined;
  }

 private:
  Group group_of(AxisId axis) const {
    Group group{axis, {}, {}, {}, {}};
    for (size_t k = 0; k < kernel_.values.size(); ++k) {
      const ValueId id = kernel_.values.id_at(k);
      const Value& value = kernel_.values[id];
      if (has_axis(value.axes, axis)) group.carriers.insert(id);
      const auto* dot = std::get_if<Dot>(&value.op);
      if (dot && dot->axes == std::vector{axis}) group.products.emplace(id, id);
    }
    for (const auto& [root, sum] : sums_) {
      if (!std::ranges::all_of(
              sum.products, [&](const ProductTerm& term) { return group.products.contains(term.product); }))
        continue;
      for (const auto& [product, is_subtracted] : sum.products) {
        group.products[product] = root;
        if (is_subtracted) group.subtracted.insert(product);
      }
      group.additions.insert(sum.additions.begin(), sum.additions.end());
      group.additions.erase(root);
    }
    return group;
  }

  /// Whether common factors lead from each product to each other.
  bool is_connected(const Group& group) const {
    std::set<ValueId> reached = {group.products.begin()->first}, factors;
    for (size_t before = 0; before < reached.size();) {
      before = reached.size();
      for (const auto& [product, root] : group.products) {
        const auto& dot = std::get<Dot>(kernel_.values[product].op);
        if (factors.contains(dot.left) || factors.contains(dot.right)) reached.insert(product);
        if (reached.contains(product)) factors.insert({dot.left, dot.right});
      }
    }
    return reached.size() == group.products.size();
  }

  /// Whether nothing but the products takes what has the axis, and nobody waits for one of them to compute another.
  bool stands_alone(const Group& group) const {
    const auto is_own = [&](ValueId id) {
      const auto users = users_.find(id);
      return kernel_.values[id].total && !stored_.contains(id) &&
             !std::holds_alternative<ReadVariable>(kernel_.values[id].op) &&
             (users == users_.end() || std::ranges::all_of(users->second, [&](ValueId user) {
                return group.carriers.contains(user) || group.products.contains(user);
              }));
    };
    const auto is_free = [&](const auto& product) {
      return kernel_.values[product.first].total && !is_part_of_other_sum(product.first, group) &&
             !is_added_to_variable(product.second);
    };
    const std::set<ValueId> later = dependents(group);
    return std::ranges::all_of(group.carriers, is_own) && std::ranges::all_of(group.products, is_free) &&
           std::ranges::none_of(group.carriers, [&](ValueId id) { return later.contains(id); });
  }

  bool is_part_of_other_sum(ValueId product, const Group& group) const {
    return std::ranges::any_of(sums_, [&](const auto& entry) {
      const bool is_part = std::ranges::any_of(
          entry.second.products, [&](const ProductTerm& term) { return term.product == product; });
      return is_part && group.products.at(product) != entry.first;
    });
  }

  /// `v = x + dot(…)`, which adds in place as it is.
  bool is_added_to_variable(ValueId id) const {
    const auto users = users_.find(id);
    return users != users_.end() &&
           std::ranges::any_of(users->second, [&](ValueId user) { return assigned_.contains(user); });
  }

  /// What needs one of the products.
  std::set<ValueId> dependents(const Group& group) const {
    std::set<ValueId> found;
    std::vector<ValueId> open;
    for (const auto& [product, root] : group.products) open.push_back(product);
    while (!open.empty()) {
      const auto users = users_.find(open.back());
      open.pop_back();
      if (users == users_.end()) continue;
      for (ValueId user : users->second)
        if (found.insert(user).second) open.push_back(user);
    }
    return found;
  }

  /// Where all of it is in one block of a grid, with nothing but values between.
  bool join(const Group& group, Block& block) {
    const auto is_of_loop = [&](const Statement& statement) {
      const auto* define = std::get_if<Define>(&statement.node);
      return define && (group.carriers.contains(define->value) || group.products.contains(define->value));
    };
    const auto first = std::ranges::find_if(block, is_of_loop);
    if (first == block.end()) return false;
    const auto last = std::find_if(block.rbegin(), block.rend(), is_of_loop).base();
    const auto count = static_cast<size_t>(std::count_if(first, last, is_of_loop));
    const bool only_defines =
        std::all_of(first, last, [](const Statement& s) { return std::holds_alternative<Define>(s.node); });
    if (!only_defines || count != group.carriers.size() + group.products.size()) return false;
    Block result(std::make_move_iterator(block.begin()), std::make_move_iterator(first));
    Block behind;
    Loop loop{group.axis, {}};
    const std::set<ValueId> later = dependents(group);
    const std::map<ValueId, VariableId> variables = declare_variables(group, result);
    for (auto at = first; at != last; ++at) {
      const ValueId id = std::get<Define>(at->node).value;
      const auto product = group.products.find(id);
      if (product != group.products.end()) {
        const bool is_subtracted = group.subtracted.contains(id);
        add(variables.at(product->second), {id, is_subtracted}, loop.body);
        if (product->second == id) behind.push_back(std::move(*at));
      } else {
        Block& to = is_of_loop(*at) ? loop.body : later.contains(id) ? behind : result;
        to.push_back(std::move(*at));
      }
    }
    for (const auto& [root, variable] : variables) kernel_.values[root].op = ReadVariable{variable};
    result.push_back({std::move(loop), kernel_.values[group.products.begin()->first].span});
    result.insert(result.end(), std::make_move_iterator(behind.begin()),
                  std::make_move_iterator(behind.end()));
    result.insert(result.end(), std::make_move_iterator(last), std::make_move_iterator(block.end()));
    std::erase_if(result, [&](const Statement& statement) {
      const auto* define = std::get_if<Define>(&statement.node);
      return define && group.additions.contains(define->value);
    });
    block = std::move(result);
    Axis& axis = kernel_.axes[group.axis];
    axis.kind = AxisKind::loop;
    axis.step = StepKind::plan;
    return true;
  }

  std::map<ValueId, VariableId> declare_variables(const Group& group, Block& block) {
    std::map<ValueId, VariableId> variables;
    for (const auto& [product, root] : group.products) {
      if (variables.contains(root)) continue;
      const Value like = kernel_.values[root];
      const ValueId zero = kernel_.values.add({Constant{}, like.dtype, {}, true, "", like.span});
      variables[root] =
          kernel_.variables.add({like.name.empty() ? "sums" : like.name, like.dtype, like.axes, like.span});
      block.push_back({Define{zero}, like.span});
      block.push_back({Declare{variables.at(root), zero}, like.span});
    }
    return variables;
  }

  /// variable += product, or -=
  void add(VariableId variable, const ProductTerm& added, Block& block) {
    const Value like = kernel_.values[added.product];
    const auto define = [&](Op op) {
      const ValueId id = kernel_.values.add({std::move(op), like.dtype, like.axes, true, "", like.span});
      block.push_back({Define{id}, like.span});
      return id;
    };
    const ValueId term = define(like.op), before = define(ReadVariable{variable});
    const BinaryOp op = added.is_subtracted ? BinaryOp::subtract : BinaryOp::add;
    block.push_back({Assign{variable, {}, define(Binary{op, before, term})}, like.span});
  }

  Kernel& kernel_;
  const std::map<ValueId, ProductSum> sums_;
  std::map<ValueId, std::vector<ValueId>> users_;
  std::set<ValueId> stored_, assigned_;  // what statements take, and of it what variables get
};

}  // namespace

bool join_products(Kernel& kernel) {
  if (!Joiner(kernel).run()) return false;
  number_values(kernel);
  return true;
}

}  // namespace tessera::ir
