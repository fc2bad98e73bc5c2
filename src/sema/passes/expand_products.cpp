// SPDX-License-Identifier: Apache-2.0
// From Dot to Reduce(sum, multiply).
#include "sema/passes/expand_products.h"

#include <algorithm>
#include <iterator>

#include "sema/passes/remove_dead_values.h"

namespace tessera::sema {

namespace {

class Expansion {
 public:
  explicit Expansion(ir::Kernel& kernel) : kernel_(kernel) {}

  void visit(ir::Block& block) {
    ir::Block result;
    for (ir::Statement& statement : block) {
      if (auto* loop = std::get_if<ir::Loop>(&statement.node)) visit(loop->body);
      const auto* define = std::get_if<ir::Define>(&statement.node);
      if (define && std::holds_alternative<ir::Dot>(kernel_.values[define->value].op))
        expand(define->value, result);
      result.push_back(std::move(statement));
    }
    block = std::move(result);
  }

 private:
  void expand(ir::ValueId id, ir::Block& block) {
    const auto dot = std::get<ir::Dot>(kernel_.values[id].op);
    const ir::ValueId left = factor(dot.left, kernel_.values[id].dtype, block);
    const ir::ValueId right = factor(dot.right, kernel_.values[id].dtype, block);
    const ir::Value &a = kernel_.values[left], &b = kernel_.values[right];
    ir::Value product{ir::Binary{ir::BinaryOp::multiply, left, right},
                      kernel_.values[id].dtype,
                      {},
                      true,
                      "",
                      kernel_.values[id].span};
    std::ranges::set_union(a.axes, b.axes, std::back_inserter(product.axes));
    product.total = a.total && b.total;
    const ir::ValueId terms = add(std::move(product), block);
    kernel_.values[id].op = ir::Reduce{ir::ReduceOp::sum, dot.axes, terms};
  }

  ir::ValueId factor(ir::ValueId id, DType type, ir::Block& block) {
    const ir::Value& value = kernel_.values[id];
    if (value.dtype == type) return id;
    return add({ir::Cast{id}, type, value.axes, value.total, "", value.span}, block);
  }

  ir::ValueId add(ir::Value value, ir::Block& block) {
    const Span span = value.span;
    const ir::ValueId id = kernel_.values.add(std::move(value));
    block.push_back({ir::Define{id}, span});
    return id;
  }

  ir::Kernel& kernel_;
};

}  // namespace

void expand_products(ir::Kernel& kernel) {
  Expansion expansion(kernel);
  for (ir::Grid& grid : kernel.grids) expansion.visit(grid.body);
  remove_dead_values(kernel);
}

bool has_products(const ir::Kernel& kernel) {
  return std::ranges::any_of(
      kernel.values, [](const ir::Value& value) { return std::holds_alternative<ir::Dot>(value.op); });
}

}  // namespace tessera::sema
