// SPDX-License-Identifier: Apache-2.0
// Instances of a grid are independent: no two of them store the same element, and none stores one twice (R11).
#pragma once

#include <optional>
#include <vector>

#include "sema/prove/store.h"

namespace tessera::sema {

/// One of `axes` whose coordinate the stored element does not determine, for one store.
std::optional<ir::AxisId> undetermined_axis(Prover& prover, const std::vector<ir::AxisId>& axes,
                                            const Store& store);

/// The stores whose pairs stand for all pairs, in their order: of those with the same indices the first two.
std::vector<const Store*> stores_to_pair(const std::vector<Store>& stores);

/// True if two stores to one tensor never meet in an element.
bool stores_are_disjoint(Prover& prover, const Store& a, const Store& b);

/// True if two stores to one tensor never meet in an element from different instances.
bool stores_are_compatible(Prover& prover, const ir::Grid& grid, const Store& a, const Store& b);

}  // namespace tessera::sema
