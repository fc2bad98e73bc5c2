// SPDX-License-Identifier: Apache-2.0
// What the host twin knows of a Plane: which elements of which tensor it looks at.
#pragma once

#include "tessera/tensor.h"
#include "tessera/twin/tensor_shadow.h"

namespace tessera::twin {

/// Element (x, y) of the plane is the element at origin + x * step[0] + y * step[1] of the tensor.
struct PlaneShadow {
  TensorShadow* tensor = nullptr;
  int rank = 0;
  index extent[TESSERA_MAX_RANK] = {};
  index origin[TESSERA_MAX_RANK] = {};
  index step[2][TESSERA_MAX_RANK] = {};
};

/// A copy of elements that follow each other along an axis of a plane.
struct PlaneCopy {
  index at[2];       ///< of the first
  int axis;          ///< along which they follow
  index stride;      ///< of that axis
  int count;         ///< that exist
  int room;          ///< that would fit
  bool is_cut;       ///< whether the axis begins behind the first and before the last of them
  const void* from;  ///< the address of the first
  int alignment;     ///< what it is to be a multiple of, in bytes
  int element_bytes;
};

/// Whether the elements may be copied at once; reports it if not.
bool may_copy(const PlaneShadow& plane, const PlaneCopy& copy, Location where);

}  // namespace tessera::twin
