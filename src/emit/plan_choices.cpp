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
    for (const ir::Constraint& constraint : tiling.when) ir::narrow(choice.kernel, constraint);
    choices.push_back(std::move(choice));
    if (tiling.when.empty()) return choices;  // it takes every launch of the chip
  }
  choices.push_back({kernel, {}});
  return choices;
}

}  // namespace tessera::emit
