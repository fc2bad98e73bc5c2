// SPDX-License-Identifier: Apache-2.0
// A store as proofs see it: where it writes, as affine forms.
#pragma once

#include <optional>
#include <vector>

#include "sema/prove/prover.h"

namespace tessera::sema {

struct Store {
  const ir::Write* write = nullptr;
  Span span;
  std::vector<std::optional<ir::Affine>> indices;  ///< absent where an index has no affine form
  std::vector<ir::AxisId> axes;                    ///< of the grid, of its indices and of the loops around it
  std::vector<ir::AxisId> loops;                   ///< around it, outermost first
};

/// All stores of a grid to one tensor, in the order of the source.
std::vector<Store> stores_to(Prover& prover, const ir::Grid& grid, ir::TensorId tensor);

}  // namespace tessera::sema
