// SPDX-License-Identifier: Apache-2.0
// From Dot to Reduce(sum, multiply).
#include "sema/ir/expand_products.h"

#include <algorithm>
#include <iterator>

#include "sema/ir/rewrite.h"

namespace tessera::ir {

namespace {

/// Copies the values in the order of their definitions, which gives them new numbers.
class Expansion {
 public:
  Expansion(Kernel& kernel, bool only_rows)
      : old_(std::move(kernel.values)), values_(kernel.values), number_(old_.size()), only_rows_(only_rows) {
    kernel.values = {};
  }

  void visit(Block& block) {
    Block result;
    for (Statement& statement : block) {
      if (const auto* define = std::get_if<Define>(&statement.node)) {
        copy(define->value, statement.span, result);
        continue;
      }
      if (auto* loop = std::get_if<Loop>(&statement.node)) visit(loop->body);
      if (auto* declare = std::get_if<Declare>(&statement.node)) renumber(declare->initial);
      if (auto* assign = std::get_if<Assign>(&statement.node)) renumber(assign->value);
      if (auto* write = std::get_if<Write>(&statement.node)) {
        renumber(write->value);
        for (ValueId& index : write->indices) renumber(index);
      }
      result.push_back(std::move(statement));
    }
    block = std::move(result);
  }

 private:
  void renumber(ValueId& id) const { id = number_[id.index()]; }

  void copy(ValueId id, Span span, Block& block) {
    Value value = std::move(old_[id]);
    for_each_operand(value.op, [this](ValueId& operand) { renumber(operand); });
    const auto* dot = std::get_if<Dot>(&value.op);
    if (dot && (!only_rows_ || values_[dot->left].axes == values_[dot->right].axes))
      value.op = Reduce{ReduceOp::sum, dot->axes, terms(*dot, value, block)};
    number_[id.index()] = add(std::move(value), span, block);
  }

  ValueId terms(const Dot& dot, const Value& sum, Block& block) {
    const ValueId left = factor(dot.left, sum.dtype, block), right = factor(dot.right, sum.dtype, block);
    const Value &a = values_[left], &b = values_[right];
    Value product{Binary{BinaryOp::multiply, left, right}, sum.dtype, {}, a.total && b.total, "", sum.span};
    std::ranges::set_union(a.axes, b.axes, std::back_inserter(product.axes));
    return add(std::move(product), sum.span, block);
  }

  ValueId factor(ValueId id, DType type, Block& block) {
    const Value& value = values_[id];
    if (value.dtype == type) return id;
    const Span span = value.span;
    return add({Cast{id}, type, value.axes, value.total, "", span}, span, block);
  }

  ValueId add(Value value, Span span, Block& block) {
    const ValueId id = values_.add(std::move(value));
    block.push_back({Define{id}, span});
    return id;
  }

  Store<ValueId, Value> old_;
  Store<ValueId, Value>& values_;
  std::vector<ValueId> number_;  // by old number
  bool only_rows_;
};

}  // namespace

void expand_products(Kernel& kernel) {
  Expansion expansion(kernel, false);
  for (Grid& grid : kernel.grids) expansion.visit(grid.body);
}

void expand_row_products(Kernel& kernel) {
  Expansion expansion(kernel, true);
  for (Grid& grid : kernel.grids) expansion.visit(grid.body);
}

bool has_products(const Kernel& kernel) {
  return std::ranges::any_of(kernel.values,
                             [](const Value& value) { return std::holds_alternative<Dot>(value.op); });
}

bool has_row_products(const Kernel& kernel) {
  return std::ranges::any_of(kernel.values, [&](const Value& value) {
    const auto* dot = std::get_if<Dot>(&value.op);
    return dot && kernel.values[dot->left].axes == kernel.values[dot->right].axes;
  });
}

}  // namespace tessera::ir
