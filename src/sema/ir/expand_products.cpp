// SPDX-License-Identifier: Apache-2.0
// From Dot to Reduce(sum, multiply).
#include "sema/ir/expand_products.h"

#include <algorithm>
#include <iterator>

#include "sema/ir/rewrite.h"

namespace tessera::ir {

namespace {

/// What becomes of products.
enum class Rewrite { all_to_sums, rows_to_sums, widen_factors };

bool is_narrow(DType type) { return type == DType::fp8_e4m3 || type == DType::fp8_e5m2; }

/// Copies the values in the order of their definitions, which gives them new numbers.
class Expansion {
 public:
  Expansion(Kernel& kernel, Rewrite rewrite)
      : old_(std::move(kernel.values)), values_(kernel.values), number_(old_.size()), rewrite_(rewrite) {
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
    auto* dot = std::get_if<Dot>(&value.op);
    if (dot && rewrite_ == Rewrite::widen_factors) {
      for (ValueId* side : {&dot->left, &dot->right})
        if (is_narrow(values_[*side].dtype)) *side = factor(*side, DType::f16, block);
    } else if (dot && (rewrite_ == Rewrite::all_to_sums || is_of_rows(*dot))) {
      value.op = Reduce{ReduceOp::sum, dot->axes, terms(*dot, value, block)};
    }
    number_[id.index()] = add(std::move(value), span, block);
  }

  bool is_of_rows(const Dot& dot) const { return values_[dot.left].axes == values_[dot.right].axes; }

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
    return add({Cast{id, true}, type, value.axes, value.total, "", span}, span, block);
  }

  ValueId add(Value value, Span span, Block& block) {
    const ValueId id = values_.add(std::move(value));
    block.push_back({Define{id}, span});
    return id;
  }

  Store<ValueId, Value> old_;
  Store<ValueId, Value>& values_;
  std::vector<ValueId> number_;  // by old number
  Rewrite rewrite_;
};

void rewrite(Kernel& kernel, Rewrite how) {
  Expansion expansion(kernel, how);
  for (Grid& grid : kernel.grids) expansion.visit(grid.body);
}

}  // namespace

void expand_products(Kernel& kernel) { rewrite(kernel, Rewrite::all_to_sums); }
void expand_row_products(Kernel& kernel) { rewrite(kernel, Rewrite::rows_to_sums); }
void widen_factors(Kernel& kernel) { rewrite(kernel, Rewrite::widen_factors); }

bool has_narrow_factors(const Kernel& kernel) {
  return std::ranges::any_of(kernel.values, [&](const Value& value) {
    const auto* dot = std::get_if<Dot>(&value.op);
    return dot && (is_narrow(kernel.values[dot->left].dtype) || is_narrow(kernel.values[dot->right].dtype));
  });
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
