// SPDX-License-Identifier: Apache-2.0
// Affine forms of integer values: what bounds proofs, coverage and the choice of vector accesses are made of.
#pragma once

#include <optional>
#include <vector>

#include "sema/ir/module.h"

namespace tessera::ir {

/// a + b, and a times a size.
Affine sum(SizeTable& sizes, const Affine& a, const Affine& b);
Affine scaled(SizeTable& sizes, const Affine& form, SizeId factor);

/// The affine form of an integer value, or nothing when it has none (data, products of axes, division …).
/// New sizes are interned in `sizes`, which is the kernel's table or an extension of it.
std::optional<Affine> affine_form(const Kernel& kernel, SizeTable& sizes, ValueId value);

/// Every axis on which a value depends at one point: its own and the scalar ranges below it; ascending.
std::vector<AxisId> free_axes(const Kernel& kernel, ValueId value);

}  // namespace tessera::ir
