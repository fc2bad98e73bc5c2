// SPDX-License-Identifier: Apache-2.0
// Copies from a plane of a tensor: each element is looked up in the tensor itself.
#include "tessera/twin/plane_shadow.h"

#include <string>

namespace tessera::twin {

namespace {

/// Whether the kernel may read one element; reports it if not.
bool may_load_element(const PlaneShadow& plane, const index (&at)[TESSERA_MAX_RANK], Location where) {
  const TensorAccess access{plane.tensor, plane.extent, at, plane.rank, 1};
  std::size_t element = 0;
  for (int dimension = 0; dimension < plane.rank; ++dimension) {
    const index extent = plane.extent[dimension];
    if (at[dimension] < 0 || at[dimension] >= extent) return report_out_of_bounds(access, where), false;
    element = element * static_cast<std::size_t>(extent) + static_cast<std::size_t>(at[dimension]);
  }
  if (plane.tensor == nullptr || !plane.tensor->write_once || plane.tensor->written[element] != 0)
    return true;
  return report_read_before_written(access, where), false;
}

std::string copy_text(const PlaneShadow& plane, const PlaneCopy& copy) {
  return "a copy of " + std::to_string(copy.room * copy.element_bytes) + " bytes of " +
         (plane.tensor == nullptr ? "tensor" : plane.tensor->name);
}

/// Whether several elements lie as one copy needs them.
bool is_one_copy(const PlaneShadow& plane, const PlaneCopy& copy, Location where) {
  if (copy.is_cut) {
    report(FaultKind::misaligned, where, copy_text(plane, copy) + ": the axis begins inside of it");
    return false;
  }
  if (copy.count == 0) return true;
  if (copy.stride != 1) {
    report(FaultKind::broken_promise, where,
           copy_text(plane, copy) + ", stride " + std::to_string(copy.stride));
    return false;
  }
  const auto alignment = static_cast<std::uintptr_t>(copy.alignment);
  if (reinterpret_cast<std::uintptr_t>(copy.from) % alignment == 0) return true;
  report(FaultKind::misaligned, where,
         copy_text(plane, copy) + " is not at a multiple of " + std::to_string(copy.alignment) + " bytes");
  return false;
}

}  // namespace

bool may_copy(const PlaneShadow& plane, const PlaneCopy& copy, Location where) {
  if (copy.room > 1 && !is_one_copy(plane, copy, where)) return false;
  for (int i = 0; i < copy.count; ++i) {
    index at[TESSERA_MAX_RANK];
    for (int dimension = 0; dimension < plane.rank; ++dimension) {
      at[dimension] = plane.origin[dimension] + copy.at[0] * plane.step[0][dimension] +
                      copy.at[1] * plane.step[1][dimension] + i * plane.step[copy.axis][dimension];
    }
    if (!may_load_element(plane, at, where)) return false;
  }
  return true;
}

}  // namespace tessera::twin
