// SPDX-License-Identifier: Apache-2.0
// See shared_vectors.h.
#include "emit/shared_vectors.h"

#include <algorithm>

namespace tessera::emit {

bool collect_vectors(const ir::Kernel& kernel, const TilePlan& plan, ir::ValueId value, ir::AxisId width,
                     std::set<ir::ValueId>& vectors) {
  if (!plan.anchored.contains(value)) return true;
  const ir::Value& entry = kernel.values[value];
  const bool is_vector = entry.total && std::ranges::all_of(entry.axes, [&](ir::AxisId axis) {
                           return axis == width || !plan.role(axis);
                         });
  if (is_vector) {
    vectors.insert(value);
    return true;
  }
  if (std::holds_alternative<ir::Dot>(entry.op) || std::holds_alternative<ir::ReadVariable>(entry.op) ||
      std::holds_alternative<ir::Reduce>(entry.op))
    return false;
  return std::ranges::all_of(ir::operands_of(entry.op), [&](ir::ValueId operand) {
    return collect_vectors(kernel, plan, operand, width, vectors);
  });
}

}  // namespace tessera::emit
