// SPDX-License-Identifier: Apache-2.0
// Plan parameters become numbers: a kernel for each condition of an `@tile`, and for each member of an `@autotune`.
#pragma once

#include <vector>

#include "emit/target.h"
#include "sema/ir/module.h"

namespace tessera::emit {

/// A kernel whose steps and requests are numbers, for the launches for which a condition holds.
struct PlanChoice {
  ir::Kernel kernel;                 // symbols are bounded by the condition as well
  std::vector<ir::Constraint> when;  // all of them hold; none: any launch
};

/// What is planned for a chip, in the order in which the launcher tries it; the last one takes every launch.
std::vector<PlanChoice> plan_choices(const ir::Kernel& kernel, const Target& target);

/// Sets one plan parameter.
void set_parameter(ir::Kernel& kernel, const std::string& name, int64_t value, Span span);

/// Leaves requests whose plan parameter nothing sets to the planner.
void drop_open_requests(ir::Kernel& kernel);

}  // namespace tessera::emit
