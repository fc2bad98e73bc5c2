// SPDX-License-Identifier: Apache-2.0
// Instances of a grid are independent: no two of them store the same element (R11).
#pragma once

#include <optional>
#include <vector>

#include "sema/prove/store.h"

namespace tessera::sema {

/// A grid range whose coordinate the stored element does not determine, for one store.
std::optional<ir::AxisId> undetermined_axis(Prover& prover, const ir::Grid& grid, const Store& store);

/// True if two stores to one tensor never meet in an element from different instances.
bool stores_are_compatible(Prover& prover, const ir::Grid& grid, const Store& a, const Store& b);

}  // namespace tessera::sema
