// SPDX-License-Identifier: Apache-2.0
// The later store takes in what the earlier one wrote, and the earlier one goes.
#include "sema/passes/merge_stores.h"

#include <algorithm>
#include <iterator>
#include <map>
#include <vector>

namespace tessera::sema {

namespace {

/// The value of both: the later one where it exists.
ir::ValueId combine(ir::Kernel& kernel, ir::ValueId earlier, ir::ValueId later, Span span) {
  const ir::Value &first = kernel.values[earlier], &second = kernel.values[later];
  ir::Value both{ir::Coalesce{later, earlier}, second.dtype, {}, first.total || second.total, "", span};
  std::ranges::set_union(first.axes, second.axes, std::back_inserter(both.axes));
  return kernel.values.add(std::move(both));
}

class Merger {
 public:
  explicit Merger(ir::Kernel& kernel) : kernel_(kernel) {}

  void run() {
    for (ir::Grid& grid : kernel_.grids) merge_in(grid.body);
    for (const auto& [tensor, chain] : merged_)
      if (stores_[tensor] == 1) complete(chain);
  }

 private:
  void merge_in(ir::Block& block) {
    ir::Block result;
    for (ir::Statement& statement : block) {
      if (auto* loop = std::get_if<ir::Loop>(&statement.node)) merge_in(loop->body);
      if (auto* write = std::get_if<ir::Write>(&statement.node)) {
        ++stores_[write->tensor];
        take_in_earlier(result, *write, statement.span);
      }
      result.push_back(std::move(statement));
    }
    block = std::move(result);
  }

  void take_in_earlier(ir::Block& before, ir::Write& write, Span span) {
    const auto earlier = std::ranges::find_if(before, [&](const ir::Statement& other) {
      const auto* first = std::get_if<ir::Write>(&other.node);
      return first != nullptr && first->tensor == write.tensor && first->indices == write.indices;
    });
    if (earlier == before.end()) return;
    write.value = combine(kernel_, std::get<ir::Write>(earlier->node).value, write.value, span);
    before.erase(earlier);
    before.push_back({ir::Define{write.value}, span});
    --stores_[write.tensor];
    merged_[write.tensor].push_back(write.value);
  }

  /// The stores to an output cover it, so the earliest of those that became one has a value where no later one has:
  /// its condition need not be asked.
  void complete(const std::vector<ir::ValueId>& chain) {
    auto& first = std::get<ir::Coalesce>(kernel_.values[chain.front()].op);
    const auto* filter = std::get_if<ir::Filter>(&kernel_.values[first.fallback].op);
    if (filter == nullptr || !kernel_.values[filter->operand].total) return;
    if (kernel_.values[filter->operand].axes != kernel_.values[first.fallback].axes) return;
    first.fallback = filter->operand;
    for (const ir::ValueId value : chain) kernel_.values[value].total = true;
  }

  ir::Kernel& kernel_;
  std::map<ir::TensorId, int> stores_;
  std::map<ir::TensorId, std::vector<ir::ValueId>> merged_;  // from the earliest to the latest
};

}  // namespace

void merge_stores(ir::Kernel& kernel) { Merger(kernel).run(); }

}  // namespace tessera::sema
