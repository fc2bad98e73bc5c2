// SPDX-License-Identifier: Apache-2.0
// Affine forms of integer values: what bounds proofs, coverage and the choice of vector accesses are made of.
#pragma once

#include <optional>
#include <utility>
#include <vector>

#include "sema/ir/module.h"

namespace tessera::ir {

/// offset + Σ coefficient · axis, coefficients and offset being sizes; axes ascending, no zero coefficient.
struct Affine {
  SizeId offset;
  std::vector<std::pair<AxisId, SizeId>> terms;

  /// The coefficient of `axis`, or nothing when it does not occur.
  std::optional<SizeId> coefficient(AxisId axis) const;
};

/// The affine form of an integer value, or nothing when it has none (data, products of axes, division …).
/// New sizes are interned in `sizes`, which is the kernel's table or an extension of it.
std::optional<Affine> affine_form(const Kernel& kernel, SizeTable& sizes, ValueId value);

/// Every axis on which a value depends at one point: its own and the scalar ranges below it; ascending.
std::vector<AxisId> free_axes(const Kernel& kernel, ValueId value);

}  // namespace tessera::ir
