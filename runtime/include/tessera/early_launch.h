// SPDX-License-Identifier: Apache-2.0
// Kernels whose launches begin while the launch before in their stream still runs (kBeginsEarly).
#pragma once

#include "tessera/ptx_tensor.h"

namespace tessera {

/// By the threads of a kernel whose launches begin early, before they touch the memory of tensors, and by one of each block
/// at least, so that launches end in order: what the launch before wrote is there then, and nobody reads any more what this
/// one writes. The next launch may begin then, not before: two are under way at a time.
TESSERA_DEVICE void wait_for_launch_before(Location where = Location::current()) {
  ptx::griddepcontrol_wait(where);
  ptx::griddepcontrol_launch_dependents(where);
}

}  // namespace tessera
