// SPDX-License-Identifier: Apache-2.0
// Copies of a kernel with their plan parameters set.
#include "emit/plan_choices.h"

#include <algorithm>

namespace tessera::emit {

namespace {

template <typename Visit>
void for_each_requests(ir::Kernel& kernel, Visit visit) {
  visit(kernel.requests);
  for (ir::Grid& grid : kernel.grids) visit(grid.requests);
}

/// What a condition says of a symbol by itself bounds the symbol of the copy.
void narrow(ir::Kernel& kernel, const ir::Constraint& constraint) {
  const auto id = kernel.sizes.as_symbol(constraint.left);
  if (!id) return;
  ir::Symbol& symbol = kernel.symbols[*id];
  const bool is_member = constraint.relation == ir::Relation::member;
  const auto bound = is_member ? std::nullopt : kernel.sizes.as_constant(constraint.right);
  if (!is_member && !bound) return;
  std::erase_if(symbol.allowed,
                [&](int64_t value) { return !ir::holds(constraint, value, bound.value_or(0)); });
  if (is_member && symbol.allowed.empty()) symbol.allowed = constraint.values;
  if (!bound) return;
  const bool is_above =
      constraint.relation == ir::Relation::less_equal || constraint.relation == ir::Relation::equal;
  const bool is_strict = constraint.relation == ir::Relation::less;
  if (is_above || is_strict)
    symbol.maximum = std::min(symbol.maximum.value_or(*bound), is_strict ? *bound - 1 : *bound);
}

}  // namespace

void set_parameter(ir::Kernel& kernel, const std::string& name, int64_t value, Span span) {
  for (ir::Axis& axis : kernel.axes) {
    if (axis.step != ir::StepKind::plan || axis.step_name != name) continue;
    axis.step_size = value;
    axis.step_span = span;
  }
  for_each_requests(kernel, [&](std::vector<ir::Request>& requests) {
    for (ir::Request& request : requests)
      if (request.parameter == name) request.arguments = {value};
  });
}

void drop_open_requests(ir::Kernel& kernel) {
  for_each_requests(kernel, [](std::vector<ir::Request>& requests) {
    std::erase_if(requests, [](const ir::Request& request) {
      return !request.parameter.empty() && request.arguments.empty();
    });
  });
}

std::vector<PlanChoice> plan_choices(const ir::Kernel& kernel, const Target& target) {
  std::vector<PlanChoice> choices;
  for (const ir::Tiling& tiling : kernel.tilings) {
    const bool is_of_chip = std::ranges::all_of(tiling.architectures,
                                                [&](const std::string& name) { return name == target.name; });
    if (!is_of_chip) continue;
    PlanChoice choice{kernel, tiling.when};
    for (const ir::Setting& setting : tiling.settings)
      set_parameter(choice.kernel, setting.name, setting.value, setting.span);
    for (const ir::Constraint& constraint : tiling.when) narrow(choice.kernel, constraint);
    choices.push_back(std::move(choice));
    if (tiling.when.empty()) return choices;  // it takes every launch of the chip
  }
  choices.push_back({kernel, {}});
  return choices;
}

}  // namespace tessera::emit
