// SPDX-License-Identifier: Apache-2.0
// See sum_products.h.
#include "sema/ir/sum_products.h"

#include <algorithm>
#include <map>
#include <optional>
#include <set>

#include "sema/ir/ops.h"
#include "sema/ir/rewrite.h"
#include "sema/ir/statements.h"

namespace tessera::ir {

namespace {

class Finder {
 public:
  explicit Finder(const Kernel& kernel) : kernel_(kernel) {
    for (const Value& value : kernel.values)
      for (ValueId operand : operands_of(value.op)) ++uses_[operand];
    for (const Grid& grid : kernel.grids)
      for_each_statement(grid.body, [this](const Statement& s) { count(s); });
    for (const Grid& grid : kernel.grids)
      for_each_statement(grid.body, [this](const Statement& s) { find(s); });
    find_lone_sums();
  }

  /// By the value that is assigned; with at most one other term.
  const std::map<ValueId, ProductSum>& assigned() const { return assigned_; }
  const std::map<ValueId, ProductSum>& lone() const { return lone_; }
  /// Additions of all of them.
  bool is_gone(ValueId id) const { return gone_.contains(id); }

 private:
  void count(const Statement& statement) {
    if (const auto* declare = std::get_if<Declare>(&statement.node)) ++uses_[declare->initial];
    if (const auto* assign = std::get_if<Assign>(&statement.node)) ++uses_[assign->value];
    if (const auto* write = std::get_if<Write>(&statement.node)) ++uses_[write->value];
  }
  bool is_used_once(ValueId id) const { return uses_.at(id) == 1; }

  static bool adds_or_subtracts(const Value& value) {
    const auto* binary = std::get_if<Binary>(&value.op);
    return binary &&
           (binary->op == BinaryOp::add || (binary->op == BinaryOp::subtract && is_float(value.dtype)));
  }

  /// Of a value that all additions and products have the axes and the type of.
  ProductSum terms_of(ValueId id, const Value& sum) const {
    ProductSum found;
    std::vector<ProductTerm> open = {{id}};
    while (!open.empty()) {
      const auto [term, is_subtracted] = open.back();
      open.pop_back();
      const Value& value = kernel_.values[term];
      const bool is_alike = value.total && value.dtype == sum.dtype && value.axes == sum.axes;
      const bool is_own = is_alike && (term == id || is_used_once(term));
      if (is_own && adds_or_subtracts(value)) {
        const auto& binary = std::get<Binary>(value.op);
        found.additions.push_back(term);
        open.push_back({binary.right, is_subtracted != (binary.op == BinaryOp::subtract)});
        open.push_back({binary.left, is_subtracted});
      } else if (is_own && std::holds_alternative<Dot>(value.op)) {
        found.products.push_back({term, is_subtracted});
      } else {
        found.others.push_back(term);
        found.subtracts_others = found.subtracts_others || is_subtracted;
      }
    }
    return found;
  }

  void find(const Statement& statement) {
    const auto* assign = std::get_if<Assign>(&statement.node);
    if (!assign || !assign->picks.empty() || !is_used_once(assign->value)) return;
    const Value& value = kernel_.values[assign->value];
    if (value.axes != kernel_.variables[assign->variable].axes) return;
    ProductSum sum = terms_of(assign->value, value);
    if (sum.products.size() < 2 || sum.others.size() > 1 || sum.subtracts_others) return;
    gone_.insert(sum.additions.begin(), sum.additions.end());
    assigned_.emplace(assign->value, std::move(sum));
  }

  void find_lone_sums() {
    for (size_t k = kernel_.values.size(); k-- > 0;) {
      const ValueId id = kernel_.values.id_at(k);
      if (gone_.contains(id)) continue;
      ProductSum sum = terms_of(id, kernel_.values[id]);
      if (sum.products.size() < 2 || !sum.others.empty()) continue;
      gone_.insert(sum.additions.begin(), sum.additions.end());
      lone_.emplace(id, std::move(sum));
    }
  }

  const Kernel& kernel_;
  std::map<ValueId, int> uses_;
  std::map<ValueId, ProductSum> assigned_, lone_;
  std::set<ValueId> gone_;
};

class Rewriter {
 public:
  explicit Rewriter(Kernel& kernel) : kernel_(kernel), sums_(kernel) {}

  void rewrite(Block& block) {
    Block result;
    for (Statement& statement : block) {
      const auto* define = std::get_if<Define>(&statement.node);
      const auto* assign = std::get_if<Assign>(&statement.node);
      if (auto* loop = std::get_if<Loop>(&statement.node)) rewrite(loop->body);
      const auto lone = define ? sums_.lone().find(define->value) : sums_.lone().end();
      const auto assigned = assign ? sums_.assigned().find(assign->value) : sums_.assigned().end();
      if (lone != sums_.lone().end()) {
        sum_alone(lone->first, lone->second, statement.span, result);
      } else if (assigned != sums_.assigned().end()) {
        const ProductSum& sum = assigned->second;
        const ValueId first =
            sum.others.empty() ? zero_like(assign->value, statement.span, result) : sum.others[0];
        add_all(assign->variable, first, sum, statement.span, result);
      } else if (!define || !sums_.is_gone(define->value)) {
        result.push_back(std::move(statement));
      }
    }
    block = std::move(result);
  }

 private:
  ValueId zero_like(ValueId id, Span span, Block& block) {
    const ValueId zero = kernel_.values.add({Constant{}, kernel_.values[id].dtype, {}, true, "", span});
    block.push_back({Define{zero}, span});
    return zero;
  }

  ValueId define(Op op, const Value& like, Span span, Block& block) {
    const ValueId id = kernel_.values.add({std::move(op), like.dtype, like.axes, true, "", span});
    block.push_back({Define{id}, span});
    return id;
  }

  /// variable = first + and - products
  void add_all(VariableId variable, ValueId first, const ProductSum& sum, Span span, Block& block) {
    const Value like = kernel_.values[sum.products[0].product];
    for (size_t k = 0; k < sum.products.size(); ++k) {
      const auto [product, is_subtracted] = sum.products[k];
      const ValueId before = k == 0 ? first : define(ReadVariable{variable}, like, span, block);
      const BinaryOp op = is_subtracted ? BinaryOp::subtract : BinaryOp::add;
      const ValueId total = define(Binary{op, before, product}, like, span, block);
      block.push_back({Assign{variable, {}, total}, span});
    }
  }

  /// The value becomes what a new variable has in the end.
  void sum_alone(ValueId id, const ProductSum& sum, Span span, Block& block) {
    const Value like = kernel_.values[id];
    const VariableId variable =
        kernel_.variables.add({like.name.empty() ? "sums" : like.name, like.dtype, like.axes, span});
    block.push_back({Declare{variable, zero_like(id, span, block)}, span});
    add_all(variable, define(ReadVariable{variable}, like, span, block), sum, span, block);
    kernel_.values[id].op = ReadVariable{variable};
    block.push_back({Define{id}, span});
  }

  Kernel& kernel_;
  const Finder sums_;
};

}  // namespace

std::map<ValueId, ProductSum> lone_sums(const Kernel& kernel) { return Finder(kernel).lone(); }

void sum_products_in_place(Kernel& kernel) {
  Rewriter rewriter(kernel);
  for (Grid& grid : kernel.grids) rewriter.rewrite(grid.body);
  number_values(kernel);
}

}  // namespace tessera::ir
