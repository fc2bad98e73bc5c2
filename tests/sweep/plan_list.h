// SPDX-License-Identifier: Apache-2.0
// The plans that are tried: none may change an exact result.
#pragma once

#include <string>
#include <vector>

#include "emit/emit.h"
#include "sema/ir/module.h"

namespace tessera::sweep {

struct NamedPlan {
  std::string name;  ///< as `tesserac --plan` takes it: "tile.r=16,warps=4"
  emit::PlanOverrides overrides;
};

/// The planner's own choice, 1 to 8 warps, vectors of 1, 2, 4 and 8 elements, 1 to 5 stages, tiles of 16, 48, 80, 96 and
/// 176 along each axis with a plan step that all kernels have (two of them along axes of some), and random combinations, to
/// at least 24 plans. Always the same ones.
std::vector<NamedPlan> all_plans(const ir::Module& module);

/// Whether a kernel has all axes whose tiles a plan is about.
bool has_axes(const ir::Kernel& kernel, const emit::PlanOverrides& overrides);

/// The text of a module with `@warps` and with a `@tile` for each named step, before every kernel that has none.
std::string annotated(const std::string& text, const ir::Module& module);

/// The text without any annotation.
std::string without_annotations(const std::string& text);

}  // namespace tessera::sweep
